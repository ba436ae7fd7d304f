// Trees and what is made of them.

import type { Painter } from './ground';
import { blend, rgb, shade, type Rgb, type Tile } from './tile';

function bark(t: Tile, base: Rgb, spread: number): void {
  t.each((x, y) => {
    const strand = t.random(x, 0, 2);
    const knot = t.cloud(x, y, 4) - 0.5;
    const crack = strand < 0.3 && t.random(x, y >> 2, 3) < 0.8 ? -0.3 : 0;
    return shade(base, (strand - 0.5) * spread + knot * 0.2 + crack);
  });
}

function birchBark(t: Tile): void {
  const base = rgb(0xdcd8cd);
  t.mottle(base, 0.08, 8, 0.3);
  for (let i = 0; i < 11; i++) {
    const [x, y, n] = [Math.floor(t.random(i, 0, 4) * 16), Math.floor(t.random(i, 1, 4) * 16), 2 + Math.floor(t.random(i, 2, 4) * 4)];
    for (let k = 0; k < n; k++) t.set(x + k, y, rgb(i % 3 ? 0x3a3936 : 0x8b877d));
  }
}

function rings(t: Tile, wood: Rgb, rim: Rgb): void {
  t.each((x, y) => {
    const d = Math.max(Math.abs(x - 7.5), Math.abs(y - 7.5)) + (t.random(x, y) - 0.5) * 0.5;
    if (d > 6.7) return shade(rim, (t.random(x, y, 1) - 0.5) * 0.25);
    return shade(wood, (Math.floor(d) % 2 ? -0.16 : 0.04) + (t.random(x, y, 2) - 0.5) * 0.06);
  });
}

function planks(t: Tile, base: Rgb): void {
  t.each((x, y) => {
    const board = y >> 2;
    const joint = (board * 7 + 3) % 16;
    const tone = (t.random(board, 0, 3) - 0.5) * 0.12;
    if ((y & 3) === 3) return shade(base, -0.34 + tone);
    if (x === joint) return shade(base, -0.28 + tone);
    const grain = t.random(x >> 2, y, 4) < 0.3 ? -0.1 : 0;
    return shade(base, tone + grain + (t.random(x, y, 5) - 0.5) * 0.06 + ((y & 3) === 0 ? 0.07 : 0));
  });
}

function leaves(t: Tile, base: Rgb, holes: number): void {
  for (let y = 0; y < 16; y++) {
    for (let x = 0; x < 16; x++) {
      const v = t.random(x, y, 1) * 0.65 + t.cloud(x, y, 4, 2) * 0.35;
      if (v < holes) {
        t.set(x, y, shade(base, -0.6), 0);
        continue;
      }
      t.set(x, y, shade(base, Math.round((v - 0.56) * 7) * 0.13));
    }
  }
  t.bleed();
}

/** needles leave gaps in slanting rows, as pines do. */
function needles(t: Tile, base: Rgb): void {
  for (let y = 0; y < 16; y++) {
    for (let x = 0; x < 16; x++) {
      const row = ((x + y * 2) % 8) / 8;
      const v = t.random(x, y, 1);
      if (v < 0.16 + (row > 0.8 ? 0.2 : 0)) t.set(x, y, base, 0);
      else t.set(x, y, shade(base, (0.45 - row) * 0.36 + (v - 0.5) * 0.16));
    }
  }
  t.bleed();
}

function bookshelf(t: Tile): void {
  const wood = rgb(0xa98552);
  planks(t, wood);
  const spines = [0x9c3b32, 0x3f6b46, 0x34529f, 0xb98b35, 0x6d4a82, 0x8d6b45, 0x2f7f8c].map(rgb);
  for (const [top, n] of [[2, 5], [9, 5]]) {
    t.rect(0, top - 1, 16, 1, shade(wood, -0.45));
    t.rect(0, top, 16, n, rgb(0x3a2a1c));
    for (let x = 0, i = 0; x < 16; i++) {
      const wide = 1 + Math.floor(t.random(i, top, 6) * 2.4);
      const tall = n - Math.floor(t.random(i, top, 7) * 2);
      const c = spines[Math.floor(t.random(i, top, 8) * spines.length)];
      for (let k = 0; k < wide && x < 16; k++, x++) {
        for (let y = 0; y < tall; y++) t.set(x, top + n - 1 - y, shade(c, (k === 0 ? 0.14 : -0.06) + (y === tall - 2 ? 0.22 : 0)));
      }
    }
  }
}

function ladder(t: Tile): void {
  const wood = rgb(0x9b7546);
  t.rect(0, 0, 16, 16, wood, 0);
  for (const y of [2, 6, 10, 14]) {
    t.rect(1, y, 14, 1, shade(wood, 0.1));
    t.rect(1, y + 1, 14, 1, shade(wood, -0.32));
  }
  for (const x of [2, 12]) {
    for (let y = 0; y < 16; y++) {
      t.set(x, y, shade(wood, 0.08 + (t.random(x, y) - 0.5) * 0.12));
      t.set(x + 1, y, shade(wood, -0.26 + (t.random(x, y, 1) - 0.5) * 0.1));
    }
  }
  t.bleed();
}

function haySide(t: Tile): void {
  const base = rgb(0xcda63a);
  t.each((x, y) => shade(base, (t.random(x, y >> 2, 1) - 0.5) * 0.36 + (t.random(x, y) - 0.5) * 0.1));
  for (const y of [3, 4, 11, 12]) t.each((x, row) => (row === y ? shade(rgb(0x9b4a2f), (t.random(x, y, 2) - 0.5) * 0.2 + (y % 2 ? 0.08 : -0.12)) : null));
}

/** chest is planks in a dark frame; seen from the side it has a lid and a lock. */
function chest(t: Tile, lock: boolean): void {
  const base = rgb(0x9a6f38);
  const frame = rgb(0x5a3d1d);
  planks(t, base);
  t.each((x, y) => {
    const edge = x === 0 || x === 15 || y === 0 || y === 15;
    if (edge) return shade(frame, (t.random(x, y, 6) - 0.5) * 0.14);
    return x === 1 || y === 1 || x === 14 || y === 14 ? shade(frame, 0.16) : null;
  });
  if (!lock) return;
  t.rect(1, 5, 14, 1, shade(frame, -0.35));
  t.rect(1, 6, 14, 1, shade(base, 0.12));
  const iron = rgb(0xb9bcc2);
  t.rect(6, 4, 4, 5, shade(iron, -0.45));
  t.rect(6, 4, 3, 4, iron);
  t.rect(7, 5, 1, 2, shade(iron, -0.6));
}

/** doorHalf is a half of a door; the upper one has panes that are seen through. */
function doorHalf(t: Tile, upper: boolean): void {
  const base = rgb(0xa37c49);
  t.each((x, y) => shade(base, (t.random(x >> 2, 0, 1) - 0.5) * 0.12 + (t.random(x, y, 2) - 0.5) * 0.07));
  const frame = shade(base, -0.3);
  t.rect(0, 0, 1, 16, frame).rect(15, 0, 1, 16, frame).rect(0, upper ? 0 : 15, 16, 1, frame);
  for (const x of [2, 9]) {
    for (const y of upper ? [2, 9] : [1, 8]) {
      t.rect(x, y, 5, 5, shade(base, -0.22));
      if (upper && y === 2) t.rect(x + 1, y + 1, 3, 3, base, 0);
      else t.rect(x + 1, y + 1, 4, 4, shade(base, 0.08));
    }
  }
  if (!upper) t.rect(13, 1, 2, 2, rgb(0xd9c27a));
  t.bleed();
}

/** trapdoor is boards in a frame, with four holes. */
function trapdoor(t: Tile): void {
  const base = rgb(0xa37c49);
  planks(t, base);
  const frame = shade(base, -0.3);
  t.rect(0, 0, 16, 2, frame).rect(0, 14, 16, 2, frame).rect(0, 0, 2, 16, frame).rect(14, 0, 2, 16, frame).rect(7, 2, 2, 12, frame).rect(2, 7, 12, 2, frame);
  for (const x of [3, 10]) for (const y of [3, 10]) t.rect(x, y, 3, 3, base, 0);
  t.rect(0, 0, 16, 1, shade(base, 0.1));
  t.bleed();
}

/** bars is what is made of beams, as one picture. */
function bars(t: Tile, beams: number[][]): void {
  const base = rgb(0xa37c49);
  t.rect(0, 0, 16, 16, base, 0);
  for (const [x, y, w, h] of beams) {
    t.rect(x, y, w, h, base).rect(x, y + h - 1, w, 1, shade(base, -0.3)).rect(x, y, w, 1, shade(base, 0.16));
    if (h > w) t.rect(x, y, 1, h, shade(base, 0.12)).rect(x + w - 1, y, 1, h, shade(base, -0.24));
  }
  t.bleed();
}

/** sign is a board with lines of writing on a post, as one picture. */
function sign(t: Tile): void {
  const base = rgb(0xae8a55);
  t.rect(0, 0, 16, 16, base, 0);
  t.rect(7, 10, 2, 6, shade(base, -0.32)).rect(7, 10, 1, 6, shade(base, -0.16));
  t.each((x, y) => (y > 0 && y < 11 ? shade(base, (t.random(x >> 2, y, 1) - 0.5) * 0.14) : null));
  t.rect(0, 1, 16, 1, shade(base, 0.18)).rect(0, 10, 16, 1, shade(base, -0.34)).rect(0, 1, 1, 10, shade(base, 0.1)).rect(15, 1, 1, 10, shade(base, -0.26));
  for (const [x, y, w] of [[3, 3, 10], [4, 5, 8], [3, 7, 6]]) t.rect(x, y, w, 1, rgb(0x3b2a18));
  t.bleed();
}

/** door is both halves in one picture. */
function door(t: Tile): void {
  const base = rgb(0xa37c49);
  t.rect(0, 0, 16, 16, base, 0);
  t.rect(3, 0, 10, 16, shade(base, -0.3));
  t.each((x, y) => (x > 3 && x < 12 && y > 0 && y < 15 ? shade(base, (t.random(x, y, 1) - 0.5) * 0.1) : null));
  for (const x of [5, 9]) {
    t.rect(x, 2, 2, 3, base, 0);
    for (const y of [7, 11]) t.rect(x, y, 2, 3, shade(base, -0.22));
  }
  t.rect(11, 8, 1, 1, rgb(0xd9c27a));
  t.bleed();
}

export const OAK = rgb(0xae8a55);

export const wood: Record<string, Painter> = {
  oak_log_side: (t) => bark(t, rgb(0x6d5433), 0.28),
  pine_log_side: (t) => bark(t, rgb(0x4b3724), 0.26),
  birch_log_side: birchBark,
  oak_log_top: (t) => rings(t, rgb(0xb8945f), rgb(0x6d5433)),
  birch_log_top: (t) => rings(t, rgb(0xd2c08b), rgb(0xd0ccc0)),
  pine_log_top: (t) => rings(t, rgb(0x8a623c), rgb(0x4b3724)),
  oak_planks: (t) => planks(t, OAK),
  birch_planks: (t) => planks(t, rgb(0xd0be87)),
  pine_planks: (t) => planks(t, rgb(0x7b5735)),
  oak_leaves: (t) => leaves(t, rgb(0x4f8a32), 0.3),
  birch_leaves: (t) => leaves(t, rgb(0x84aa50), 0.33),
  pine_leaves: (t) => needles(t, rgb(0x35633f)),
  bookshelf_side: bookshelf,
  oak_door: door,
  oak_trapdoor: trapdoor,
  oak_fence: (t) => bars(t, [[2, 0, 4, 16], [10, 0, 4, 16], [0, 4, 16, 3], [0, 10, 16, 3]]),
  oak_gate: (t) => bars(t, [[0, 2, 3, 13], [13, 2, 3, 13], [3, 4, 10, 3], [3, 10, 10, 3], [6, 7, 4, 3]]),
  oak_sign: sign,
  oak_door_lower: (t) => doorHalf(t, false),
  oak_door_upper: (t) => doorHalf(t, true),
  chest_side: (t) => chest(t, true),
  chest_top: (t) => chest(t, false),
  ladder,
  hay_side: haySide,
  hay_top: (t) => {
    t.mottle(rgb(0xd2ad42), 0.3, 4, 0.7);
    t.each((x, y) => (x === 0 || y === 0 || x === 15 || y === 15 ? blend(t.get(x, y), rgb(0x8f6d1e), 0.45) : null));
  },
};
