// internal/game/world/collide.go, line by line.
import { type BlockSource, octants, solidHeight } from './blocks';
import { floor, frac, int, ONE } from './num';

/** A space with edges along the axes, the upper bounds exclusive. */
export interface Box {
  x0: number;
  y0: number;
  z0: number;
  x1: number;
  y1: number;
  z1: number;
}

export function boxAt(x: number, y: number, z: number, half: number, height: number): Box {
  return { x0: x - half, y0: y, z0: z - half, x1: x + half, y1: y + height, z1: z + half };
}

export function shift(c: Box, dx: number, dy: number, dz: number): Box {
  return { x0: c.x0 + dx, y0: c.y0 + dy, z0: c.z0 + dz, x1: c.x1 + dx, y1: c.y1 + dy, z1: c.z1 + dz };
}

export function meets(c: Box, d: Box): boolean {
  return c.x0 < d.x1 && d.x0 < c.x1 && c.y0 < d.y1 && d.y0 < c.y1 && c.z0 < d.z1 && d.z0 < c.z1;
}

const HALF = ONE / 2;
const UPPER = 0xf0;

/** The eighths in those halves of a cell along an axis that a span overlaps; low has those of the lower half. */
function halves(from: number, to: number, cell: number, low: number): number {
  const middle = int(cell) + HALF;
  return (from < middle ? low : 0) | (to > middle ? ~low & 0xff : 0);
}

/** Which eighths of a cell a box overlaps, if it overlaps the cell. */
const touched = (c: Box, x: number, y: number, z: number): number => halves(c.x0, c.x1, x, 0x55) & halves(c.y0, c.y1, y, 0x0f) & halves(c.z0, c.z1, z, 0x33);

/** Reports whether something solid is in the box. */
export function solidIn(w: BlockSource, c: Box): boolean {
  for (let y = floor(c.y0); y <= floor(c.y1 - 1); y++) {
    const above = c.y0 - int(y);
    for (let z = floor(c.z0); z <= floor(c.z1 - 1); z++) {
      for (let x = floor(c.x0); x <= floor(c.x1 - 1); x++) {
        const b = w.block(x, y, z);
        const top = solidHeight(b);
        if (top <= 0 || top <= above) continue;
        const eighths = octants(b);
        if (eighths === 0 || (eighths & touched(c, x, y, z)) !== 0) return true;
      }
    }
  }
  return false;
}

// Boxes are swept from one half of a cell to the next: sides lie only there.
const floorHalf = (n: number): number => n - (frac(n) % HALF);
const nextHalf = (n: number): number => floorHalf(n + HALF - 1);

/** How much of d the box can move along x; what it is already in does not stop it. */
export function sweepX(w: BlockSource, c: Box, d: number): number {
  for (let edge = nextHalf(c.x1); edge < c.x1 + d; edge += HALF) {
    if (solidIn(w, { ...c, x0: edge, x1: edge + 1 })) return edge - c.x1;
  }
  for (let edge = floorHalf(c.x0); edge > c.x0 + d; edge -= HALF) {
    if (solidIn(w, { ...c, x0: edge - 1, x1: edge })) return edge - c.x0;
  }
  return d;
}

/** sweepX along z. */
export function sweepZ(w: BlockSource, c: Box, d: number): number {
  for (let edge = nextHalf(c.z1); edge < c.z1 + d; edge += HALF) {
    if (solidIn(w, { ...c, z0: edge, z1: edge + 1 })) return edge - c.z1;
  }
  for (let edge = floorHalf(c.z0); edge > c.z0 + d; edge -= HALF) {
    if (solidIn(w, { ...c, z0: edge - 1, z1: edge })) return edge - c.z0;
  }
  return d;
}

/** sweepX along y; downwards it looks for the highest top below the feet. */
export function sweepY(w: BlockSource, c: Box, d: number): number {
  for (let edge = nextHalf(c.y1); edge < c.y1 + d; edge += HALF) {
    if (solidIn(w, { ...c, y0: edge, y1: edge + 1 })) return edge - c.y1;
  }
  for (let y = floor(c.y0 - 1); y >= floor(c.y0 + d); y--) {
    const top = floorIn(w, c, y);
    if (top !== null && top > c.y0 + d) return top - c.y0;
  }
  return d;
}

/** The highest top in layer y under the box that is not above its bottom, if there is one. */
function floorIn(w: BlockSource, c: Box, y: number): number | null {
  const base = int(y);
  let high: number | null = null;
  for (let z = floor(c.z0); z <= floor(c.z1 - 1); z++) {
    for (let x = floor(c.x0); x <= floor(c.x1 - 1); x++) {
      const b = w.block(x, y, z);
      const eighths = octants(b);
      const top = eighths ? topIn(c, eighths, x, y, z) : base + solidHeight(b);
      if (top > base && top <= c.y0 && (high === null || top > high)) high = top;
    }
  }
  return high;
}

/** The highest top of a cell's eighths under the box that is not above its bottom, the cell's own bottom if there is none. */
function topIn(c: Box, eighths: number, x: number, y: number, z: number): number {
  const base = int(y);
  const under = eighths & halves(c.x0, c.x1, x, 0x55) & halves(c.z0, c.z1, z, 0x33);
  if ((under & UPPER) !== 0 && base + ONE <= c.y0) return base + ONE;
  return (under & ~UPPER) !== 0 && base + HALF <= c.y0 ? base + HALF : base;
}
