// The worker's world: chunks of blocks and light, linked to their neighbours.

import { blockAt, CHUNKS, VOLUME, type PackedChunk } from '../engine/bits';
import { BLOCK_COUNT, Block } from '../gen/blocks';

/** Faces as in the protocol: 0 −y, 1 +y, 2 −z, 3 +z, 4 −x, 5 +x; the opposite of f is f ^ 1. */
export const FACES = 6;

/** Light of open air under the sky: sky light in the high four bits, lamp light in the low four. */
export const DAYLIGHT = 0xf0;

/** Blocks are held as bytes, half the memory, unless packs of the world have greater ids. */
export type BlockArray = Uint8Array | Uint16Array;
const Blocks = BLOCK_COUNT > 256 ? Uint16Array : Uint8Array;

/** A chunk; its cells are at y<<10 | z<<5 | x. A uniform chunk has no array. */
export class Chunk {
  blocks: BlockArray | null = null;
  /** the same memory, four cells at a time; null if blocks take two bytes */
  words: Int32Array | null = null;
  /** the block that a chunk without an array is made of */
  block = 0;
  light: Uint8Array | null = null;
  /** the same memory, four cells at a time */
  shades: Int32Array | null = null;
  /** the light all over a chunk without an array */
  lightAll = 0;
  readonly near: (Chunk | null)[] = [null, null, null, null, null, null];
  /** bit 0: light or blocks changed; bits 1–6: at the border to face (bit − 1) */
  touched = 0;
  /** its mesh is out of date */
  dirty = false;
  /** counts up with each mesh, so that an old one never replaces a new one */
  version = 0;

  constructor(
    readonly column: Column,
    readonly y: number,
    /** place in World.chunks */
    readonly id: number,
  ) {}

  blockAt(index: number): number {
    return this.blocks ? this.blocks[index] : this.block;
  }

  lightAt(index: number): number {
    return this.light ? this.light[index] : this.lightAll;
  }

  /** ownBlocks gives a uniform chunk an array to write to. */
  ownBlocks(): BlockArray {
    return this.blocks ?? this.take(new Blocks(VOLUME).fill(this.block));
  }

  private take(blocks: Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>): BlockArray {
    this.blocks = blocks;
    if (blocks instanceof Uint8Array) this.words = new Int32Array(blocks.buffer);
    return blocks;
  }

  ownLight(): Uint8Array {
    if (this.light) return this.light;
    const light = new Uint8Array(VOLUME).fill(this.lightAll);
    this.shades = new Int32Array(light.buffer);
    return (this.light = light);
  }

  /** darken takes all light away. */
  darken(): void {
    this.light = this.shades = null;
    this.lightAll = 0;
  }

  /** load fills the chunk from its packed form. */
  load(packed: PackedChunk | null): void {
    if (!packed) return;
    const palette = new Blocks(packed.palette.map((b) => (b < BLOCK_COUNT ? b : Block.Bedrock)));
    if (packed.bits === 0) {
      this.block = palette[0];
      return;
    }
    unpack(packed, palette, this.take(new Blocks(VOLUME)));
  }
}

/** unpack writes every block of a packed chunk that is not uniform. */
function unpack(packed: PackedChunk, palette: BlockArray, out: BlockArray): void {
  const { bits, data } = packed;
  if (bits > 8) {
    for (let i = 0; i < VOLUME; i++) out[i] = blockAt(packed, i);
    return;
  }
  const mask = (1 << bits) - 1;
  for (let at = 0, i = 0; i < VOLUME; at++) {
    for (let byte = data[at], n = 8 / bits; n > 0; n--, byte >>= bits) out[i++] = palette[byte & mask];
  }
}

/** Eight chunks on top of each other. */
export class Column {
  readonly chunks: Chunk[] = [];
  /** for each z<<5 | x the lowest y that sunlight reaches at full strength, 0 to 256 */
  readonly heights = new Uint16Array(1024);
  /** its chunks have been meshed at least once, or are queued to be */
  shown = false;

  constructor(
    readonly x: number,
    readonly z: number,
  ) {}
}

const columnKey = (x: number, z: number): number => (x + 0x8000) * 0x10000 + (z + 0x8000);

/** The loaded columns. */
export class World {
  private readonly columns = new Map<number, Column>();
  /** chunks by id, for queues that hold numbers instead of objects */
  readonly chunks: (Chunk | null)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.columns.size;
  }

  column(x: number, z: number): Column | null {
    return this.columns.get(columnKey(x, z)) ?? null;
  }

  all(): IterableIterator<Column> {
    return this.columns.values();
  }

  /** add makes a column of packed chunks and links it; an old one at its place goes first. */
  add(x: number, z: number, packed: (PackedChunk | null)[]): Column {
    this.remove(x, z);
    const column = new Column(x, z);
    for (let y = 0; y < CHUNKS; y++) {
      const id = this.free.pop() ?? this.chunks.length;
      const chunk = new Chunk(column, y, id);
      chunk.load(packed[y]);
      this.chunks[id] = chunk;
      column.chunks.push(chunk);
    }
    this.columns.set(columnKey(x, z), column);
    this.link(column);
    return column;
  }

  private link(column: Column): void {
    const sides = [
      [2, 0, -1],
      [3, 0, 1],
      [4, -1, 0],
      [5, 1, 0],
    ];
    for (let y = 0; y < CHUNKS; y++) {
      const chunk = column.chunks[y];
      chunk.near[0] = column.chunks[y - 1] ?? null;
      chunk.near[1] = column.chunks[y + 1] ?? null;
      for (const [face, dx, dz] of sides) {
        const other = this.column(column.x + dx, column.z + dz)?.chunks[y] ?? null;
        chunk.near[face] = other;
        if (other) other.near[face ^ 1] = chunk;
      }
    }
  }

  remove(x: number, z: number): Column | null {
    const column = this.column(x, z);
    if (!column) return null;
    for (const chunk of column.chunks) {
      for (let face = 2; face < FACES; face++) {
        const other = chunk.near[face];
        if (other) other.near[face ^ 1] = null;
      }
      this.chunks[chunk.id] = null;
      this.free.push(chunk.id);
    }
    this.columns.delete(columnKey(x, z));
    return column;
  }

  /** surrounded tells whether all eight columns around one are loaded. */
  surrounded(x: number, z: number): boolean {
    for (let dz = -1; dz <= 1; dz++) {
      for (let dx = -1; dx <= 1; dx++) if (!this.column(x + dx, z + dz)) return false;
    }
    return true;
  }
}
