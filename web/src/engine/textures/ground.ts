// Earth, stone, ores, snow.

import { blend, rgb, shade, Tile, type Rgb } from './tile';

export type Painter = (t: Tile) => void;

const STONE = rgb(0x808288);
const DIRT = rgb(0x866043);
const GRASS = rgb(0x6cab3f);
const SAND = rgb(0xdccf9b);

function stone(t: Tile): Tile {
  t.mottle(STONE, 0.16, 8, 0.3);
  for (let i = 0; i < 9; i++) {
    const x = Math.floor(t.random(i, 0, 5) * 16);
    const y = Math.floor(t.random(i, 1, 5) * 16);
    const n = 2 + Math.floor(t.random(i, 2, 5) * 4);
    for (let k = 0; k < n; k++) t.set(x + k, y, shade(STONE, i % 3 === 0 ? 0.14 : -0.16));
  }
  return t;
}

function dirt(t: Tile): Tile {
  t.mottle(DIRT, 0.24, 4, 0.55);
  for (let i = 0; i < 7; i++) {
    const [x, y] = [Math.floor(t.random(i, 3, 5) * 16), Math.floor(t.random(i, 4, 5) * 16)];
    t.set(x, y, shade(DIRT, i % 2 ? 0.22 : -0.32));
    if (i % 3 === 0) t.set(x + 1, y, shade(DIRT, 0.14));
  }
  return t;
}

function grassTop(t: Tile): Tile {
  t.mottle(GRASS, 0.2, 4, 0.6);
  for (let i = 0; i < 14; i++) {
    const [x, y] = [Math.floor(t.random(i, 5, 5) * 16), Math.floor(t.random(i, 6, 5) * 16)];
    t.set(x, y, shade(GRASS, i % 3 ? 0.2 : -0.26));
    t.set(x, y + 1, shade(GRASS, i % 3 ? 0.08 : -0.16));
  }
  return t;
}

/** cover hangs a fringe of another ground over the top of dirt. */
function cover(t: Tile, base: Rgb, spread: number): void {
  dirt(t);
  for (let x = 0; x < 16; x++) {
    const depth = 3 + Math.floor(t.random(x, 0, 9) * 2.2) + (t.random(x, 1, 9) < 0.2 ? 1 : 0);
    for (let y = 0; y < depth; y++) {
      const edge = y === depth - 1 ? -0.22 : 0;
      t.set(x, y, shade(base, (t.random(x, y, 10) - 0.5) * spread + edge));
    }
    t.set(x, depth, shade(DIRT, -0.34));
  }
}

function sandstone(t: Tile): void {
  const base = rgb(0xd6c48c);
  const bands = [0.1, 0.04, -0.02, -0.1, 0.06, 0, -0.04, 0.08, -0.14, 0.02, 0.05, -0.03, -0.08, 0.04, 0, -0.16];
  t.each((x, y) => shade(base, bands[y] + (t.random(x, y) - 0.5) * 0.07 + (t.cloud(x, y, 4) - 0.5) * 0.08));
}

function cobble(t: Tile, tint: (pebble: number) => Rgb, joint: Rgb, count = 16): Tile {
  return t.stones(count, joint, (pebble, light) => shade(tint(pebble), light * 0.22));
}

function cobblestone(t: Tile): Tile {
  cobble(t, (i) => shade(rgb(0x82848a), (t.random(i, 7, 4) - 0.5) * 0.24), rgb(0x4b4d52));
  return t.each((x, y) => shade(t.get(x, y), (t.random(x, y, 8) - 0.5) * 0.08));
}

function mossy(t: Tile): void {
  t.copy(cobblestone(new Tile('cobblestone')));
  t.each((x, y) => {
    const m = t.cloud(x, y, 8, 2) * 0.6 + t.cloud(x, y, 4, 3) * 0.4;
    if (m < 0.5 && t.random(x, y, 4) > 0.06) return null;
    return shade(blend(t.get(x, y), rgb(0x5f8a3a), 0.72), (t.random(x, y, 5) - 0.5) * 0.2);
  });
}

/** ore sets gems into stone: a dark rim, a body, a glint. */
function ore(body: number, rim: number, glint: number): Painter {
  const gems = [
    [2, 2], [9, 1], [12, 6], [5, 7], [1, 11], [8, 11], [13, 12],
  ];
  return (t) => {
    t.copy(stone(new Tile('stone')));
    gems.forEach(([x, y], i) => {
      const wide = 2 + (i % 2);
      t.rect(x, y, wide + 1, 3, rgb(rim));
      t.rect(x, y, wide, 2, rgb(body));
      t.set(x + wide, y + 1, rgb(body));
      t.set(x, y, rgb(glint));
      if (i % 3 === 0) t.set(x - 1, y + 1, rgb(body));
    });
  };
}

function bricks(t: Tile, high: number, wide: number, face: Rgb, mortar: Rgb, spread: number): void {
  t.each((x, y) => {
    const row = Math.floor(y / high);
    const across = (x + (row % 2) * (wide / 2)) % wide;
    if (y % high === high - 1 || across === wide - 1) return shade(mortar, (t.random(x, y) - 0.5) * 0.1);
    const brick = row * 16 + Math.floor(((x + (row % 2) * (wide / 2)) % 16) / wide);
    const edge = y % high === 0 || across === 0 ? 0.12 : y % high === high - 2 || across === wide - 2 ? -0.1 : 0;
    return shade(face, (t.random(brick, 3, 2) - 0.5) * spread + (t.random(x, y, 1) - 0.5) * 0.1 + edge);
  });
}

function ice(t: Tile): void {
  const base = rgb(0xa3c8f2);
  t.mottle(base, 0.1, 8, 0.15);
  for (let i = 0; i < 5; i++) {
    const x = Math.floor(t.random(i, 0, 6) * 16);
    const y = Math.floor(t.random(i, 1, 6) * 16);
    t.line(x, y, x + 3, y - 3, shade(base, 0.5));
    t.line(x + 1, y, x + 3, y - 2, shade(base, 0.25));
  }
}

function slab(t: Tile): void {
  const base = rgb(0x94969b);
  t.mottle(base, 0.08, 8, 0.4);
  for (let i = 0; i < 16; i++) {
    for (const y of [0, 8]) t.set(i, y, shade(base, 0.16));
    for (const y of [7, 15]) t.set(i, y, shade(base, -0.26));
  }
}

function slabTop(t: Tile): void {
  const base = rgb(0x94969b);
  t.mottle(base, 0.08, 8, 0.4);
  t.each((x, y) => (x === 0 || y === 0 ? shade(base, 0.14) : x === 15 || y === 15 ? shade(base, -0.22) : null));
}

/** furnaceSide is masonry around an opening, in which a fire may burn. */
function furnaceSide(t: Tile, lit: boolean): void {
  cobble(t, (i) => shade(rgb(0x77797f), (t.random(i, 7, 4) - 0.5) * 0.2), rgb(0x494b50), 16);
  const iron = rgb(0x5b5d63);
  t.rect(0, 0, 16, 2, shade(iron, 0.12)).rect(0, 2, 16, 1, shade(iron, -0.4));
  t.rect(3, 6, 10, 9, shade(iron, -0.1)).rect(3, 6, 10, 1, shade(iron, 0.25)).rect(3, 14, 10, 1, shade(iron, -0.45));
  t.rect(4, 7, 8, 7, rgb(0x17130f));
  for (let x = 4; x < 12; x++) {
    const high = 2 + Math.floor(t.random(x, 0, 6) * 4) + (x > 5 && x < 10 ? 1 : 0);
    for (let k = 0; k < high; k++) {
      const c = lit ? blend(rgb(0xfff2a8), rgb(0xe2541b), k / high) : shade(rgb(0x2b2623), (t.random(x, k, 7) - 0.5) * 0.3);
      if (lit || k < 2) t.set(x, 13 - k, c);
    }
  }
  for (const x of [5, 8, 11]) if (!lit) t.rect(x, 7, 1, 7, shade(iron, -0.3));
}

function furnaceTop(t: Tile): void {
  slabTop(t);
  t.each((x, y) => shade(blend(t.get(x, y), rgb(0x6b6d72), 0.65), (t.random(x, y, 3) - 0.5) * 0.08));
  t.rect(5, 5, 6, 6, rgb(0x3f4146)).rect(6, 6, 4, 4, rgb(0x201d1b));
}

export const ground: Record<string, Painter> = {
  stone,
  furnace_side: (t) => furnaceSide(t, false),
  furnace_side_lit: (t) => furnaceSide(t, true),
  furnace_top: furnaceTop,
  dirt,
  grass_top: grassTop,
  grass_side: (t) => cover(t, GRASS, 0.34),
  snowy_grass_side: (t) => cover(t, rgb(0xf0f5fa), 0.1),
  cobblestone,
  mossy_cobblestone: mossy,
  sand: (t) => {
    t.each((x, y) => shade(SAND, (t.cloud(x, y, 8) - 0.5) * 0.12 + (t.random(x, y) - 0.5) * 0.13 + Math.sin((y + t.cloud(x, 0, 8) * 5) * 0.8) * 0.03));
  },
  gravel: (t) => {
    const tones = [0x8d8884, 0x7a7573, 0x9b9691, 0x857a70, 0x6d6a6b].map(rgb);
    cobble(t, (i) => shade(tones[i % 5], (t.random(i, 7, 4) - 0.5) * 0.2), rgb(0x58544f), 36);
  },
  sandstone_side: sandstone,
  sandstone_top: (t) => t.mottle(rgb(0xd9c891), 0.1, 8, 0.35),
  clay: (t) => t.mottle(rgb(0x9aa2b0), 0.1, 8, 0.25),
  bedrock: (t) => t.mottle(rgb(0x47474c), 0.75, 4, 0.5),
  snow: (t) => t.mottle(rgb(0xe9f0f8), 0.1, 4, 0.5),
  ice,
  coal_ore: ore(0x2c2d31, 0x55575c, 0x4d4f55),
  iron_ore: ore(0xd3a98a, 0x7a6a60, 0xf0d3bd),
  gold_ore: ore(0xf2c93c, 0x8a7430, 0xfff3a0),
  crystal_ore: ore(0x5fe0ee, 0x2f7f8c, 0xd6ffff),
  bricks: (t) => bricks(t, 4, 8, rgb(0x9c5344), rgb(0xb9aea4), 0.2),
  stone_bricks: (t) => bricks(t, 8, 16, rgb(0x85878c), rgb(0x56585c), 0.1),
  stone_slab_side: slab,
  stone_slab_top: slabTop,
};
