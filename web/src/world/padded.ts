// A chunk with one cell of its neighbours all around it, as the mesher reads it.

import { Block } from '../gen/blocks';
import { type BlockArray, DAYLIGHT, type Chunk, type World } from './chunk';
import { IDS, KIND, Kind, OCCLUDES, OPAQUE } from './tables';

/** cells along an edge, and the steps between them */
export const P = 34;
export const PX = 1;
export const PZ = P;
export const PY = P * P;
export const PADDED = P * P * P;

function at(x: number, y: number, z: number): number {
  return (y + 1) * PY + (z + 1) * PZ + x + 1;
}

// A cell: light in bits 0–7, then what it does to the light on its neighbours,
// its kind in bits 10–13, its block from bit 16.
export const IS_OPAQUE = 0x100;
export const IS_OCCLUDER = 0x200;
/** what decides the light of a face */
export const SHADING = 0x3ff;
const KIND_SHIFT = 10;
const BLOCK_SHIFT = 16;

const INFO = Int32Array.from(
  { length: IDS },
  (_, b) => (OPAQUE[b] ? IS_OPAQUE : 0) | (OCCLUDES[b] ? IS_OCCLUDER : 0) | (KIND[b] << KIND_SHIFT) | (b << BLOCK_SHIFT),
);

/** Bit rows of the cells of one kind; a row's bits are the cells 0 to 31 of its axis. */
export class Rows {
  /** along x, at (y+1)*34 + z+1, each −1 to 32 */
  readonly x = new Int32Array(P * P);
  /** along z, at (y+1)*34 + x+1 */
  readonly z = new Int32Array(P * P);
  private readonly square = new Int32Array(32);

  clear(): void {
    this.x.fill(0);
    this.z.fill(0);
  }

  /** turn fills z from x; the planes beside the chunk are set cell by cell before. */
  turn(): void {
    const { square, x, z } = this;
    for (let y = 0; y < P; y++) {
      let any = 0;
      for (let k = 0; k < 32; k++) any |= square[k] = x[y * P + k + 1];
      if (any === 0) continue;
      transpose(square);
      for (let k = 0; k < 32; k++) z[y * P + k + 1] = square[k];
    }
  }
}

/** transpose mirrors a square of 32×32 bits. */
function transpose(a: Int32Array): void {
  for (let j = 16, m = 0xffff; j !== 0; j >>= 1, m ^= m << j) {
    for (let k = 0; k < 32; k = ((k | j) + 1) & ~j) {
      const t = ((a[k] >>> j) ^ a[k | j]) & m;
      a[k] ^= t << j;
      a[k | j] ^= t;
    }
  }
}

/** The scratch arrays of one mesher; gather fills them. */
export class Padded {
  readonly cells = new Int32Array(PADDED);
  readonly opaque = new Rows();
  readonly cutout = new Rows();
  /** places of the blocks that have a shape of their own */
  readonly special = new Int32Array(32768);
  specials = 0;
  cutouts = false;
  /** opaque cubes within the chunk */
  opaques = 0;
  private readonly around: (Chunk | null)[] = new Array(27).fill(null);

  /** block returns the block at a padded place. */
  block(at: number): number {
    return this.cells[at] >>> BLOCK_SHIFT;
  }

  /** gather copies a chunk and its borders; a neighbour that is not loaded reads as air in the light of day, below the world as rock. */
  gather(world: World, chunk: Chunk): void {
    this.opaque.clear();
    this.cutout.clear();
    this.specials = 0;
    const { x, z } = chunk.column;
    for (let dz = -1; dz <= 1; dz++) {
      for (let dx = -1; dx <= 1; dx++) {
        const column = dx === 0 && dz === 0 ? chunk.column : world.column(x + dx, z + dz);
        for (let dy = -1; dy <= 1; dy++) {
          this.around[(dy + 1) * 9 + (dz + 1) * 3 + dx + 1] = column?.chunks[chunk.y + dy] ?? null;
        }
      }
    }
    for (let y = 0; y < 32; y++) {
      for (let z = 0; z < 32; z++) this.middle(chunk, (y << 10) | (z << 5), at(0, y, z), (y + 1) * P + z + 1, true, false);
    }
    this.side(this.around[12], 31, -1);
    this.side(this.around[14], 0, 32);
    for (let k = -1; k <= 32; k++) {
      this.row(-1, k, chunk.y);
      this.row(32, k, chunk.y);
    }
    for (let y = 0; y < 32; y++) {
      this.row(y, -1, chunk.y);
      this.row(y, 32, chunk.y);
    }
    this.opaque.turn();
    this.cutout.turn();
    this.count();
  }

  /** side copies the cells at x of the neighbour to the west or east, from its cells at fromX. */
  private side(chunk: Chunk | null, fromX: number, x: number): void {
    const { cells } = this;
    const blocks = chunk?.blocks ?? null;
    const light = chunk?.light ?? null;
    const block = INFO[chunk?.block ?? 0];
    const lightAll = chunk?.lightAll ?? DAYLIGHT;
    for (let y = 0; y < 32; y++) {
      let opaque = 0;
      let holes = 0;
      for (let z = 0, to = at(x, y, 0), from = (y << 10) | fromX; z < 32; z++, to += PZ, from += 32) {
        const info = blocks === null ? block : INFO[blocks[from]];
        cells[to] = info | (light === null ? lightAll : light[from]);
        const kind = (info >> KIND_SHIFT) & 15;
        if (kind === Kind.Opaque) opaque |= 1 << z;
        else if (kind === Kind.Cutout) holes |= 1 << z;
      }
      this.opaque.z[(y + 1) * P + x + 1] = opaque;
      this.cutout.z[(y + 1) * P + x + 1] = holes;
    }
  }

  /** row copies a row above, below, before or behind the chunk. */
  private row(y: number, z: number, chunkY: number): void {
    const { around, cells } = this;
    const ny = y < 0 ? 0 : y > 31 ? 2 : 1;
    const nz = z < 0 ? 0 : z > 31 ? 2 : 1;
    const first = ny * 9 + nz * 3;
    const to = (y + 1) * PY + (z + 1) * PZ;
    const from = ((y & 31) << 10) | ((z & 31) << 5);
    const rock = chunkY === 0 && y < 0;
    cells[to] = cellOf(around[first], from | 31, rock);
    cells[to + 33] = cellOf(around[first + 2], from, rock);
    this.middle(around[first + 1], from, to + 1, (y + 1) * P + z + 1, false, rock);
  }

  private middle(chunk: Chunk | null, from: number, to: number, row: number, inner: boolean, rock: boolean): void {
    const { cells } = this;
    if (!chunk?.blocks) {
      const info = INFO[rock ? Block.Bedrock : (chunk?.block ?? 0)];
      const light = chunk?.light ?? null;
      if (light === null) cells.fill(info | (rock ? 0 : (chunk?.lightAll ?? DAYLIGHT)), to, to + 32);
      else for (let k = 0; k < 32; k++) cells[to + k] = info | light[from + k];
      this.note(row, info, inner, to);
      return;
    }
    this.mixed(chunk, from, to, row, inner);
  }

  /** mixed copies a row of a chunk that is not uniform, four cells at a time where they are alike. */
  private mixed(chunk: Chunk, from: number, to: number, row: number, inner: boolean): void {
    const { cells } = this;
    const blocks = chunk.blocks as BlockArray;
    const { words } = chunk;
    const { light, shades, lightAll } = chunk;
    const even = Math.imul(lightAll, 0x01010101);
    let solid = 0;
    let holes = 0;
    for (let k = 0; k < 32; k += 4) {
      const word = words === null ? UNLIKE : words[(from + k) >> 2];
      const shade = shades === null ? even : shades[(from + k) >> 2];
      if (alike(word) && alike(shade)) {
        const info = INFO[word & 255];
        const cell = info | (shade & 255);
        cells[to + k] = cell;
        cells[to + k + 1] = cell;
        cells[to + k + 2] = cell;
        cells[to + k + 3] = cell;
        const kind = (info >> KIND_SHIFT) & 15;
        if (kind === Kind.Air) continue;
        if (kind === Kind.Opaque) solid |= 15 << k;
        else if (kind === Kind.Cutout) holes |= 15 << k;
        else if (inner) for (let i = k; i < k + 4; i++) this.special[this.specials++] = to + i;
        continue;
      }
      for (let i = k; i < k + 4; i++) {
        const info = INFO[blocks[from + i]];
        cells[to + i] = info | (light === null ? lightAll : light[from + i]);
        const kind = (info >> KIND_SHIFT) & 15;
        if (kind === Kind.Air) continue;
        if (kind === Kind.Opaque) solid |= 1 << i;
        else if (kind === Kind.Cutout) holes |= 1 << i;
        else if (inner) this.special[this.specials++] = to + i;
      }
    }
    this.opaque.x[row] = solid;
    this.cutout.x[row] = holes;
  }

  /** note makes the bits of a row that is all one block. */
  private note(row: number, info: number, inner: boolean, to: number): void {
    const kind = (info >> KIND_SHIFT) & 15;
    if (kind === Kind.Opaque) this.opaque.x[row] = -1;
    else if (kind === Kind.Cutout) this.cutout.x[row] = -1;
    else if (inner && kind !== Kind.Air) for (let k = 0; k < 32; k++) this.special[this.specials++] = to + k;
  }

  private count(): void {
    let opaques = 0;
    let holes = 0;
    for (let y = 1; y <= 32; y++) {
      for (let z = 1; z <= 32; z++) {
        opaques += bitCount(this.opaque.x[y * P + z]);
        holes |= this.cutout.x[y * P + z];
      }
    }
    this.opaques = opaques;
    this.cutouts = holes !== 0;
  }
}

/** a word whose cells differ: of blocks of two bytes it is not known */
const UNLIKE = 1;

/** alike tells whether the four cells of a word are the same. */
function alike(word: number): boolean {
  return word === ((word << 8) | (word >>> 24));
}

function cellOf(chunk: Chunk | null, index: number, rock: boolean): number {
  if (rock) return INFO[Block.Bedrock];
  if (!chunk) return DAYLIGHT;
  return INFO[chunk.blockAt(index)] | chunk.lightAt(index);
}

function bitCount(v: number): number {
  v -= (v >>> 1) & 0x55555555;
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
