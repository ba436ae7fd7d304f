// Blocks that are no full cubes: glass, slabs, stairs, doors, cactus, ladders, plants.

import { formOf, type Box16 } from './forms';
import { boxFace, LOOKS, normalStep, OPEN } from './cubes';
import { IS_OPAQUE, P, PY, PZ, type Padded } from './padded';
import { FACE_PLANT, rest, SWAYS, type Quads } from './quads';
import { EMIT, KIND, Kind, LAYER, OPAQUE, SOLID } from './tables';
import { meshFluid, Surface } from './fluid';

const surface = new Surface();

const POST: Box16 = [6, 0, 6, 10, 16, 10];
/** a fence's rails to its neighbours, by face from 2 */
const RAILS = [[7, 0, 0, 9, 0, 6], [7, 0, 10, 9, 0, 16], [0, 0, 7, 6, 0, 9], [10, 0, 7, 16, 0, 9]];

/** meshShapes adds the special blocks of a chunk. */
export function meshShapes(p: Padded, holes: Quads, water: Quads): void {
  for (let i = 0; i < p.specials; i++) {
    const place = p.special[i];
    const x = (place % P) - 1;
    const z = (Math.floor(place / PZ) % P) - 1;
    const y = Math.floor(place / PY) - 1;
    switch (KIND[p.block(place)]) {
      case Kind.Glass:
        glass(p, place, x, y, z, holes);
        break;
      case Kind.Slab:
        slab(p, place, x, y, z, holes);
        break;
      case Kind.Cactus:
        box(p, place, x, y, z, [1, 0, 1, 15, 16, 15], holes, true);
        break;
      case Kind.Gate:
      case Kind.Form:
        for (const part of formOf(p.block(place))!) box(p, place, x, y, z, part, holes, false);
        break;
      case Kind.Fence:
        fence(p, place, x, y, z, holes);
        break;
      case Kind.Ladder:
        ladder(p, place, x, y, z, holes);
        break;
      case Kind.Cross:
        plant(p, place, x, y, z, holes);
        break;
      case Kind.Fluid:
        if (EMIT[p.block(place)]) meshFluid(p, place, x, y, z, null, holes); // lava is not seen through
        else meshFluid(p, place, x, y, z, surface, water);
        break;
    }
  }
  surface.end(water);
}

/** glass is a cube whose faces are hidden by its own kind too. */
function glass(p: Padded, place: number, x: number, y: number, z: number, out: Quads): void {
  const b = p.block(place);
  for (let face = 0; face < 6; face++) {
    const front = place + normalStep(face);
    if (OPAQUE[p.block(front)] || p.block(front) === b) continue;
    cellFace(p, face, front, x, y, z, 16, LOOKS[b * 6 + face], out);
  }
}

/** slab is the lower half of a cube. */
function slab(p: Padded, place: number, x: number, y: number, z: number, out: Quads): void {
  const b = p.block(place);
  for (let face = 0; face < 6; face++) {
    const look = LOOKS[b * 6 + face];
    if (face === 1) {
      boxFace(p, 1, place, y * 16 + 8, x * 16, z * 16, 16, 16, look, out);
      continue;
    }
    const front = place + normalStep(face);
    const other = p.block(front);
    if (OPAQUE[other] || (face > 1 && KIND[other] === Kind.Slab)) continue;
    cellFace(p, face, front, x, y, z, 8, look, out);
  }
}

/** cellFace adds a face at the border of its cell, `tall` sixteenths high if it is a side. */
function cellFace(p: Padded, face: number, front: number, x: number, y: number, z: number, tall: number, look: number, out: Quads): void {
  const step = (face & 1) * 16;
  if (face < 2) boxFace(p, face, front, y * 16 + step, x * 16, z * 16, 16, 16, look, out);
  else if (face < 4) boxFace(p, face, front, z * 16 + step, x * 16, y * 16, 16, tall, look, out);
  else boxFace(p, face, front, x * 16 + step, z * 16, y * 16, 16, tall, look, out);
}

/**
 * box is a box within its cell. A side at the border of the cell has the light of what is
 * beyond it, and is not drawn if that is opaque. Wide boxes have top and bottom as large as
 * the cell (the cactus: its sides stand further in than its top).
 */
function box(p: Padded, place: number, x: number, y: number, z: number, b: Box16, out: Quads, wide: boolean): void {
  const block = p.block(place);
  const [x0, y0, z0, x1, y1, z1] = b;
  for (let face = 0; face < 6; face++) {
    const look = LOOKS[block * 6 + face];
    const depth = b[(face & 1) * 3 + (face < 2 ? 1 : face < 4 ? 2 : 0)];
    let front = place;
    if (depth === (face & 1) * 16) {
      front += normalStep(face);
      if (OPAQUE[p.block(front)] || (wide && p.block(front) === block)) continue;
      if (wide) front = place;
    }
    if (face < 2) {
      const [bx, bz, w, h] = wide ? [0, 0, 16, 16] : [x0, z0, x1 - x0, z1 - z0];
      boxFace(p, face, front, y * 16 + depth, x * 16 + bx, z * 16 + bz, w, h, look, out);
    } else if (face < 4) {
      const [from, size] = wide ? [0, 16] : [x0, x1 - x0];
      boxFace(p, face, front, z * 16 + depth, x * 16 + from, y * 16 + y0, size, y1 - y0, look, out);
    } else {
      const [from, size] = wide ? [0, 16] : [z0, z1 - z0];
      boxFace(p, face, front, x * 16 + depth, z * 16 + from, y * 16 + y0, size, y1 - y0, look, out);
    }
  }
}

/** fence is a post with rails to other fences, gates and whole blocks. */
function fence(p: Padded, place: number, x: number, y: number, z: number, out: Quads): void {
  box(p, place, x, y, z, POST, out, false);
  for (let face = 2; face < 6; face++) {
    const kind = KIND[p.block(place + normalStep(face))];
    if (kind !== Kind.Fence && kind !== Kind.Gate && kind !== Kind.Opaque) continue;
    const [x0, , z0, x1, , z1] = RAILS[face - 2];
    for (const low of [6, 12]) box(p, place, x, y, z, [x0, low, z0, x1, low + 3, z1], out, false);
  }
}

/** ladder hangs on the first of its four neighbours that is solid, one sixteenth away. */
function ladder(p: Padded, place: number, x: number, y: number, z: number, out: Quads): void {
  const b = p.block(place);
  let wall = 2;
  for (let face = 2; face < 6; face++) {
    if (SOLID[p.block(place + normalStep(face))] && KIND[p.block(place + normalStep(face))] === Kind.Opaque) {
      wall = face;
      break;
    }
  }
  const face = wall ^ 1; // it looks away from its wall
  const look = LOOKS[b * 6 + face];
  const depth = (wall & 1) === 0 ? 1 : 15;
  if (wall < 4) boxFace(p, face, place, z * 16 + depth, x * 16, y * 16, 16, 16, look, out);
  else boxFace(p, face, place, x * 16 + depth, z * 16, y * 16, 16, 16, look, out);
}

/** plant is two crossed quads, a little off the middle so that meadows are no grid. */
function plant(p: Padded, place: number, x: number, y: number, z: number, out: Quads): void {
  const b = p.block(place);
  const cell = p.cells[place];
  const light = OPEN | ((cell >> 4) & 15) << 4 | (cell & 15) << 10;
  const look = rest(LAYER[b * 6 + 2], FACE_PLANT, SWAYS);
  const ground = (p.cells[place - PY] & IS_OPAQUE) !== 0 ? 2 : OPEN;
  const foot = (light & ~3) | ground;
  const [x0, x1, z0, z1] = [x * 16 + 1, x * 16 + 15, z * 16 + 1, z * 16 + 15];
  const [y0, y1] = [y * 16, y * 16 + 15];
  upright(x0, z0, x1, z1, y0, y1, foot, light, look, out);
  upright(x0, z1, x1, z0, y0, y1, foot, light, look, out);
}

function upright(
  xa: number, za: number, xb: number, zb: number, y0: number, y1: number,
  foot: number, head: number, look: number, out: Quads,
): void {
  out.room();
  out.vertex(xa, y0, za, foot, look);
  out.vertex(xb, y0, zb, foot, look);
  out.vertex(xb, y1, zb, head, look);
  out.vertex(xa, y1, za, head, look);
}
