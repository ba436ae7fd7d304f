import { up } from '../net/codec';
import { decodeFrame, type Frame } from '../net/frame';
import { FrameOrder } from '../net/order';
import { WireError } from '../net/reader';
import { LeaveReason, type Message } from '../net/types';
import type { GameState } from './state';
import type { Viewer } from './viewer';

/** The body moves once the columns around it are there: this many to each side. */
const NEAR = 1;
/** Old columns that the node did not send again after reconnecting go after this. */
const STALE_MS = 8000;

type ColumnMessage = Extract<Message, { type: 'column' }>;

/** What frames change in the game. */
export interface FramesGame extends GameState {
  readonly viewer: Viewer;
  /** A frame has said something of the own body. */
  heard(now: number): void;
  /** The node put the body somewhere else. */
  corrected(flags: number, jumped: boolean): void;
  send(data: Uint8Array<ArrayBuffer>): boolean;
}

/** Brings columns and frames into the game, in order. */
export class Frames {
  /** frames whose columns are still being unpacked wait here */
  private readonly waiting = new Map<string, { place: number; block: number }[]>();
  private readonly stale = new Set<string>();
  readonly loaded = new Set<string>();
  garbage = 0;
  /** frames, and what we send, may be lost on the way */
  lossy = false;
  private readonly order: FrameOrder;

  constructor(private readonly game: FramesGame) {
    this.order = new FrameOrder((x, z) => game.send(up.missed(x, z)));
  }

  /** A new connection: columns come again; the old ones are shown until then. */
  begin(): void {
    this.order.reset();
    this.lossy = false;
    this.waiting.clear();
    this.stale.clear();
    for (const key of this.loaded) this.stale.add(key);
    setTimeout(() => this.dropStale(), STALE_MS);
    this.loaded.clear();
  }

  private dropStale(): void {
    for (const key of this.stale) {
      const [x, z] = key.split(',').map(Number) as [number, number];
      if (!this.loaded.has(key)) this.game.engine.unloadColumn(x, z);
    }
    this.stale.clear();
  }

  column(m: ColumnMessage): void {
    const key = `${m.x},${m.z}`;
    this.waiting.set(key, []);
    this.stale.delete(key);
    this.game.edits.forgetColumn(m.x, m.z);
    try {
      this.game.engine.setColumn(m.x, m.z, m.mask, m.deflated);
    } catch (e) {
      this.bad(e);
    }
  }

  /** The engine has a column's blocks now. */
  columnReady(x: number, z: number): void {
    const key = `${x},${z}`;
    const late = this.waiting.get(key);
    this.waiting.delete(key);
    this.loaded.add(key);
    for (const b of late ?? []) this.block(x, z, b.place, b.block);
    this.checkReady();
  }

  unload(x: number, z: number): void {
    const key = `${x},${z}`;
    this.waiting.delete(key);
    this.loaded.delete(key);
    this.stale.delete(key);
    this.game.engine.unloadColumn(x, z);
    this.game.entities.unload(x, z, performance.now());
  }

  /** Begins the game once the land around the body is there, and holds it while it is not. */
  checkReady(): void {
    const g = this.game;
    if (!g.welcome || !g.connected) return; // columns are still unpacked after the connection was lost
    const { x, z } = g.predictor.body;
    const cx = Math.floor(x / 4096) >> 5;
    const cz = Math.floor(z / 4096) >> 5;
    let done = 0;
    for (let dz = -NEAR; dz <= NEAR; dz++) {
      for (let dx = -NEAR; dx <= NEAR; dx++) if (this.loaded.has(`${cx + dx},${cz + dz}`)) done++;
    }
    const all = (2 * NEAR + 1) ** 2;
    if (!g.ready) g.events.emit('loading', { done, all });
    if (!g.ready && done === all) {
      g.ready = true;
      g.events.emit('ready', undefined);
    }
  }

  frame(body: Uint8Array): void {
    let f: Frame;
    try {
      f = decodeFrame(body);
    } catch (e) {
      return this.bad(e);
    }
    this.lossy = f.number >= 0;
    for (const next of this.order.take(f)) this.apply(next);
  }

  private apply(f: Frame): void {
    const g = this.game;
    const now = performance.now();
    g.clock.arrived(f.tick, now);
    g.entities.apply(f, g.welcome?.entity ?? -1, now, {
      event: (entity, event) => g.events.emit('entityEvent', { entity, event }),
      removed: (entity, reason) => {
        if (reason === LeaveReason.Taken) g.events.emit('taken', { entity });
        g.engine.removeEntity(entity);
      },
    });
    this.blocks(f);
    if (f.correction || f.ack >= 0) g.heard(now);
    if (f.correction) {
      const jumped = g.predictor.correct(f.correction, f.ack, g.self.mode);
      g.corrected(f.correction.flags, jumped);
    } else if (f.ack >= 0) g.predictor.acknowledge(f.ack);
  }

  private blocks(f: Frame): void {
    for (const c of f.cells) {
      const x = f.regionX * 4 + (c.index & 3);
      const z = f.regionZ * 4 + (c.index >> 2);
      const late = this.waiting.get(`${x},${z}`);
      for (const b of c.blocks) {
        if (late) late.push(b);
        else this.block(x, z, b.place, b.block);
      }
      for (const k of c.cracks) {
        this.game.engine.crack(x * 32 + (k.place & 31), k.place >> 10, z * 32 + ((k.place >> 5) & 31), k.stage);
      }
    }
  }

  private block(cx: number, cz: number, place: number, b: number): void {
    const g = this.game;
    const [x, y, z] = [cx * 32 + (place & 31), place >> 10, cz * 32 + ((place >> 5) & 31)];
    const before = g.engine.block(x, y, z);
    if (g.edits.confirm(x, y, z, b)) g.viewer.changed(x, y, z, before, b);
  }

  private bad(e: unknown): void {
    if (!(e instanceof WireError)) console.error(e);
    this.garbage++;
  }
}
