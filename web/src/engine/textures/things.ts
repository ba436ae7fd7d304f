// Plants, lights, wool and the rest.

import type { Painter } from './ground';
import { rgb, shade, type Rgb, type Tile } from './tile';

/** clear makes the tile a see-through sheet of a colour, to draw a plant on. */
function clear(t: Tile, c: Rgb): void {
  t.rect(0, 0, 16, 16, c, 0);
}

const LEAF = rgb(0x629c3c);

function tallGrass(t: Tile): void {
  clear(t, LEAF);
  // Short dark blades behind, longer light ones before them, thick at the foot.
  for (let i = 0; i < 15; i++) {
    const front = i >= 7;
    const foot = front ? 1.5 + (i - 7) * 1.75 + t.random(i, 0, 1) : 1 + i * 2.1;
    const tall = front ? 6 + Math.floor(t.random(i, 1, 1) * 7) : 4 + Math.floor(t.random(i, 1, 1) * 4);
    const lean = (t.random(i, 2, 1) - 0.5) * (front ? 9 : 5);
    for (let k = 0; k < tall; k++) {
      const x = Math.round(foot + (lean * k * k) / (tall * tall));
      const c = shade(LEAF, (front ? -0.06 : -0.22) + (k / tall) * 0.3 + (t.random(i, 3, 1) - 0.5) * 0.14);
      if (x > 0 && x < 15) t.set(x, 15 - k, c);
      if (k < tall * 0.35 && x + 1 < 15) t.set(x + 1, 15 - k, shade(c, -0.12));
    }
  }
  t.bleed();
}

function flower(rows: string[], petal: number, heart: number): Painter {
  return (t) => {
    clear(t, LEAF);
    t.art(rows, { p: rgb(petal), P: shade(rgb(petal), -0.2), q: shade(rgb(petal), 0.25), h: rgb(heart), s: shade(LEAF, -0.2), l: LEAF, L: shade(LEAF, 0.15) }, 0, 16 - rows.length);
    t.bleed();
  };
}

const POPPY = ['', '', '', '', '     qpp', '    qpppp', '    pphhp', '    PphhP', '     PPP', '      s', '      s', '    l s', '    lls lL', '     ss l', '      sl', '      s'];
const DANDELION = ['', '', '', '', '', '      qq', '     qppq', '     pphp', '      PP', '       s', '       s', '    L  s', '    ll s L', '     l sll', '      lsl', '       s'];
const CORNFLOWER = ['', '', '', '     p q p', '    q php q', '     phqhp', '    P php P', '     P s P', '       s', '       s', '    l  s', '    l  s', '     l s  L', '      ls ll', '       sl', '       s'];
const SAPLING = ['', '', '      q', '    qppp', '   qppPpp', '   ppqppP', '  PppppqpP', '   PphpppP', '    PphPP', '     PhP', '      h', '    P h p', '     Phpp', '      hP', '      h', '      h'];
const RED_MUSHROOM = ['', '', '', '', '', '', '', '     pppp', '    pqppPP', '   ppppqpPP', '   pqppppPP', '      hh', '      hh', '      hs', '      hs', '      hs'];
const BROWN_MUSHROOM = ['', '', '', '', '', '', '', '', '    qqppp', '   qpppppP', '   PPPPPPP', '      hh', '      hs', '      hs', '      hs', '     hhss'];

function mushroom(rows: string[], cap: number, spot: number): Painter {
  return (t) => {
    const stem = rgb(0xe6dcc6);
    clear(t, rgb(cap));
    t.art(rows, { p: rgb(cap), P: shade(rgb(cap), -0.25), q: rgb(spot), h: stem, s: shade(stem, -0.2) });
    t.bleed();
  };
}

function deadBush(t: Tile): void {
  const c = rgb(0x8f6c3b);
  clear(t, c);
  const twig = (x: number, y: number, dx: number, n: number): void => {
    for (let i = 0; i < n; i++) t.set(x + Math.round(i * dx), y - i, shade(c, (t.random(x, i, 2) - 0.6) * 0.4));
  };
  twig(7, 15, 0, 7);
  twig(7, 13, -0.9, 7);
  twig(8, 12, 0.8, 7);
  twig(7, 10, -0.4, 7);
  twig(8, 9, 0.5, 6);
  twig(4, 9, -0.2, 4);
  twig(12, 8, 0.2, 3);
  t.bleed();
}

function reeds(t: Tile): void {
  const c = rgb(0x8bb861);
  clear(t, c);
  [[2, 1], [6, 0], [9, 2], [13, 1]].forEach(([x, top], i) => {
    for (let y = 1 + top; y < 16; y++) {
      const node = (y + i * 3) % 6 === 0;
      t.set(x, y, shade(c, node ? -0.34 : -0.05 + (t.random(x, y) - 0.5) * 0.12));
      t.set(x + 1, y, shade(c, node ? -0.4 : -0.2));
    }
    t.set(x - 1, 5 + i * 2, shade(c, 0.1));
    t.set(x - 2, 4 + i * 2, shade(c, 0.16));
  });
  t.bleed();
}

function torch(t: Tile): void {
  const stick = rgb(0x7d5a33);
  clear(t, stick);
  for (let y = 9; y < 16; y++) {
    t.set(7, y, shade(stick, 0.12));
    t.set(8, y, shade(stick, -0.2));
  }
  t.art(['yy', 'wy', 'oy'], { y: rgb(0xffd75e), w: rgb(0xfff6cf), o: rgb(0xf28f2a) }, 7, 6);
  t.bleed();
}

function cactusSide(t: Tile): void {
  const base = rgb(0x4f8f3c);
  t.each((x, y) => {
    const rib = x % 4;
    const tone = rib === 0 ? -0.34 : rib === 2 ? 0.12 : -0.04;
    return shade(base, tone + (t.random(x, y) - 0.5) * 0.08);
  });
  for (let y = 1; y < 16; y += 3) for (let x = 2; x < 16; x += 4) t.set(x, (y + x) % 16, rgb(0xe9edc9));
}

function cactusTop(t: Tile): void {
  const base = rgb(0x5a9b45);
  t.each((x, y) => {
    const d = Math.max(Math.abs(x - 7.5), Math.abs(y - 7.5));
    return shade(base, (d > 6.6 ? -0.34 : Math.floor(d) % 3 === 0 ? -0.14 : 0.06) + (t.random(x, y) - 0.5) * 0.1);
  });
}

function glass(t: Tile): void {
  const c = rgb(0xd9eef5);
  clear(t, c);
  for (let i = 0; i < 16; i++) {
    for (const [x, y] of [[i, 0], [i, 15], [0, i], [15, i]]) t.set(x, y, shade(c, i % 5 === 0 ? -0.12 : -0.02));
  }
  for (const [x, y, n] of [[3, 6, 3], [4, 7, 2], [9, 12, 4], [11, 5, 1]]) for (let k = 0; k < n; k++) t.set(x + k, y - k, shade(c, 0.7));
}

function lamp(t: Tile): void {
  t.each((x, y) => {
    const d = Math.max(Math.abs(x - 7.5), Math.abs(y - 7.5));
    if (d > 7) return shade(rgb(0x7a5a2c), (t.random(x, y) - 0.5) * 0.2);
    if (x === 7 || x === 8 || y === 7 || y === 8) return shade(rgb(0xc9923f), (t.random(x, y) - 0.5) * 0.1);
    return shade(rgb(0xffdf8f), 0.34 - d * 0.045 + (t.random(x, y, 1) - 0.5) * 0.12);
  });
}

const RIB = [-0.28, -0.06, 0.08, 0.1, 0.04, -0.1];

function pumpkinSide(t: Tile): void {
  const base = rgb(0xd9832b);
  t.each((x, y) => shade(base, RIB[x % 6] * 0.9 + (t.random(x, y) - 0.5) * 0.07 + (y < 1 || y > 14 ? -0.16 : 0)));
}

function lantern(t: Tile): void {
  pumpkinSide(t);
  const face = ['', '', '', '', '  gg      gg', '  gyg    gyg', '  gyyg  gyyg', '', '      gg', '', ' g  g  g   g', ' ggggggggggg', '  gygygygyg', '   g g g g'];
  t.art(face, { g: rgb(0xf8b63a), y: rgb(0xfff0a6) }, 2, 0);
}

function pumpkinTop(t: Tile): void {
  const base = rgb(0xd08029);
  t.each((x, y) => {
    const angle = Math.atan2(y - 7.5, x - 7.5);
    const rib = Math.abs(((angle / Math.PI) * 4 + 8) % 1 - 0.5);
    return shade(base, -0.22 + rib * 0.5 + (t.random(x, y) - 0.5) * 0.08);
  });
  t.rect(6, 6, 4, 4, rgb(0x6f7d33)).rect(7, 7, 2, 2, rgb(0x8c9a45));
}

function wool(hex: number): Painter {
  return (t) => {
    t.each((x, y) => {
      const weave = ((x + (y >> 1)) & 3) === 0 ? -0.08 : ((x + y) & 3) === 1 ? 0.06 : 0;
      return shade(rgb(hex), weave + (t.random(x, y) - 0.5) * 0.1 + (t.cloud(x, y, 4) - 0.5) * 0.1);
    });
  };
}

/** wheat is a stand of stalks that grow and turn from green to gold; stage 0 to 3. */
function wheat(stage: number): Painter {
  return (t) => {
    const c = [rgb(0x5f9c3a), rgb(0x78a83c), rgb(0x9cb048), rgb(0xd0ac42)][stage];
    clear(t, c);
    for (let i = 0; i < 8; i++) {
      const foot = i * 2 + Math.round(t.random(i, stage, 1));
      const lean = (t.random(i, 2, 3) - 0.5) * 0.35;
      const tall = 3 + stage * 3 + Math.floor(t.random(i, 1, 2) * 3);
      for (let k = 0; k < tall; k++) {
        const x = Math.round(foot + lean * k);
        const ear = stage > 1 && k > tall - 5;
        t.set(x, 15 - k, shade(c, (k / tall) * 0.25 - 0.25 + t.random(x, k) * 0.1 + (ear ? 0.1 : 0)));
        if (ear && (k & 1) === 0) t.set(x + (i & 1 ? 1 : -1), 15 - k, shade(c, stage === 3 ? 0.18 : -0.05));
      }
    }
    t.bleed();
  };
}

/** farmland is earth in furrows. */
function farmland(t: Tile): void {
  t.each((x, y) => shade(rgb(0x6b4a2e), [-0.34, -0.1, 0.1, -0.06][y & 3] + (t.random(x, y) - 0.5) * 0.16 + (t.cloud(x, y, 4) - 0.5) * 0.14));
}

/** lava is bright where it is hot, with a dark crust. */
function lava(t: Tile): void {
  t.each((x, y) => {
    const v = t.cloud(x, y, 8) * 0.6 + t.cloud(x, y, 4, 1) * 0.4;
    return v > 0.62 ? shade(rgb(0xffd25a), (v - 0.62) * 1.4) : v > 0.42 ? shade(rgb(0xf3831f), (t.random(x, y) - 0.5) * 0.16) : shade(rgb(0xb5380f), (t.random(x, y) - 0.5) * 0.22);
  });
}

/** flames are tongues, white-hot at the foot and red at the tips. */
function flames(t: Tile): void {
  clear(t, rgb(0xf3831f));
  for (let x = 0; x < 16; x++) {
    const tall = 5 + Math.floor(t.cloud(x, 3, 4) * 9 + t.random(x, 0, 1) * 4 - Math.abs(x - 7.5) * 0.35);
    for (let k = 0; k < tall; k++) {
      const v = k / tall + (t.random(x, k, 2) - 0.5) * 0.18;
      t.set(x, 15 - k, v < 0.28 ? rgb(0xfff0b0) : v < 0.52 ? rgb(0xffd25a) : v < 0.78 ? rgb(0xf3831f) : rgb(0xc8400f));
    }
  }
  t.bleed();
}

/** obsidian is nearly black, with a violet shine. */
function obsidian(t: Tile): void {
  t.each((x, y) => shade(rgb(0x2a2038), (t.cloud(x, y, 4) - 0.5) * 0.7 + (t.random(x, y) > 0.94 ? 0.5 : 0)));
}

/** blanket is the top of a bed; at its head lies a pillow. */
function blanket(t: Tile, head: boolean): void {
  t.each((x, y) => {
    const edge = x === 0 || x === 15;
    if (head && y < 8) return x > 1 && x < 14 && y > 0 ? shade(rgb(0xf0ece4), (t.random(x, y) - 0.5) * 0.08 - (y === 7 || x === 2 || x === 13 ? 0.14 : 0)) : shade(rgb(0xcfc9bd), -0.1);
    return shade(rgb(0xb4342f), (t.random(x, y) - 0.5) * 0.12 + (edge ? -0.22 : (x + y) % 5 === 0 ? 0.07 : 0) + (head && y === 8 ? 0.2 : 0));
  });
}

/** bedSide is the blanket that hangs over a wooden frame. */
function bedSide(t: Tile): void {
  t.each((x, y) => (y < 11 ? shade(rgb(0xb4342f), (t.random(x, y) - 0.5) * 0.12 + (y > 8 ? -0.2 : 0)) : shade(rgb(0xa37c49), (t.random(x >> 2, y, 1) - 0.5) * 0.16 + (y === 11 ? 0.1 : y === 15 ? -0.3 : 0))));
}

export const things: Record<string, Painter> = {
  tall_grass: tallGrass,
  oak_sapling: flower(SAPLING, 0x4f8a34, 0x6f5635),
  birch_sapling: flower(SAPLING, 0x86ab52, 0xcfcabd),
  pine_sapling: flower(SAPLING, 0x3a6b46, 0x5a4128),
  poppy: flower(POPPY, 0xd2342b, 0x2c2320),
  dandelion: flower(DANDELION, 0xf5cf35, 0xe39f24),
  cornflower: flower(CORNFLOWER, 0x5b7ee6, 0x3c4fb0),
  dead_bush: deadBush,
  red_mushroom: mushroom(RED_MUSHROOM, 0xc0352e, 0xf3e9dc),
  brown_mushroom: mushroom(BROWN_MUSHROOM, 0x9a7455, 0xb38e6d),
  reeds,
  torch,
  cactus_side: cactusSide,
  cactus_top: cactusTop,
  glass,
  lamp,
  pumpkin_side: pumpkinSide,
  pumpkin_top: pumpkinTop,
  lantern_side: lantern,
  wheat_0: wheat(0),
  wheat_1: wheat(1),
  wheat_2: wheat(2),
  wheat_3: wheat(3),
  farmland,
  lava,
  flames,
  obsidian,
  bed_head: (t) => blanket(t, true),
  bed_foot: (t) => blanket(t, false),
  bed_side: bedSide,
  water: (t) => t.mottle(rgb(0x3f76d0), 0.12, 4, 0.3),
  white_wool: wool(0xe9e9e6),
  red_wool: wool(0xb4342f),
  orange_wool: wool(0xe07d2a),
  yellow_wool: wool(0xebc637),
  green_wool: wool(0x5e9c36),
  cyan_wool: wool(0x2d9aa4),
  blue_wool: wool(0x3654a4),
  purple_wool: wool(0x7d40a8),
  black_wool: wool(0x2a2a30),
};
