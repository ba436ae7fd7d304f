import { applyMove, type Cell, type Enter, type Frame, type Motion } from '../net/frame';
import { LeaveReason } from '../net/types';
import { Track } from './track';

/** An entity that is seen: who it is and what it does. */
export interface Seen {
  entity: number;
  kind: number;
  name: string;
  pose: number;
  held: number;
  /** armour from head to feet, 0 for none */
  worn: number[];
  track: Track;
  /** the cell whose entries count: a body that crosses may be in two for a while */
  home: string;
  /** performance.now() when it goes, if it was seen leaving; 0 otherwise */
  goneAt: number;
}

/** What a frame did with entities, besides moving them. */
export interface EntityNews {
  event(entity: number, event: number): void;
  removed(entity: number, reason: number): void;
}

/** A body that crosses a cell may leave one before it enters the other. */
const KEEP_MS = 500;

const NAKED = [0, 0, 0, 0];

interface InCell {
  entity: number;
  motion: Motion;
}

/** Everybody and everything that is seen, by the cells of the regions' frames. */
export class Entities {
  readonly all = new Map<number, Seen>();
  /** the bits of Pose that the node last said of the own body */
  ownPose = 0;
  private readonly cells = new Map<string, Map<number, InCell>>();

  /** `own` is the own entity: it is not shown. */
  apply(f: Frame, own: number, now: number, news: EntityNews): void {
    for (const c of f.cells) this.applyCell(f, c, own, now, news);
  }

  private applyCell(f: Frame, c: Cell, own: number, now: number, news: EntityNews): void {
    const key = `${f.regionX * 4 + (c.index & 3)},${f.regionZ * 4 + (c.index >> 2)}`;
    let cell = this.cells.get(key);
    if (!cell) this.cells.set(key, (cell = new Map()));
    const before = c.keyframe ? new Map(cell) : null;
    if (c.keyframe) cell.clear();
    for (const l of c.leaves) this.leave(cell, key, l, now, news);
    for (const e of c.enters) if (e.entity !== own) this.enter(f, cell, key, e);
      else {
        cell.set(e.handle, { entity: own, motion: { ...e } });
        this.ownPose = e.pose;
      }
    if (before) this.forgotten(before, key, now);
    for (const m of c.moves) {
      const known = cell.get(m.handle);
      if (!known) continue;
      applyMove(m, known.motion);
      const seen = this.all.get(known.entity);
      if (seen?.home === key) this.sample(f, seen, known.motion);
    }
    for (const s of c.states) {
      if (cell.get(s.handle)?.entity === own) this.ownPose = s.pose;
      const seen = this.all.get(cell.get(s.handle)?.entity ?? -1);
      if (seen) Object.assign(seen, { pose: s.pose, held: s.held });
    }
    for (const w of c.wears) {
      const seen = this.all.get(cell.get(w.handle)?.entity ?? -1);
      if (seen) seen.worn = w.worn;
    }
    for (const e of c.events) {
      const known = cell.get(e.handle);
      if (known) news.event(known.entity, e.event);
    }
  }

  private enter(f: Frame, cell: Map<number, InCell>, key: string, e: Enter): void {
    const { x, y, z, dx, dz, yaw, pitch } = e;
    const motion = { x, y, z, dx, dz, yaw, pitch };
    cell.set(e.handle, { entity: e.entity, motion });
    let seen = this.all.get(e.entity);
    if (!seen) {
      seen = { entity: e.entity, kind: e.kind, name: e.name, pose: e.pose, held: e.held, worn: NAKED, track: new Track(), home: key, goneAt: 0 };
      this.all.set(e.entity, seen);
    }
    Object.assign(seen, { kind: e.kind, name: e.name || seen.name, pose: e.pose, held: e.held, worn: NAKED, home: key, goneAt: 0 });
    this.sample(f, seen, motion);
  }

  private leave(cell: Map<number, InCell>, key: string, l: { handle: number; reason: number }, now: number, news: EntityNews): void {
    const known = cell.get(l.handle);
    cell.delete(l.handle);
    const seen = known && this.all.get(known.entity);
    if (!seen || seen.home !== key) return;
    if (l.reason === LeaveReason.Elsewhere) {
      seen.goneAt = now + KEEP_MS;
      return;
    }
    this.all.delete(seen.entity);
    news.removed(seen.entity, l.reason);
  }

  /** What a keyframe no longer names goes, unless another cell names it soon. */
  private forgotten(before: Map<number, InCell>, key: string, now: number): void {
    const still = new Set([...this.cells.get(key)!.values()].map((k) => k.entity));
    for (const { entity } of before.values()) {
      const seen = this.all.get(entity);
      if (seen?.home === key && !still.has(entity)) seen.goneAt = now + KEEP_MS;
    }
  }

  private sample(f: Frame, seen: Seen, m: Motion): void {
    seen.track.add({
      tick: f.tick,
      x: f.regionX * 128 + m.x / 64,
      y: m.y / 64,
      z: f.regionZ * 128 + m.z / 64,
      yaw: (m.yaw / 256) * 2 * Math.PI,
      pitch: (m.pitch / 256) * 2 * Math.PI,
    });
  }

  /** Forgets who is in a column that was unloaded. */
  unload(x: number, z: number, now: number): void {
    const key = `${x},${z}`;
    this.cells.delete(key);
    for (const seen of this.all.values()) if (seen.home === key && !seen.goneAt) seen.goneAt = now + KEEP_MS;
  }

  /** Removes those whose time has come; to be called now and then. */
  expire(now: number, removed: (entity: number) => void): void {
    for (const seen of this.all.values()) {
      if (seen.goneAt === 0 || now < seen.goneAt) continue;
      this.all.delete(seen.entity);
      removed(seen.entity);
    }
  }

  clear(removed: (entity: number) => void): void {
    for (const id of this.all.keys()) removed(id);
    this.all.clear();
    this.cells.clear();
    this.ownPose = 0;
  }
}
