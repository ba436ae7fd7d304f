// internal/game/world/collide.go, line by line.
import { type BlockSource, solidHeight } from './blocks';
import { floor, int } from './num';

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

const solidTop = (w: BlockSource, x: number, y: number, z: number): number => solidHeight(w.block(x, y, z));

/** Reports whether something solid is in the box. */
export function solidIn(w: BlockSource, c: Box): boolean {
  for (let y = floor(c.y0); y <= floor(c.y1 - 1); y++) {
    const above = c.y0 - int(y);
    for (let z = floor(c.z0); z <= floor(c.z1 - 1); z++) {
      for (let x = floor(c.x0); x <= floor(c.x1 - 1); x++) {
        const top = solidTop(w, x, y, z);
        if (top > 0 && top > above) return true;
      }
    }
  }
  return false;
}

/** How much of d the box can move along x; what it is already in does not stop it. */
export function sweepX(w: BlockSource, c: Box, d: number): number {
  for (let x = floor(c.x1 - 1) + 1; x <= floor(c.x1 + d - 1); x++) {
    const edge = int(x);
    if (solidIn(w, { ...c, x0: edge, x1: edge + 1 })) return edge - c.x1;
  }
  for (let x = floor(c.x0) - 1; x >= floor(c.x0 + d); x--) {
    const edge = int(x + 1);
    if (solidIn(w, { ...c, x0: edge - 1, x1: edge })) return edge - c.x0;
  }
  return d;
}

/** sweepX along z. */
export function sweepZ(w: BlockSource, c: Box, d: number): number {
  for (let z = floor(c.z1 - 1) + 1; z <= floor(c.z1 + d - 1); z++) {
    const edge = int(z);
    if (solidIn(w, { ...c, z0: edge, z1: edge + 1 })) return edge - c.z1;
  }
  for (let z = floor(c.z0) - 1; z >= floor(c.z0 + d); z--) {
    const edge = int(z + 1);
    if (solidIn(w, { ...c, z0: edge - 1, z1: edge })) return edge - c.z0;
  }
  return d;
}

/** sweepX along y; downwards it looks for the highest top below the feet. */
export function sweepY(w: BlockSource, c: Box, d: number): number {
  for (let y = floor(c.y1 - 1) + 1; y <= floor(c.y1 + d - 1); y++) {
    const edge = int(y);
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
      const tall = solidTop(w, x, y, z);
      const top = base + tall;
      if (tall > 0 && top <= c.y0 && (high === null || top > high)) high = top;
    }
  }
  return high;
}
