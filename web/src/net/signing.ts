import { lineText, readAct, readInput, saidText, up } from './codec';
import type { Identity } from './identity';
import { InputLog, type Segment } from './inputlog';
import { Up } from './types';

const TICK_MS = 50;

/** Signs what the player does on one connection, on its way to the node. */
export class Signing {
  private readonly log: InputLog;
  /** tick of the world at a time (performance.now) */
  private tick = 0;
  private at = 0;
  /** of the last line */
  private lineTick = 0;
  /** what is signed is sent in the order in which it was made */
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly identity: Identity, private readonly world: Uint8Array, nonce: Uint8Array, private readonly name: string,
    private readonly send: (data: Uint8Array<ArrayBuffer>) => void,
  ) {
    this.log = new InputLog(world, nonce);
  }

  /** The node has said which tick it is. */
  heard(tick: number): void {
    this.tick = tick;
    this.at = performance.now();
  }

  /** Sends a message; acts and lines go only signed, steps are signed afterwards. */
  pass(data: Uint8Array<ArrayBuffer>): void {
    const now = this.tick + Math.floor((performance.now() - this.at) / TICK_MS);
    const line = saidText(data);
    if (line !== null) return this.say(line, now);
    if (data[0] === Up.Act) return this.sign(this.log.end(now, [readAct(data)]));
    if (data[0] === Up.Input) {
      for (const s of readInput(data)) {
        const full = this.log.step(s, now);
        if (full) this.sign(full);
      }
    }
    this.send(data);
    if (this.log.due(now)) this.sign(this.log.end(now, []));
  }

  /** No two lines have the same tick: each counts once. */
  private say(line: string, now: number): void {
    const tick = this.lineTick = Math.max(this.lineTick + 1, now);
    const signature = this.identity.signLater(lineText(this.world, tick, this.name, line));
    this.turn = this.turn.then(async () => this.send(up.said(line, tick, await signature)));
  }

  private sign({ body, text }: Segment): void {
    const signature = this.identity.signLater(text);
    this.turn = this.turn.then(async () => this.send(up.segment(body, await signature)));
  }
}
