// The main thread's end of the world worker, and the copy of the blocks that
// physics reads.

import { forWorker } from '../content';
import { Block } from '../gen/blocks';
import type { Measured } from '../world/measure';
import type { ChunkMesh, FromWorker, ToWorker } from '../world/protocol';
import { parseChunks } from './bits';
import { BlockStore } from './store';

/** What the link tells the engine. */
export interface LinkEvents {
  column(x: number, z: number): void;
  meshes(meshes: ChunkMesh[]): void;
  light(light: Uint8Array): void;
  far(x: number, z: number, heights: Uint8Array, tops: Uint16Array): void;
}

interface Pending {
  generation: number;
  loaded: boolean;
  /** x, y, z, block of edits that came before the blocks were there */
  edits: number[];
}

const key = (x: number, z: number): number => (x + 0x8000) * 0x10000 + (z + 0x8000);

export class WorldLink {
  queue = 0;
  meshMs = 0;
  lightMs = 0;
  private readonly store = new BlockStore();
  private readonly columns = new Map<number, Pending>();
  private generation = 0;
  private edits: number[] = [];
  private worker: Worker;
  /** what was sent to a worker that has not begun */
  private unheard: ToWorker[] | null = [];
  private measuring: ((m: Measured) => void) | null = null;

  constructor(private readonly events: LinkEvents) {
    this.worker = this.begin();
  }

  /**
   * Begins a worker; another one if its scripts could not be fetched: browsers break off what
   * is under way when the network changes. At most four times.
   */
  private begin(tried = 0): Worker {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: forWorker });
    worker.onmessage = (e: MessageEvent<FromWorker>) => this.receive(e.data);
    worker.onerror = () => {
      if (!this.unheard || tried === 3) return;
      setTimeout(() => {
        this.worker = this.begin(tried + 1);
        for (const m of this.unheard ?? []) this.worker.postMessage(m);
      }, 500);
    };
    return worker;
  }

  get size(): number {
    return this.store.size;
  }

  load(x: number, z: number, mask: number, deflated: Uint8Array): void {
    this.flush();
    const generation = ++this.generation;
    this.columns.set(key(x, z), { generation, loaded: false, edits: [] });
    this.post({ t: 'column', x, z, generation, mask, deflated });
  }

  unload(x: number, z: number): void {
    this.flush();
    this.columns.delete(key(x, z));
    this.store.delete(x, z);
    this.post({ t: 'unload', x, z });
  }

  clear(): void {
    for (const k of [...this.columns.keys()]) this.store.delete(Math.floor(k / 0x10000) - 0x8000, (k % 0x10000) - 0x8000);
    this.columns.clear();
    this.edits.length = 0;
    this.post({ t: 'clear' });
  }

  has(x: number, z: number): boolean {
    return this.store.has(x, z);
  }

  block(x: number, y: number, z: number): number {
    return this.store.block(x, y, z, Block.Bedrock);
  }

  /** setBlock changes a block at once here, and in the picture as soon as the worker has made new meshes. */
  setBlock(x: number, y: number, z: number, b: number): void {
    const column = this.columns.get(key(x >> 5, z >> 5));
    if (!column || y < 0 || y > 255) return;
    if (column.loaded) this.store.setBlock(x, y, z, b);
    else column.edits.push(x, y, z, b);
    if (this.edits.length === 0) queueMicrotask(() => this.flush());
    this.edits.push(x, y, z, b);
  }

  private flush(): void {
    if (this.edits.length === 0) return;
    this.post({ t: 'edits', list: Int32Array.from(this.edits) });
    this.edits.length = 0;
  }

  eye(x: number, z: number): void {
    this.post({ t: 'eye', x, z });
  }

  probe(places: Int32Array): void {
    this.post({ t: 'probe', places });
  }

  far(x: number, z: number, deflated: Uint8Array): void {
    this.post({ t: 'far', x, z, deflated });
  }

  /** measure lets the worker mesh all it holds again, for the lab. */
  measure(): Promise<Measured> {
    return new Promise((resolve) => {
      this.measuring = resolve;
      this.post({ t: 'measure' });
    });
  }

  private post(m: ToWorker): void {
    this.unheard?.push(m);
    this.worker.postMessage(m);
  }

  private receive(m: FromWorker): void {
    switch (m.t) {
      case 'begun':
        this.unheard = null;
        return;
      case 'column': {
        const column = this.columns.get(key(m.x, m.z));
        if (column?.generation !== m.generation) return;
        this.store.set(m.x, m.z, parseChunks(m.mask, m.raw));
        column.loaded = true;
        for (let i = 0; i < column.edits.length; i += 4) {
          const [x, y, z, b] = column.edits.slice(i, i + 4);
          this.store.setBlock(x, y, z, b);
        }
        column.edits.length = 0;
        return this.events.column(m.x, m.z);
      }
      case 'meshes':
        this.queue = m.queue;
        this.meshMs = m.meshMs;
        this.lightMs = m.lightMs;
        return this.events.meshes(m.meshes.filter((c) => this.columns.get(key(c.x, c.z))?.generation === c.generation));
      case 'light':
        return this.events.light(m.light);
      case 'far':
        return this.events.far(m.x, m.z, m.heights, m.tops);
      case 'measured':
        return this.measuring?.(m.result);
      case 'bad':
        console.warn(`column or tile ${m.x},${m.z} cannot be read: ${m.what}`);
    }
  }

  dispose(): void {
    this.worker.terminate();
  }
}
