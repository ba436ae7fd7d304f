import { sha256 } from '@noble/hashes/sha2.js';
import { type Act, ActKind, type InputStep } from './types';
import { Writer } from './writer';

// The signed log of what the player does (docs/protocols/client.md, "Segments"): the
// node cannot invent, change, reorder or repeat anything of it.

const CONTEXT = new TextEncoder().encode('voxelpopuli segment 1\n');
/** steps in a segment */
const MAX_STEPS = 64;
/** ticks between two segments, if nothing but steps happens */
const SIGN_EVERY = 20;

/** What is signed, and the text of the signature; the signature follows `body`. */
export interface Segment {
  body: Uint8Array;
  text: Uint8Array;
}

/** Makes the segments of one connection. */
export class InputLog {
  private number = 1;
  private prev: Uint8Array = new Uint8Array(32);
  private steps: InputStep[] = [];
  private last = 0;
  private signed = 0;

  constructor(private readonly world: Uint8Array, private readonly nonce: Uint8Array) {}

  /** Adds a step; returns a segment that has become full. A step that is said again changes nothing. */
  step(s: InputStep, tick: number): Segment | null {
    if (s.seq <= this.last) return null;
    const n = this.steps.length;
    const full = n === MAX_STEPS || (n > 0 && s.seq !== this.last + 1) ? this.end(tick, []) : null;
    this.last = s.seq;
    this.steps.push(s);
    return full;
  }

  /** Whether it is time to sign: after the first step at once. */
  due(tick: number): boolean {
    return this.steps.length > 0 && (this.signed === 0 || tick >= this.signed + SIGN_EVERY);
  }

  /** Ends the segment, with acts behind its steps. */
  end(tick: number, acts: readonly Act[]): Segment {
    this.signed = Math.max(tick, this.signed);
    const w = new Writer().uvarint(this.number).uvarint(this.signed).bytes(this.prev);
    w.uvarint(this.steps[0]?.seq ?? this.last + 1).u8(this.steps.length);
    for (const s of this.steps) w.u16(s.buttons).u16(s.yaw & 0xffff).u16(s.pitch & 0xffff);
    w.u8(acts.length);
    for (const a of acts) {
      w.uvarint(a.seq).uvarint(this.last).u8(a.kind).svarint(a.x).svarint(a.y).svarint(a.z);
      w.u8(a.face).uvarint(a.a).uvarint(a.b);
      if (a.kind === ActKind.Write) {
        const text = new TextEncoder().encode(a.text ?? '');
        w.uvarint(text.length).bytes(text);
      }
    }
    const body = w.done();
    const text = new Writer().bytes(CONTEXT).bytes(this.world).bytes(this.nonce).bytes(body).done();
    this.number++;
    this.prev = sha256(text);
    this.steps = [];
    return { body, text };
  }
}
