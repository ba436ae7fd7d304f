// Full cubes by binary greedy meshing: which faces are seen comes from bit
// rows, 32 at a time; faces that look the same grow into one quad.

import { IS_OCCLUDER, IS_OPAQUE, P, PX, PY, PZ, SHADING, type Padded } from './padded';
import { rest, SHINES, TURNED, Y_SHIFT, Z_SHIFT, type Quads } from './quads';
import { COVERED, EMIT, LAYER } from './tables';

/**
 * A face direction. Its faces lie in slices across `normal`; in a slice, `bit`
 * is the axis along the bit rows and `line` the other one.
 */
interface Direction {
  face: number;
  /** steps in the padded arrays */
  normal: number;
  bit: number;
  line: number;
  /** its corners, counter-clockwise as seen from the front: 1 is high on bit, 2 high on line */
  round: readonly [number, number, number, number];
}

const BIT_FIRST = [0, 1, 3, 2] as const;
const LINE_FIRST = [0, 2, 3, 1] as const;
const DIRECTIONS: Direction[] = [
  { face: 0, normal: -PY, bit: PX, line: PZ, round: BIT_FIRST },
  { face: 1, normal: PY, bit: PX, line: PZ, round: LINE_FIRST },
  { face: 2, normal: -PZ, bit: PX, line: PY, round: LINE_FIRST },
  { face: 3, normal: PZ, bit: PX, line: PY, round: BIT_FIRST },
  { face: 4, normal: -PX, bit: PZ, line: PY, round: BIT_FIRST },
  { face: 5, normal: PX, bit: PZ, line: PY, round: LINE_FIRST },
];

/** shiftOf is where an axis, given by its step, is in a vertex's first word. */
function shiftOf(step: number): number {
  const along = Math.abs(step);
  return along === PX ? 0 : along === PY ? Y_SHIFT : Z_SHIFT;
}

/** Directions in the order in which their quads lie in a mesh: from most places, those that face the eye are one or two runs. */
export const DRAW_ORDER = [5, 1, 3, 4, 2, 0];

/** light of a corner: darkness 0–3 | sky 0–60 << 2 | lamp 0–60 << 8 */
export const OPEN = 3;

/** corners of the face that was sampled last: bit/line low-low, high-low, low-high, high-high */
export const corners = new Int32Array(4);

/** blends of n = 1 to 4 samples: sum*4/n, rounded */
const BLEND = new Uint8Array(5 * 64);
for (let n = 1; n <= 4; n++) for (let s = 0; s <= 60; s++) BLEND[n * 64 + s] = Math.min(60, Math.round((s * 4) / n));

/** sampleFace fills corners for a face whose front cell is at `front`. */
export function sampleFace(cells: Int32Array, front: number, bit: number, line: number): void {
  const f = cells[front];
  const b0 = cells[front - bit];
  const b1 = cells[front + bit];
  const l0 = cells[front - line];
  const l1 = cells[front + line];
  const d00 = cells[front - bit - line];
  const d10 = cells[front + bit - line];
  const d01 = cells[front - bit + line];
  const d11 = cells[front + bit + line];
  const differ = SHADING & ((f ^ b0) | (f ^ b1) | (f ^ l0) | (f ^ l1) | (f ^ d00) | (f ^ d10) | (f ^ d01) | (f ^ d11));
  if (differ === 0 && (f & IS_OCCLUDER) === 0) {
    const flat = OPEN | (((f >> 4) & 15) << 4) | ((f & 15) << 10);
    corners[0] = corners[1] = corners[2] = corners[3] = flat;
    return;
  }
  corners[0] = corner(f, b0, l0, d00);
  corners[1] = corner(f, b1, l0, d10);
  corners[2] = corner(f, b0, l1, d01);
  corners[3] = corner(f, b1, l1, d11);
}

function corner(f: number, side1: number, side2: number, diagonal: number): number {
  const o1 = (side1 & IS_OCCLUDER) >> 9;
  const o2 = (side2 & IS_OCCLUDER) >> 9;
  const dark = (o1 & o2) === 1 ? 0 : 3 - o1 - o2 - ((diagonal & IS_OCCLUDER) >> 9);
  let n = 1;
  let sky = (f >> 4) & 15;
  let lamp = f & 15;
  const open1 = (side1 & IS_OPAQUE) === 0;
  const open2 = (side2 & IS_OPAQUE) === 0;
  if (open1) {
    n++;
    sky += (side1 >> 4) & 15;
    lamp += side1 & 15;
  }
  if (open2) {
    n++;
    sky += (side2 >> 4) & 15;
    lamp += side2 & 15;
  }
  if ((open1 || open2) && (diagonal & IS_OPAQUE) === 0) {
    n++;
    sky += (diagonal >> 4) & 15;
    lamp += diagonal & 15;
  }
  return dark | (BLEND[n * 64 + sky] << 2) | (BLEND[n * 64 + lamp] << 8);
}

/** weigh tells how bright a corner is, to choose the diagonal of a quad. */
function weigh(c: number): number {
  return (c & 3) * 20 + Math.max((c >> 2) & 63, (c >> 8) & 63);
}

/** what all corners of a block's face share, at block * 6 + face */
export const LOOKS = Int32Array.from(LAYER, (layer, i) => rest(layer, i % 6, EMIT[Math.floor(i / 6)] > 7 ? SHINES : 0));

/** the same with the top's texture on all faces */
const TOP_LOOKS = LOOKS.map((_, i) => LOOKS[i - (i % 6) + 1] - rest(0, 1) + rest(0, i % 6));

/**
 * lookOf is LOOKS for the block at a padded place. The side of covered earth looks
 * like its top where the ground goes on, covered, one block lower: a slope of
 * grass is green, and only where it falls steeper does earth show.
 */
function lookOf(p: Padded, place: number, d: Direction): number {
  const b = p.block(place);
  const i = b * 6 + d.face;
  return d.face > 1 && COVERED[b] === 1 && COVERED[p.block(place + d.normal - PY)] === 1 ? TOP_LOOKS[i] : LOOKS[i];
}

/** faces of one slice: rows of bits, and by line << 5 | bit what each face looks like */
const rows = new Int32Array(32);
const looks = new Int32Array(1024);
const low = new Int32Array(1024);
const high = new Int32Array(1024);

/**
 * meshCubes adds the faces of all opaque cubes to solid and those of cutout
 * cubes to holes; it returns how many solid quads each direction of DRAW_ORDER has.
 */
export function meshCubes(p: Padded, solid: Quads, holes: Quads): number[] {
  return DRAW_ORDER.map((face) => {
    const d = DIRECTIONS[face];
    const before = solid.count;
    for (let slice = 0; slice < 32; slice++) {
      if (p.opaques > 0 && facesOf(p, d, slice, false)) meshSlice(p, d, slice, solid);
      if (p.cutouts && facesOf(p, d, slice, true)) meshSlice(p, d, slice, holes);
    }
    return solid.count - before;
  });
}

/** facesOf fills rows with the seen faces of a slice and tells whether there are any. */
function facesOf(p: Padded, d: Direction, slice: number, cutout: boolean): boolean {
  const alongZ = d.bit === PZ;
  const hide = alongZ ? p.opaque.z : p.opaque.x;
  const own = !cutout ? hide : alongZ ? p.cutout.z : p.cutout.x;
  // Cutout cubes are a shell that is drawn from both sides: none between two of them.
  const same = cutout ? own : null;
  let any = 0;
  for (let line = 0; line < 32; line++) {
    let at: number;
    let next: number;
    if (d.face < 2) {
      at = (slice + 1) * P + line + 1;
      next = at + (d.face === 0 ? -P : P);
    } else {
      at = (line + 1) * P + slice + 1;
      next = at + ((d.face & 1) === 0 ? -1 : 1);
    }
    let faces = own[at] & ~hide[next];
    if (same !== null) faces &= ~same[next];
    rows[line] = faces;
    any |= faces;
  }
  return any !== 0;
}

/** origin returns the padded place of a slice's cell at line 0, bit 0. */
function origin(d: Direction, slice: number): number {
  const first = PX + PY + PZ;
  return first + slice * Math.abs(d.normal);
}

function meshSlice(p: Padded, d: Direction, slice: number, out: Quads): void {
  const { cells } = p;
  const from = origin(d, slice);
  for (let line = 0; line < 32; line++) {
    for (let left = rows[line]; left !== 0; left &= left - 1) {
      const bit = 31 - Math.clz32(left & -left);
      const place = from + line * d.line + bit * d.bit;
      const i = (line << 5) | bit;
      looks[i] = lookOf(p, place, d);
      sampleFace(cells, place + d.normal, d.bit, d.line);
      low[i] = corners[0] | (corners[1] << 14);
      high[i] = corners[2] | (corners[3] << 14);
    }
  }
  for (let line = 0; line < 32; line++) {
    while (rows[line] !== 0) grow(d, slice, line, 31 - Math.clz32(rows[line] & -rows[line]), out);
  }
}

/** grow takes the face at (line, bit) and all that can join it out of rows and adds them as one quad. */
function grow(d: Direction, slice: number, line: number, bit: number, out: Quads): void {
  const i = (line << 5) | bit;
  const look = looks[i];
  const lo = low[i];
  const hi = high[i];
  // A face may only grow in a direction in which its light does not change.
  const flatAlongBit = (lo & 0x3fff) === lo >> 14 && (hi & 0x3fff) === hi >> 14;
  const flatAlongLine = lo === hi;
  let width = 1;
  if (flatAlongBit) {
    while (bit + width < 32 && (rows[line] & (1 << (bit + width))) !== 0) {
      const j = i + width;
      if (looks[j] !== look || low[j] !== lo || high[j] !== hi) break;
      width++;
    }
  }
  const mask = width === 32 ? -1 : ((1 << width) - 1) << bit;
  rows[line] &= ~mask;
  let height = 1;
  if (flatAlongLine) {
    while (line + height < 32 && (rows[line + height] & mask) === mask && sameRow(i + (height << 5), width, look, lo, hi)) {
      rows[line + height] &= ~mask;
      height++;
    }
  }
  emit(d, slice, line, bit, width, height, look, lo, hi, out);
}

function sameRow(from: number, width: number, look: number, lo: number, hi: number): boolean {
  for (let j = from; j < from + width; j++) if (looks[j] !== look || low[j] !== lo || high[j] !== hi) return false;
  return true;
}

/** emit adds a quad over width × height faces. */
function emit(
  d: Direction, slice: number, line: number, bit: number, width: number, height: number,
  look: number, lo: number, hi: number, out: Quads,
): void {
  const depth = (slice + (d.face & 1)) * 16;
  corners[0] = lo & 0x3fff;
  corners[1] = lo >> 14;
  corners[2] = hi & 0x3fff;
  corners[3] = hi >> 14;
  quad(d, depth, bit * 16, line * 16, width * 16, height * 16, look, out);
}

/**
 * quad adds a rectangle in the plane at `depth` (1/16 m) across the direction,
 * from (bit, line) with the given extents, lit by `corners`.
 */
function quad(d: Direction, depth: number, bit: number, line: number, width: number, height: number, look: number, out: Quads): void {
  out.room();
  const turned = weigh(corners[0]) + weigh(corners[3]) < weigh(corners[1]) + weigh(corners[2]);
  const word = turned ? look | TURNED : look;
  const { round } = d;
  const bitShift = shiftOf(d.bit);
  const lineShift = shiftOf(d.line);
  const low = (depth << shiftOf(d.normal)) | (bit << bitShift) | (line << lineShift);
  for (let k = turned ? 1 : 0, n = 0; n < 4; k++, n++) {
    const c = round[k & 3];
    out.corner(low + ((c & 1) * width << bitShift) + ((c >> 1) * height << lineShift), corners[c], word);
  }
}

/**
 * boxFace adds one face of a box within the cell at (x, y, z): depth, from and
 * to are in 1/16 m from the chunk's corner, `front` is the padded place whose
 * light falls on it.
 */
export function boxFace(
  p: Padded, face: number, front: number, depth: number,
  bit: number, line: number, width: number, height: number, look: number, out: Quads,
): void {
  const d = DIRECTIONS[face];
  sampleFace(p.cells, front, d.bit, d.line);
  quad(d, depth, bit, line, width, height, look, out);
}

/** normalStep is the step to the padded cell in front of a face. */
export function normalStep(face: number): number {
  return DIRECTIONS[face].normal;
}
