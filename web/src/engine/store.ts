// The main thread's copy of the loaded blocks, kept as packed as it came:
// physics and the ray that looks for a block read it every frame.

import { blockAt, CHUNKS, HEIGHT, VOLUME, type PackedChunk } from './bits';

type Chunk = PackedChunk | Uint16Array | null;

/** What block() answers where nothing is loaded. */
export const UNKNOWN = -1;

const key = (x: number, z: number): number => (x + 0x8000) * 0x10000 + (z + 0x8000);

export class BlockStore {
  private readonly columns = new Map<number, Chunk[]>();

  get size(): number {
    return this.columns.size;
  }

  has(x: number, z: number): boolean {
    return this.columns.has(key(x, z));
  }

  set(x: number, z: number, chunks: (PackedChunk | null)[]): void {
    this.columns.set(key(x, z), chunks);
  }

  delete(x: number, z: number): void {
    this.columns.delete(key(x, z));
  }

  /** block returns the block at a place: UNKNOWN if its column is not loaded, air above the world, `floor` below. */
  block(x: number, y: number, z: number, floor: number): number {
    if (y < 0) return floor;
    if (y >= HEIGHT) return 0;
    const column = this.columns.get(key(x >> 5, z >> 5));
    if (!column) return UNKNOWN;
    const chunk = column[y >> 5];
    if (!chunk) return 0;
    const index = ((y & 31) << 10) | ((z & 31) << 5) | (x & 31);
    return chunk instanceof Uint16Array ? chunk[index] : blockAt(chunk, index);
  }

  /** setBlock changes a block and reports whether its column is loaded. */
  setBlock(x: number, y: number, z: number, b: number): boolean {
    const column = this.columns.get(key(x >> 5, z >> 5));
    if (!column || y < 0 || y >= CHUNKS * 32) return false;
    column[y >> 5] = unpacked(column[y >> 5]);
    (column[y >> 5] as Uint16Array)[((y & 31) << 10) | ((z & 31) << 5) | (x & 31)] = b;
    return true;
  }
}

function unpacked(chunk: Chunk): Uint16Array {
  if (chunk instanceof Uint16Array) return chunk;
  const out = new Uint16Array(VOLUME);
  if (chunk) for (let i = 0; i < VOLUME; i++) out[i] = blockAt(chunk, i);
  return out;
}
