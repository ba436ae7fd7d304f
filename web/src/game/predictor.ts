import type { Correction } from '../net/frame';
import { BodyFlag, type InputStep } from '../net/types';
import { type Body, newBody } from './physics/body';
import type { BlockSource } from './physics/blocks';
import { floor } from './physics/num';
import { step } from './physics/step';
import { HEIGHT } from './rules';

/** What happened to the own body in a step, for sounds and the view. */
export interface StepResult {
  /** 1/4096 m that it had fallen when it landed, else 0 */
  fell: number;
  jumped: boolean;
  /** it went into water */
  splashed: boolean;
}

/** Steps that were sent and not yet acknowledged, at most: two seconds. */
const MAX_PENDING = 400;
/** Farther than this (1/4096 m) the view jumps instead of gliding. */
const SNAP = 4 * 4096;
/** The error of the view is halved in so many seconds. */
const HALF_LIFE = 0.06;

/**
 * The own body ahead of the node: each step is run here at once and again on
 * the node; when the node comes to another result, the body is put there and
 * the steps that the node has not seen yet are run again.
 */
export class Predictor {
  body: Body = newBody();
  /** the body before its last step, to draw in between */
  private before: Body = newBody();
  private readonly pending: InputStep[] = [];
  private seq = 0;
  /** how far the view is off the body, in 1/4096 m; fades away */
  private ex = 0;
  private ey = 0;
  private ez = 0;
  corrections = 0;

  constructor(private readonly world: BlockSource) {}

  /** Puts the body somewhere, at rest, and forgets what was pending; sequence numbers begin anew. */
  reset(x: number, y: number, z: number): void {
    this.body = newBody(x, y, z);
    this.before = { ...this.body };
    this.pending.length = 0;
    this.seq = 0;
    this.ex = this.ey = this.ez = 0;
  }

  /** Runs one step and returns it, to be sent, with what it did. */
  step(buttons: number, yaw: number, pitch: number, mode: number): { input: InputStep; result: StepResult } {
    const input = { seq: ++this.seq, buttons, yaw, pitch };
    this.before = { ...this.body };
    const fell = this.run(this.body, input, mode);
    this.pending.push(input);
    if (this.pending.length > MAX_PENDING) this.pending.shift();
    const result = {
      fell,
      jumped: this.before.onGround && !this.body.onGround && this.body.vy > 0,
      splashed: this.body.inWater && !this.before.inWater,
    };
    return { input, result };
  }

  /**
   * Runs a step on a body, which stays out of columns that are not loaded: nothing can
   * be said of what happens there. Blocks that are not loaded are walls for a body that
   * walks or flies; a spectator goes through walls.
   */
  private run(b: Body, input: InputStep, mode: number): number {
    const { x, z } = b;
    const fell = step(this.world, b, input, mode);
    if (!this.loaded(b)) {
      [b.x, b.z] = [x, z];
      b.vx = b.vz = 0;
    }
    return fell;
  }

  private loaded(b: Body): boolean {
    const y = Math.max(0, Math.min(HEIGHT - 1, floor(b.y)));
    return this.world.block(floor(b.x), y, floor(b.z)) >= 0;
  }

  /** Steps that the node has not acknowledged. */
  get waiting(): number {
    return this.pending.length;
  }

  /** The last of them. */
  unacknowledged(most: number): InputStep[] {
    return this.pending.slice(-most);
  }

  acknowledge(ack: number): void {
    let n = 0;
    while (n < this.pending.length && this.pending[n]!.seq <= ack) n++;
    this.pending.splice(0, n);
  }

  /** Takes the node's word for the body after input `ack`; says whether the view jumps. */
  correct(c: Correction, ack: number, mode: number): boolean {
    if (ack >= 0) this.acknowledge(ack);
    const old = this.body;
    const b = newBody(c.x, c.y, c.z);
    [b.vx, b.vy, b.vz] = [c.vx, c.vy, c.vz];
    b.onGround = (c.flags & BodyFlag.OnGround) !== 0;
    b.flying = (c.flags & BodyFlag.Flying) !== 0;
    b.inWater = (c.flags & BodyFlag.InWater) !== 0;
    b.climbing = (c.flags & BodyFlag.Climbing) !== 0;
    b.sneaking = old.sneaking;
    b.fall = old.fall;
    let before = { ...b };
    for (const input of this.pending) {
      before = { ...b };
      this.run(b, input, mode);
    }
    this.corrections++;
    return this.glide(old, b, before);
  }

  private glide(old: Body, b: Body, before: Body): boolean {
    const [dx, dy, dz] = [old.x - b.x, old.y - b.y, old.z - b.z];
    const jump = Math.hypot(dx, dy, dz) > SNAP;
    this.body = b;
    this.before = jump ? { ...b } : before;
    this.ex = jump ? 0 : this.ex + dx;
    this.ey = jump ? 0 : this.ey + dy;
    this.ez = jump ? 0 : this.ez + dz;
    return jump;
  }

  /** Where the feet are drawn, in metres: `alpha` (0 to 1) between the last two steps, dt seconds after the last frame. */
  view(alpha: number, dt: number): { x: number; y: number; z: number } {
    const fade = 0.5 ** (dt / HALF_LIFE);
    this.ex *= fade;
    this.ey *= fade;
    this.ez *= fade;
    const mix = (a: number, b: number, e: number): number => (a + (b - a) * alpha + e) / 4096;
    const { before: p, body: q } = this;
    return { x: mix(p.x, q.x, this.ex), y: mix(p.y, q.y, this.ey), z: mix(p.z, q.z, this.ez) };
  }
}
