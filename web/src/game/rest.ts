// Who sleeps lies in a bed.

import { info } from './physics/blocks';

/** Where somebody lies: the middle of the feet's end on a bed, and where the head lies. */
export interface Lying {
  x: number;
  y: number;
  z: number;
  headX: number;
  headZ: number;
}

const WAYS = [[0, -1], [0, 1], [-1, 0], [1, 0]] as const;
const REACH = 5;
const HEAD = 1;
const BED_TOP = 9 / 16;

/** bedNear finds the bed that somebody lies in who has used it from where their feet are: the nearest. */
export function bedNear(block: (x: number, y: number, z: number) => number, at: { x: number; y: number; z: number }): Lying | null {
  const [fx, fy, fz] = [Math.floor(at.x), Math.floor(at.y), Math.floor(at.z)];
  let best: Lying | null = null;
  let nearest = Infinity;
  for (let y = fy - 2; y <= fy + 3; y++) {
    for (let z = fz - REACH; z <= fz + REACH; z++) {
      for (let x = fx - REACH; x <= fx + REACH; x++) {
        const b = block(x, y, z);
        const bed = b > 0 ? info(b).bed : undefined;
        if (bed === undefined || bed & HEAD) continue;
        const distance = Math.hypot(x + 0.5 - at.x, y - at.y, z + 0.5 - at.z);
        if (distance >= nearest) continue;
        nearest = distance;
        const [headX, headZ] = WAYS[bed >> 1]!;
        best = { x: x + 0.5 - headX * 0.42, y: y + BED_TOP, z: z + 0.5 - headZ * 0.42, headX, headZ };
      }
    }
  }
  return best;
}
