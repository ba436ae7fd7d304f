import { faceOffset } from './raycast';

/** Where blocks are changed for the eye: the engine. */
export interface BlockSink {
  block(x: number, y: number, z: number): number;
  setBlock(x: number, y: number, z: number, b: number): void;
}

interface Edit {
  seq: number;
  x: number;
  y: number;
  z: number;
  /** what we show */
  shown: number;
  /** what the node last said is there */
  truth: number;
  /** performance.now() when it is given up */
  until: number;
}

const GIVE_UP_MS = 6000;

const keyOf = (x: number, y: number, z: number): string => `${x},${y},${z}`;

/**
 * Edits that are shown before the node has agreed. A refusal, or silence, puts
 * back what the node says is there.
 */
export class Edits {
  private readonly open = new Map<string, Edit>();

  constructor(private readonly world: BlockSink) {}

  /** Shows a block at once. */
  guess(seq: number, x: number, y: number, z: number, b: number, now: number): void {
    const key = keyOf(x, y, z);
    const truth = this.open.get(key)?.truth ?? this.world.block(x, y, z);
    this.open.set(key, { seq, x, y, z, shown: b, truth, until: now + GIVE_UP_MS });
    this.world.setBlock(x, y, z, b);
  }

  /** The node says what is at a place. Returns whether that changes what is shown. */
  confirm(x: number, y: number, z: number, b: number): boolean {
    const key = keyOf(x, y, z);
    const edit = this.open.get(key);
    if (edit) {
      edit.truth = b;
      if (edit.shown === b) this.open.delete(key);
      return false;
    }
    if (this.world.block(x, y, z) === b) return false;
    this.world.setBlock(x, y, z, b);
    return true;
  }

  /** The node's answer to an act: what was guessed for it stays or goes. */
  settle(seq: number, ok: boolean): void {
    for (const [key, edit] of this.open) {
      if (edit.seq !== seq) continue;
      this.open.delete(key);
      if (!ok) this.world.setBlock(edit.x, edit.y, edit.z, edit.truth);
    }
  }

  /** Gives up on what the node never answered. */
  expire(now: number): void {
    for (const edit of [...this.open.values()]) if (now > edit.until) this.settle(edit.seq, false);
  }

  /** Takes all guesses back, as when the connection is lost. */
  undo(): void {
    for (const edit of [...this.open.values()]) this.settle(edit.seq, false);
  }

  /** A column came anew: its guesses are void. */
  forgetColumn(x: number, z: number): void {
    for (const [key, edit] of this.open) if (edit.x >> 5 === x && edit.z >> 5 === z) this.open.delete(key);
  }
}

/** The block next to a face. */
export function nextTo(p: { x: number; y: number; z: number }, face: number): { x: number; y: number; z: number } {
  const [dx, dy, dz] = faceOffset[face]!;
  return { x: p.x + dx, y: p.y + dy, z: p.z + dz };
}
