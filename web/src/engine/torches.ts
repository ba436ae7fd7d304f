// Lights that are carried: in the own hand, in those of others, and lying about.

import { EMIT } from '../world/tables';
import type { Vec3 } from './types';

/** how many are drawn at once */
export const MOST_TORCHES = 4;
/** metres beyond which they are not */
const SIGHT = 64;

/** Carried is something that holds a block. */
interface Carried extends Vec3 {
  held: number;
}

/**
 * torches writes the lights around the eye, the own one first and then the
 * nearest, as place relative to the eye and level from 0 to 1; it returns how
 * many there are. Their light goes through walls: it is not worth a flood for
 * each frame, and what the own one lights is never hidden from it.
 */
export function torches(out: Float32Array, eye: Vec3, held: number, others: Iterable<Carried>): number {
  const found = EMIT[held] > 0 ? [[0, 0, 0, EMIT[held] / 15]] : [];
  for (const o of others) {
    const at = [o.x - eye.x, o.y + 1 - eye.y, o.z - eye.z];
    if (EMIT[o.held] > 0 && Math.hypot(...at) < SIGHT) found.push([...at, EMIT[o.held] / 15]);
  }
  const far = (v: number[]): number => Math.hypot(v[0], v[1], v[2]);
  found.sort((a, b) => far(a) - far(b)).length = Math.min(found.length, MOST_TORCHES);
  found.forEach((v, i) => out.set(v, i * 4));
  return found.length;
}
