import { up } from '../net/codec';
import type { Act, ActResult } from '../net/types';

/** Sends acts and finds the one that an answer belongs to. */
export class Acts {
  private seq = 0;
  private readonly open = new Map<number, { kind: number; done?: (r: ActResult) => void }>();

  constructor(private readonly send: (data: Uint8Array<ArrayBuffer>) => boolean) {}

  /** A new connection begins with the first number again. */
  reset(): void {
    this.seq = 0;
    this.open.clear();
  }

  /** Sends an act; returns its number, or 0 if there is no connection. */
  do(kind: number, what: Partial<Act> = {}, done?: (r: ActResult) => void): number {
    const act: Act = { x: 0, y: 0, z: 0, face: 0, a: 0, b: 0, ...what, kind, seq: this.seq + 1 };
    if (!this.send(up.act(act))) return 0;
    this.seq++;
    this.open.set(this.seq, { kind, done });
    return this.seq;
  }

  /** Hands an answer to whoever waits for it; returns the act's kind, or 0. */
  answered(r: ActResult): number {
    const act = this.open.get(r.seq);
    this.open.delete(r.seq);
    act?.done?.(r);
    return act?.kind ?? 0;
  }
}
