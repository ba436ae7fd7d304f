import { ActKind, type Message } from '../net/types';
import type { Acts } from './acts';
import type { Stack } from './inventory';

/** The first slot of a container, as Store names it. */
export const CONTAINER = 64;
/** Wherever there is room on the other side. */
const ANYWHERE = 255;

/** What a container needs of the game. */
interface Surroundings {
  readonly acts: Acts;
  readonly events: { emit(event: 'container', of: Container): void };
}

/**
 * The container that is looked into, as the node last told. Moves are shown when the node
 * has made them: others may move the same things.
 */
export class Container {
  /** where it is; null: none is open */
  at: { x: number; y: number; z: number } | null = null;
  slots: Stack[] = [];
  /** of a furnace: ticks that its fire lasts, and that it has worked on what lies in it */
  heat = 0;
  work = 0;

  constructor(private readonly game: Surroundings) {}

  /** Asks for what is in it; it is open as soon as that comes. */
  open(x: number, y: number, z: number): void {
    this.at = { x, y, z };
    this.slots = [];
    this.refresh();
  }

  /** Says that we still look: the node tells of it for ten seconds. */
  refresh(): void {
    const { at } = this;
    if (!at) return;
    this.game.acts.do(ActKind.Open, at, (r) => {
      if (!r.ok && this.at === at) this.close();
    });
  }

  arrived(m: Extract<Message, { type: 'container' }>): void {
    const { at } = this;
    if (!at || at.x !== m.x || at.y !== m.y || at.z !== m.z) return;
    if (m.size === 0) return this.close();
    this.slots = Array.from({ length: m.size }, () => ({ block: 0, count: 0 }));
    for (const { slot, block, count } of m.slots) if (slot < m.size) this.slots[slot] = { block, count };
    this.heat = m.heat;
    this.work = m.work;
    this.game.events.emit('container', this);
  }

  close(): void {
    if (!this.at) return;
    this.at = null;
    this.slots = [];
    this.game.events.emit('container', this);
  }

  /** Moves count things, 0 for all, between two slots of which one is the container's. */
  move(from: number, to: number, count: number): void {
    if (this.at) this.game.acts.do(ActKind.Store, { ...this.at, a: from, b: to + 256 * count });
  }

  /** Moves a stack to the other side. */
  send(from: number): void {
    this.move(from, ANYWHERE, 0);
  }
}
