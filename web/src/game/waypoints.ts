// Places that a player has marked, remembered by the browser for each world.

export interface Waypoint {
  name: string;
  x: number;
  y: number;
  z: number;
}

/** more than these are a list that nobody reads */
export const MOST_WAYPOINTS = 24;
const STORE_KEY = 'voxelpopuli.waypoints';
const LONGEST_NAME = 24;

/** Where to keep them; localStorage, or something like it. */
type Store = Pick<Storage, 'getItem' | 'setItem'>;

const isWaypoint = (w: unknown): w is Waypoint => {
  const { name, x, y, z } = (w ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && [x, y, z].every((v) => Number.isFinite(v));
};

export class Waypoints {
  list: Waypoint[] = [];
  private world = '';

  constructor(private readonly store: Store) {}

  /** Those of a world; what cannot be read is left out. */
  enter(world: string): void {
    this.world = world;
    const all = this.all()[world];
    this.list = (Array.isArray(all) ? all : []).filter(isWaypoint).slice(0, MOST_WAYPOINTS);
  }

  /** Marks a place; the oldest gives way if there are too many. */
  add(name: string, x: number, y: number, z: number): Waypoint {
    const w = { name: name.slice(0, LONGEST_NAME), x: Math.floor(x), y: Math.floor(y), z: Math.floor(z) };
    this.list = [...this.list, w].slice(-MOST_WAYPOINTS);
    this.save();
    return w;
  }

  rename(w: Waypoint, name: string): void {
    w.name = name.slice(0, LONGEST_NAME);
    this.save();
  }

  remove(w: Waypoint): void {
    this.list = this.list.filter((o) => o !== w);
    this.save();
  }

  private all(): Record<string, unknown> {
    try {
      return (JSON.parse(this.store.getItem(STORE_KEY) ?? '{}') ?? {}) as Record<string, unknown>;
    } catch {
      return {};
    }
  }

  private save(): void {
    try {
      this.store.setItem(STORE_KEY, JSON.stringify({ ...this.all(), [this.world]: this.list }));
    } catch {
      // private windows forbid it: they last as long as the page
    }
  }
}
