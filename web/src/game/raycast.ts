import { formOf } from '../world/forms';
import { type BlockSource, info } from './physics/blocks';

/** A block that is looked at: which one, by which face, and what it is. */
export interface Hit {
  x: number;
  y: number;
  z: number;
  /** 0 −y, 1 +y, 2 −z, 3 +z, 4 −x, 5 +x; the side the ray came in by */
  face: number;
  block: number;
  /** in the upper half of its cell */
  upper: boolean;
  /** metres from the eye */
  distance: number;
}

/** What lies at a face. */
export const faceOffset: readonly (readonly [number, number, number])[] = [
  [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0],
];

type Box = readonly [number, number, number, number, number, number];

/** The one box of a block that can be aimed at, as parts of its cell: x0 y0 z0 x1 y1 z1; with a bucket also sources. */
function aimBox(id: number, fluids: boolean): Box | null {
  const b = info(id);
  switch (b.class) {
    case 'air':
    case 'thing':
      return null;
    case 'fluid':
      return fluids && b.fluid === 8 ? [0, 0, 0, 1, 7 / 8, 1] : null;
    case 'cross':
      return [0.15, 0, 0.15, 0.85, 0.8, 0.85];
    case 'torch':
      return [0.36, 0, 0.36, 0.64, 0.7, 0.64];
    case 'gate':
      return b.door! & 4 ? [0.4, 0, 0, 0.6, 1, 1] : [0, 0, 0.4, 1, 1, 0.6];
    case 'fence':
      return [0.3, 0, 0.3, 0.7, 1, 0.7];
    case 'slab':
      return [0, 0, 0, 1, 0.5, 1];
    default:
      return [0, 0, 0, 1, 1, 1];
  }
}

const WHOLE = new Set(['gate', 'torch']);

/** All boxes of a block that can be aimed at. */
function aimBoxes(id: number, fluids: boolean): readonly Box[] {
  const form = WHOLE.has(info(id).class) ? null : formOf(id);
  if (form) return form.map((b) => b.map((n) => n / 16) as unknown as Box);
  const one = aimBox(id, fluids);
  return one ? [one] : [];
}

/** The direction of a look; yaw and pitch in radians, as in the engine. */
export function direction(yaw: number, pitch: number): [number, number, number] {
  const flat = Math.cos(pitch);
  return [Math.sin(yaw) * flat, Math.sin(pitch), -Math.cos(yaw) * flat];
}

/** The first block along a ray, at most `reach` metres away. Amanatides and Woo's walk, with smaller boxes inside of cells. */
export function raycast(w: BlockSource, ox: number, oy: number, oz: number, d: readonly [number, number, number], reach: number, fluids = false): Hit | null {
  const at = [Math.floor(ox), Math.floor(oy), Math.floor(oz)];
  const origin = [ox, oy, oz];
  const step = d.map((v) => Math.sign(v));
  const delta = d.map((v) => (v === 0 ? Infinity : Math.abs(1 / v)));
  const next = d.map((v, i) => {
    if (v === 0) return Infinity;
    const edge = v > 0 ? at[i]! + 1 - origin[i]! : origin[i]! - at[i]!;
    return edge * delta[i]!;
  });
  for (let travelled = 0; travelled <= reach; ) {
    const id = w.block(at[0]!, at[1]!, at[2]!);
    let best: { t: number; face: number } | null = null;
    for (const box of id > 0 ? aimBoxes(id, fluids) : []) {
      const hit = meet(origin, d, at, box);
      if (hit && hit.t <= reach && (!best || hit.t < best.t)) best = hit;
    }
    if (best) {
      const upper = oy + d[1] * best.t - at[1]! >= 0.5;
      return { x: at[0]!, y: at[1]!, z: at[2]!, face: best.face, block: id, upper, distance: best.t };
    }
    const axis = next[0]! <= next[1]! && next[0]! <= next[2]! ? 0 : next[1]! <= next[2]! ? 1 : 2;
    travelled = next[axis]!;
    next[axis]! += delta[axis]!;
    at[axis]! += step[axis]!;
  }
  return null;
}

const FACES = [[4, 5], [0, 1], [2, 3]] as const; // by axis: low side, high side

/** Where a ray enters a box inside of a cell; from inside of it, the face it looks away from. */
function meet(o: number[], d: readonly number[], cell: number[], box: readonly number[]): { t: number; face: number } | null {
  let near = -Infinity;
  let far = Infinity;
  let face = 1;
  for (let i = 0; i < 3; i++) {
    const lo = cell[i]! + box[i]! - o[i]!;
    const hi = cell[i]! + box[i + 3]! - o[i]!;
    if (d[i] === 0) {
      if (lo > 0 || hi < 0) return null;
      continue;
    }
    const [a, b] = d[i]! > 0 ? [lo / d[i]!, hi / d[i]!] : [hi / d[i]!, lo / d[i]!];
    if (a > near) {
      near = a;
      face = FACES[i]![d[i]! > 0 ? 0 : 1];
    }
    far = Math.min(far, b);
  }
  if (near > far || far < 0) return null;
  return { t: Math.max(near, 0), face };
}

/** Something with a body, for aiming: the middle of its feet, and its size, in metres. */
export interface Aimed {
  id: number;
  x: number;
  y: number;
  z: number;
  halfWidth: number;
  height: number;
}

/**
 * The nearest entity along a ray, at most `reach` metres away. Bodies do not collide:
 * one around the eye would hide all that is seen through it, so it comes last (at an
 * infinite distance).
 */
export function pickEntity(all: Iterable<Aimed>, o: [number, number, number], d: readonly [number, number, number], reach: number): { id: number; distance: number } | null {
  let best: { id: number; distance: number } | null = null;
  for (const e of all) {
    const w = e.halfWidth + 0.08; // a little kindness
    const hit = meet(o, d, [e.x, e.y, e.z], [-w, 0, -w, w, e.height, w]);
    if (!hit || hit.t > reach) continue;
    const distance = hit.t > 0 ? hit.t : Infinity;
    if (!best || distance < best.distance) best = { id: e.id, distance };
  }
  return best;
}
