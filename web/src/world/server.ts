// The world worker without its worker: takes messages, answers through `post`.
// It holds the loaded columns, keeps their light, and makes meshes, the nearest
// first. Work that can wait is done by step().

import { inflateSync } from 'fflate';
import { MalformedColumn, parseChunks, VOLUME } from '../engine/bits';
import { World, type Chunk, type Column } from './chunk';
import { FAR_CELLS, splitFar } from './far';
import { Light } from './light';
import { measureMeshes, percentile } from './measure';
import { Mesher } from './mesher';
import type { ChunkMesh, FromWorker, ToWorker } from './protocol';

export type Post = (m: FromWorker, transfer: ArrayBufferLike[]) => void;

/** an inflated column is never larger: eight chunks of 16-bit indices and their palettes */
const MAX_RAW = 8 * (VOLUME * 2 + VOLUME * 3 + 8);

export class WorldServer {
  private readonly world = new World();
  private readonly light = new Light(this.world);
  private readonly mesher = new Mesher();
  /** columns that are surrounded and wait for their first meshes */
  private readonly waiting = new Set<Column>();
  private readonly generations = new Map<Column, number>();
  private eyeX = 0;
  private eyeZ = 0;
  private readonly meshTimes: number[] = [];
  private readonly lightTimes: number[] = [];

  constructor(
    private readonly post: Post,
    private readonly now: () => number,
  ) {}

  receive(m: ToWorker): void {
    switch (m.t) {
      case 'column':
        return this.load(m.x, m.z, m.generation, m.mask, m.deflated);
      case 'unload':
        return this.unload(m.x, m.z);
      case 'edits':
        return this.edit(m.list);
      case 'eye':
        this.eyeX = m.x / 32;
        this.eyeZ = m.z / 32;
        return;
      case 'probe':
        return this.probe(m.places);
      case 'far':
        return this.far(m.x, m.z, m.deflated);
      case 'measure':
        return this.post({ t: 'measured', result: measureMeshes(this.world, this.now) }, []);
      case 'clear':
        for (const column of [...this.world.all()]) this.unload(column.x, column.z);
    }
  }

  /** step does one piece of waiting work and tells whether there is more. */
  step(): boolean {
    const column = this.nearest();
    if (!column) return false;
    this.waiting.delete(column);
    column.shown = true;
    this.send(column.chunks);
    return this.waiting.size > 0;
  }

  private load(x: number, z: number, generation: number, mask: number, deflated: Uint8Array): void {
    let raw: Uint8Array;
    try {
      raw = inflateSync(deflated);
      if (raw.length > MAX_RAW) throw new MalformedColumn(`column of ${raw.length} bytes`);
      const packed = parseChunks(mask, raw);
      const before = this.world.column(x, z);
      if (before) this.forget(before);
      const column = this.world.add(x, z, packed);
      this.generations.set(column, generation);
      const start = this.now();
      this.light.add(column);
      note(this.lightTimes, this.now() - start);
    } catch (err) {
      return this.post({ t: 'bad', what: err instanceof Error ? err.message : String(err), x, z }, []);
    }
    this.post({ t: 'column', x, z, generation, mask, raw }, [raw.buffer]);
    for (let dz = -1; dz <= 1; dz++) for (let dx = -1; dx <= 1; dx++) this.offer(x + dx, z + dz);
    this.refresh();
  }

  /** offer lets a column wait for its meshes if all around it is there. */
  private offer(x: number, z: number): void {
    const column = this.world.column(x, z);
    if (!column || !this.world.surrounded(x, z)) return;
    if (!column.shown) this.waiting.add(column);
    else for (const chunk of column.chunks) chunk.dirty = true; // a neighbour came anew
  }

  private forget(column: Column): void {
    this.waiting.delete(column);
    this.generations.delete(column);
  }

  private unload(x: number, z: number): void {
    const column = this.world.remove(x, z);
    if (!column) return;
    this.forget(column);
    for (let dz = -1; dz <= 1; dz++) {
      for (let dx = -1; dx <= 1; dx++) {
        const near = this.world.column(x + dx, z + dz);
        if (near) this.waiting.delete(near);
      }
    }
  }

  private nearest(): Column | null {
    let best: Column | null = null;
    let least = Infinity;
    for (const column of this.waiting) {
      const dx = column.x + 0.5 - this.eyeX;
      const dz = column.z + 0.5 - this.eyeZ;
      const distance = dx * dx + dz * dz;
      if (distance >= least) continue;
      least = distance;
      best = column;
    }
    return best;
  }

  private edit(list: Int32Array): void {
    for (let i = 0; i + 3 < list.length; i += 4) {
      const column = this.world.column(list[i] >> 5, list[i + 2] >> 5);
      const chunk = column?.chunks[list[i + 1] >> 5];
      if (chunk) this.light.edit(chunk, cellIndex(list[i], list[i + 1], list[i + 2]), list[i + 3]);
    }
    this.refresh();
  }

  /** refresh meshes what the last changes touched in columns that are seen, all in one message. */
  private refresh(): void {
    const again = new Set<Chunk>();
    for (const chunk of this.light.takeTouched()) {
      this.around(chunk, again);
      chunk.touched = 0;
    }
    for (const column of this.world.all()) {
      if (!column.shown) continue;
      for (const chunk of column.chunks) if (chunk.dirty) again.add(chunk);
    }
    if (again.size > 0) this.send([...again]);
  }

  /** around adds a touched chunk and the neighbours at the borders that were touched. */
  private around(chunk: Chunk, out: Set<Chunk>): void {
    const at = (face: number): number => (chunk.touched >> (face + 1)) & 1;
    for (let dy = -at(0); dy <= at(1); dy++) {
      for (let dz = -at(2); dz <= at(3); dz++) {
        for (let dx = -at(4); dx <= at(5); dx++) {
          const column = this.world.column(chunk.column.x + dx, chunk.column.z + dz);
          const near = column?.shown ? column.chunks[chunk.y + dy] : undefined;
          if (near) out.add(near);
        }
      }
    }
  }

  /** send meshes chunks and posts them together. */
  private send(chunks: Chunk[]): void {
    const meshes: ChunkMesh[] = [];
    for (const chunk of chunks) {
      chunk.dirty = false;
      const start = this.now();
      const mesh = this.mesher.mesh(this.world, chunk);
      if (chunk.blocks) note(this.meshTimes, this.now() - start);
      const { x, z } = chunk.column;
      meshes.push({ ...mesh, x, y: chunk.y, z, generation: this.generations.get(chunk.column) ?? 0 });
    }
    const transfer = meshes.filter((m) => m.data.length > 0).map((m) => m.data.buffer);
    const meshMs = percentile(this.meshTimes, 0.5);
    const lightMs = percentile(this.lightTimes, 0.5);
    this.post({ t: 'meshes', meshes, queue: this.waiting.size * 8, meshMs, lightMs }, transfer);
  }

  private probe(places: Int32Array): void {
    const light = new Uint8Array(places.length / 3).fill(0xf0);
    for (let i = 0; i < light.length; i++) {
      const [x, y, z] = places.subarray(i * 3, i * 3 + 3);
      const chunk = this.world.column(x >> 5, z >> 5)?.chunks[y >> 5];
      if (chunk) light[i] = chunk.lightAt(cellIndex(x, y, z));
    }
    this.post({ t: 'light', light }, [light.buffer]);
  }

  private far(x: number, z: number, deflated: Uint8Array): void {
    try {
      const { heights, tops } = splitFar(inflateSync(deflated, { out: new Uint8Array(FAR_CELLS * 3) }));
      this.post({ t: 'far', x, z, heights, tops }, [heights.buffer, tops.buffer]);
    } catch (err) {
      this.post({ t: 'bad', what: err instanceof Error ? err.message : String(err), x, z }, []);
    }
  }
}

function cellIndex(x: number, y: number, z: number): number {
  return ((y & 31) << 10) | ((z & 31) << 5) | (x & 31);
}

/** note keeps the last few hundred times. */
function note(times: number[], ms: number): void {
  times.push(ms);
  if (times.length > 400) times.splice(0, 200);
}
