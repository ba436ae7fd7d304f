// Sky light and lamp light: a flood over the loaded chunks, kept up to date
// with every edit. Light is 0 to 15; a step costs what COST says, sunlight
// falls through clear blocks for nothing.

import { CHUNKS, HEIGHT } from '../engine/bits';
import { Chunk, DAYLIGHT, FACES, type Column, type World } from './chunk';
import { clearSky, COST, EMIT, IDS, OPAQUE } from './tables';

/** Which half of a light byte: the shift to it. */
export const SKY = 4;
export const LAMP = 0;
type Channel = typeof SKY | typeof LAMP;

const STEP = [-1024, 1024, -32, 32, -1, 1];
/** the coordinate of an index that a face moves along, as a mask of its bits */
const AXIS = [31 << 10, 31 << 10, 31 << 5, 31 << 5, 31, 31];
/** the value of those bits beyond which the face leads out of the chunk */
const LAST = [0, 31 << 10, 0, 31 << 5, 0, 31];

/** for each cell the borders it lies at, as bits 1–6 of Chunk.touched, and bit 0 */
const BORDER = new Uint8Array(32768);
for (let i = 0; i < 32768; i++) {
  let bits = 1;
  for (let f = 0; f < FACES; f++) if ((i & AXIS[f]) === LAST[f]) bits |= 2 << f;
  BORDER[i] = bits;
}

/** A first-in first-out queue of cells, each chunk id * 32768 + index. */
class Queue {
  private items = new Uint32Array(1 << 14);
  private head = 0;
  private tail = 0;

  get empty(): boolean {
    return this.head === this.tail;
  }

  push(cell: number): void {
    this.items[this.tail] = cell;
    this.tail = (this.tail + 1) & (this.items.length - 1);
    if (this.tail === this.head) this.grow();
  }

  pop(): number {
    const cell = this.items[this.head];
    this.head = (this.head + 1) & (this.items.length - 1);
    return cell;
  }

  private grow(): void {
    const n = this.items.length;
    const bigger = new Uint32Array(n * 2);
    bigger.set(this.items.subarray(this.head));
    bigger.set(this.items.subarray(0, this.head), n - this.head);
    this.items = bigger;
    this.head = 0;
    this.tail = n;
  }
}

/** Light keeps the light of a world right. */
export class Light {
  private readonly grow = new Queue();
  private readonly shrink = new Queue();
  private readonly shrinkFrom = new Queue();
  private touchedChunks: Chunk[] = [];
  /** sunlight falls straight through, by block */
  private readonly clear = Uint8Array.from({ length: IDS }, (_, b) => (clearSky(b) ? 1 : 0));

  constructor(private readonly world: World) {}

  /** touched returns the chunks whose light changed since the last call; their `touched` says where. */
  takeTouched(): Chunk[] {
    const out = this.touchedChunks;
    this.touchedChunks = [];
    return out;
  }

  /** mark notes that a cell looks different now. */
  mark(chunk: Chunk, index: number): void {
    if (chunk.touched === 0) this.touchedChunks.push(chunk);
    chunk.touched |= BORDER[index];
  }

  /** add lights a column that has just been linked into the world, and what it lets light into. */
  add(column: Column): void {
    this.sunlight(column);
    this.seedSky(column);
    this.flood(SKY);
    this.seedLamps(column);
    this.flood(LAMP);
    this.letIn(column, SKY);
    this.flood(SKY);
    this.letIn(column, LAMP);
    this.flood(LAMP);
  }

  /** sunlight fills what the sun reaches straight from above, and notes the heights. */
  private sunlight(column: Column): void {
    const open = new Uint8Array(1024).fill(1);
    let left = 1024;
    for (let cy = CHUNKS - 1; cy >= 0; cy--) {
      const chunk = column.chunks[cy];
      chunk.darken();
      if (left === 0) continue;
      if (!chunk.blocks && this.clear[chunk.block] === 1) {
        if (left === 1024) chunk.lightAll = DAYLIGHT;
        else this.fillOpen(chunk, open);
        continue;
      }
      const light = chunk.ownLight();
      for (let y = 31; y >= 0 && left > 0; y--) {
        for (let i = 0, at = y << 10; i < 1024; i++, at++) {
          if (open[i] === 0) continue;
          if (this.clear[chunk.blockAt(at)] === 1) {
            light[at] = DAYLIGHT;
            continue;
          }
          open[i] = 0;
          left--;
          column.heights[i] = cy * 32 + y + 1;
        }
      }
    }
    for (let i = 0; i < 1024; i++) if (open[i] === 1) column.heights[i] = 0;
  }

  private fillOpen(chunk: Chunk, open: Uint8Array): void {
    const light = chunk.ownLight();
    for (let at = 0; at < light.length; at++) if (open[at & 1023] === 1) light[at] = DAYLIGHT;
  }

  /** seedSky queues the sunlit cells that have something darker beside or below them. */
  private seedSky(column: Column): void {
    const { heights } = column;
    const north = this.world.column(column.x, column.z - 1);
    const south = this.world.column(column.x, column.z + 1);
    const west = this.world.column(column.x - 1, column.z);
    const east = this.world.column(column.x + 1, column.z);
    for (let z = 0; z < 32; z++) {
      for (let x = 0; x < 32; x++) {
        const i = (z << 5) | x;
        const h = heights[i];
        if (h >= HEIGHT) {
          this.lightTop(column, i);
          continue;
        }
        let top = h;
        const w = x > 0 ? heights[i - 1] : west ? west.heights[i + 31] : 0;
        const e = x < 31 ? heights[i + 1] : east ? east.heights[i - 31] : 0;
        const n = z > 0 ? heights[i - 32] : north ? north.heights[i + 992] : 0;
        const s = z < 31 ? heights[i + 32] : south ? south.heights[i - 992] : 0;
        if (w > top) top = w;
        if (e > top) top = e;
        if (n > top) top = n;
        if (s > top) top = s;
        for (let y = h; y < top || y === h; y++) {
          this.grow.push(column.chunks[y >> 5].id * 32768 + (((y & 31) << 10) | i));
        }
      }
    }
  }

  /** lightTop gives the topmost cell its share of sky if it is neither clear nor opaque. */
  private lightTop(column: Column, i: number): void {
    const chunk = column.chunks[CHUNKS - 1];
    const at = (31 << 10) | i;
    const level = skyFromAbove(chunk.blockAt(at));
    if (level > 0) this.raise(chunk, at, SKY, level);
  }

  private seedLamps(column: Column): void {
    for (const chunk of column.chunks) {
      if (!chunk.blocks) {
        if (EMIT[chunk.block] > 0) for (let at = 0; at < 32768; at++) this.raise(chunk, at, LAMP, EMIT[chunk.block]);
        continue;
      }
      const blocks = chunk.blocks;
      for (let at = 0; at < blocks.length; at++) {
        if (EMIT[blocks[at]] > 0) this.raise(chunk, at, LAMP, EMIT[blocks[at]]);
      }
    }
  }

  /** letIn queues the cells of the neighbours that shine into a new column. */
  private letIn(column: Column, channel: Channel): void {
    for (const chunk of column.chunks) {
      for (let face = 2; face < FACES; face++) {
        const other = chunk.near[face];
        if (!other || (!other.light && other.lightAll === 0)) continue;
        if (!other.light && !chunk.light && other.lightAll === chunk.lightAll) continue;
        this.letInFrom(chunk, other, face, channel);
      }
    }
  }

  private letInFrom(chunk: Chunk, other: Chunk, face: number, channel: Channel): void {
    const along = face < 4 ? 1 : 32;
    const mine = LAST[face];
    const theirs = LAST[face ^ 1];
    for (let y = 0; y < 32; y++) {
      for (let k = 0; k < 32; k++) {
        const offset = (y << 10) | (k * along);
        const level = (other.lightAt(theirs | offset) >> channel) & 15;
        if (level < 2 || level <= ((chunk.lightAt(mine | offset) >> channel) & 15) + 1) continue;
        this.grow.push(other.id * 32768 + (theirs | offset));
      }
    }
  }

  /** raise sets a cell's light and queues it to spread. */
  private raise(chunk: Chunk, index: number, channel: Channel, level: number): void {
    const light = chunk.ownLight();
    if (((light[index] >> channel) & 15) >= level) return;
    light[index] = (light[index] & ~(15 << channel)) | (level << channel);
    this.mark(chunk, index);
    this.grow.push(chunk.id * 32768 + index);
  }

  /** flood spreads the light of the queued cells until nothing changes. */
  private flood(channel: Channel): void {
    const { grow, world, clear } = this;
    while (!grow.empty) {
      const cell = grow.pop();
      const chunk = world.chunks[cell >>> 15] as Chunk;
      const index = cell & 32767;
      const level = (chunk.lightAt(index) >> channel) & 15;
      if (level < 2) continue;
      for (let face = 0; face < FACES; face++) {
        let to: Chunk | null = chunk;
        let at = index + STEP[face];
        if ((index & AXIS[face]) === LAST[face]) {
          to = chunk.near[face];
          if (!to) continue;
          at = (index & ~AXIS[face]) | LAST[face ^ 1];
        }
        const b = to.blocks ? to.blocks[at] : to.block;
        const have = ((to.light ? to.light[at] : to.lightAll) >> channel) & 15;
        if (have >= level - 1 && !(face === 0 && level === 15 && have < 15)) continue;
        const cost = COST[b];
        const next = face === 0 && level === 15 && channel === SKY && clear[b] === 1 ? 15 : level - cost;
        if (next <= have) continue;
        const light = to.light ?? to.ownLight();
        light[at] = (light[at] & ~(15 << channel)) | (next << channel);
        this.mark(to, at);
        grow.push(to.id * 32768 + at);
      }
    }
  }

  /** edit puts a block at a place of a loaded chunk and mends the light around it. */
  edit(chunk: Chunk, index: number, b: number): void {
    const before = chunk.blockAt(index);
    if (before === b) return;
    chunk.ownBlocks()[index] = b;
    this.mark(chunk, index);
    this.updateHeight(chunk.column, index & 1023);
    if (OPAQUE[before] === OPAQUE[b] && COST[before] === COST[b] && EMIT[before] === EMIT[b] && this.clear[before] === this.clear[b]) return;
    this.relight(chunk, index, SKY);
    this.relight(chunk, index, LAMP);
  }

  private updateHeight(column: Column, i: number): void {
    let y = HEIGHT;
    while (y > 0 && this.clear[column.chunks[(y - 1) >> 5].blockAt((((y - 1) & 31) << 10) | i)] === 1) y--;
    column.heights[i] = y;
  }

  /** relight takes away what came through a cell and lets light back in from around it. */
  private relight(chunk: Chunk, index: number, channel: Channel): void {
    const level = (chunk.lightAt(index) >> channel) & 15;
    this.darken(chunk, index, channel);
    this.shrink.push(chunk.id * 32768 + index);
    this.shrinkFrom.push(level);
    while (!this.shrink.empty) this.shrinkCell(this.shrink.pop(), this.shrinkFrom.pop(), channel);
    this.flood(channel);
  }

  private shrinkCell(cell: number, level: number, channel: Channel): void {
    const chunk = this.world.chunks[cell >>> 15] as Chunk;
    const index = cell & 32767;
    this.ownSource(chunk, index, channel);
    for (let face = 0; face < FACES; face++) {
      let to: Chunk | null = chunk;
      let at = index + STEP[face];
      if ((index & AXIS[face]) === LAST[face]) {
        to = chunk.near[face];
        if (!to) continue;
        at = (index & ~AXIS[face]) | LAST[face ^ 1];
      }
      const have = (to.lightAt(at) >> channel) & 15;
      if (have === 0) continue;
      if (have < level || (channel === SKY && face === 0 && level === 15 && have === 15)) {
        this.darken(to, at, channel);
        this.shrink.push(to.id * 32768 + at);
        this.shrinkFrom.push(have);
      } else {
        this.grow.push(to.id * 32768 + at);
      }
    }
  }

  /** ownSource queues the light that a darkened cell has from nobody else: a lamp's own, the sky over the top. */
  private ownSource(chunk: Chunk, index: number, channel: Channel): void {
    const b = chunk.blockAt(index);
    if (channel === LAMP && EMIT[b] > 0) this.raise(chunk, index, LAMP, EMIT[b]);
    if (channel === SKY && chunk.y === CHUNKS - 1 && index >> 10 === 31 && skyFromAbove(b) > 0) {
      this.raise(chunk, index, SKY, skyFromAbove(b));
    }
  }

  private darken(chunk: Chunk, index: number, channel: Channel): void {
    const light = chunk.ownLight();
    if (((light[index] >> channel) & 15) === 0) return;
    light[index] &= ~(15 << channel);
    this.mark(chunk, index);
  }
}

/** skyFromAbove is the sky light in a block that has nothing but sky above. */
function skyFromAbove(b: number): number {
  return clearSky(b) ? 15 : Math.max(0, 15 - COST[b]);
}
