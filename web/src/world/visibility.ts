// Which faces of a chunk see each other through it: what cave culling walks along.

import { P, type Padded } from './padded';

/** every face sees every other */
export const ALL_SEE = 0x7fff;

/** pairBit is the bit that says that two different faces see each other. */
export function pairBit(a: number, b: number): number {
  const [low, high] = a < b ? [a, b] : [b, a];
  return 1 << (low * 5 - (low * (low - 1)) / 2 + high - low - 1);
}

const seen = new Int32Array(1024);
const seeds = new Int32Array(1024);
const stack = new Int32Array(1 << 16);

/**
 * visibility floods the open cells of a chunk from its borders, a row of 32 at
 * a time, and returns the pairs of faces that meet in one flood.
 */
export function visibility(p: Padded): number {
  if (p.opaques < 256) return ALL_SEE; // too few to part a chunk in a way that matters
  if (p.opaques === 32768) return 0;
  seen.fill(0);
  let pairs = 0;
  for (let row = 0; row < 1024; row++) {
    const y = row >> 5;
    const z = row & 31;
    const border = y === 0 || y === 31 || z === 0 || z === 31 ? -1 : 0x80000001 | 0;
    for (;;) {
      const start = openAt(p, row) & border & ~seen[row];
      if (start === 0) break;
      pairs |= pairsOf(floodFrom(p, row, start & -start));
      if (pairs === ALL_SEE) return pairs;
    }
  }
  return pairs;
}

function openAt(p: Padded, row: number): number {
  return ~p.opaque.x[((row >> 5) + 1) * P + (row & 31) + 1];
}

/** floodFrom marks all that is connected with a cell and returns the faces that it touches, as bits. */
function floodFrom(p: Padded, row: number, bit: number): number {
  let faces = 0;
  let top = 0;
  seeds[row] = bit;
  stack[top++] = row;
  while (top > 0) {
    const at = stack[--top];
    const open = openAt(p, at) & ~seen[at];
    let fill = seeds[at] & open;
    seeds[at] = 0;
    if (fill === 0) continue;
    for (let before = 0; before !== fill; ) {
      before = fill;
      fill |= ((fill << 1) | (fill >>> 1)) & open;
    }
    seen[at] |= fill;
    const y = at >> 5;
    const z = at & 31;
    if (fill & 1) faces |= 1 << 4;
    if (fill & 0x80000000) faces |= 1 << 5;
    if (y === 0) faces |= 1;
    if (y === 31) faces |= 2;
    if (z === 0) faces |= 4;
    if (z === 31) faces |= 8;
    if (y > 0) top = spread(p, at - 32, fill, top);
    if (y < 31) top = spread(p, at + 32, fill, top);
    if (z > 0) top = spread(p, at - 1, fill, top);
    if (z < 31) top = spread(p, at + 1, fill, top);
  }
  return faces;
}

function spread(p: Padded, row: number, fill: number, top: number): number {
  const fresh = fill & openAt(p, row) & ~seen[row];
  if ((fresh & ~seeds[row]) === 0) return top;
  if (seeds[row] === 0) stack[top++] = row;
  seeds[row] |= fresh;
  return top;
}

function pairsOf(faces: number): number {
  let pairs = 0;
  for (let a = 0; a < 6; a++) {
    for (let b = a + 1; b < 6; b++) if (faces & (1 << a) && faces & (1 << b)) pairs |= pairBit(a, b);
  }
  return pairs;
}
