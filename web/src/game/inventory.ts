import { blocks } from '../gen/blocks';
import { info } from './physics/blocks';
import type { SlotChange } from '../net/types';

/** the slots of what is carried; behind them are those of what is worn on head, body, legs and feet */
export const CARRIED = 36;
export const SLOTS = 40;
export const HOTBAR = 9;
export const MAX_STACK = 99;

export interface Stack {
  block: number;
  count: number;
}

/** What we carry, as the node last told, and what we hold. */
export class Inventory {
  readonly slots: Stack[] = Array.from({ length: SLOTS }, () => ({ block: 0, count: 0 }));
  selected = 0;

  apply(changes: readonly SlotChange[], selected: number): void {
    for (const c of changes) {
      if (c.slot < SLOTS) this.slots[c.slot] = { block: c.count > 0 ? c.block : 0, count: c.count };
    }
    if (selected < HOTBAR) this.selected = selected;
  }

  clear(): void {
    this.slots.forEach((s) => Object.assign(s, { block: 0, count: 0 }));
  }

  get held(): Stack {
    return this.slots[this.selected]!;
  }

  /** The first slot that holds a block, the hot bar first; −1 if none does. */
  find(block: number): number {
    return this.slots.findIndex((s, i) => i < CARRIED && s.count > 0 && s.block === block);
  }

  count(block: number): number {
    return this.slots.reduce((n, s, i) => n + (i < CARRIED && s.block === block ? s.count : 0), 0);
  }

  /** How much of 25 parts what is worn keeps off. */
  get guards(): number {
    return this.slots.slice(CARRIED).reduce((n, s) => n + (s.count > 0 ? info(s.block).armour?.[1] ?? 0 : 0), 0);
  }

  /** Whether a stack may lie in a slot: armour is worn where it belongs. */
  fits(slot: number, { block, count }: Stack): boolean {
    return slot < CARRIED || count === 0 || info(block).armour?.[0] === slot - CARRIED + 1;
  }

  /** What MoveItem will do, shown before the node has answered. Count 0 is all. */
  move(from: number, to: number, count: number): boolean {
    const a = this.slots[from]!;
    const b = this.slots[to]!;
    if (from === to || a.count === 0 || !this.fits(to, a)) return false;
    let n = count <= 0 || count > a.count || isTool(a.block) ? a.count : count;
    if (b.count > 0 && a.block !== b.block) {
      if (n < a.count || !this.fits(from, b)) return false;
      [this.slots[from], this.slots[to]] = [b, a];
      return true;
    }
    n = Math.min(n, MAX_STACK - b.count);
    if (n === 0) return false;
    this.slots[to] = { block: a.block, count: b.count + n };
    this.slots[from] = a.count > n ? { block: a.block, count: a.count - n } : { block: 0, count: 0 };
    return true;
  }
}

/** a region lets 32 acts of a player wait */
const MOST_MOVES = 24;

/** collect lists what to move into a slot so that all of its kind is there, the smallest stacks first; a slot may be missing. */
export function collect(stacks: readonly (Stack | undefined)[], to: number): { from: number; count: number }[] {
  const { block, count } = stacks[to]!;
  if (count === 0 || isTool(block)) return [];
  let room = MAX_STACK - count;
  return stacks
    .map((s, from) => ({ from, count: s && s.block === block && from !== to ? s.count : 0 }))
    .filter((s) => s.count > 0)
    .sort((a, b) => a.count - b.count)
    .map((s) => {
      const n = Math.min(s.count, room);
      room -= n;
      return { from: s.from, count: n };
    })
    .filter((s) => s.count > 0)
    .slice(0, MOST_MOVES);
}

/** Tools and armour are counted by their condition: MAX_STACK is a new one. Their stacks are not split. */
export const isTool = (block: number): boolean => (info(block).tool ?? info(block).armour) !== undefined;

const buckets = new Set(blocks.map((b) => b.holds?.[1]));

/** Whether something is full of a fluid when it is full. */
export const isBucket = (block: number): boolean => buckets.has(block);
