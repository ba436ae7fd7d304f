import { mobs } from '../gen/mobs';
import { ActKind, Mode } from '../net/types';
import type { Acts } from './acts';
import { NOT_PRESSED, type Press } from './controls';
import { type BlockSink, type Edits, nextTo } from './edits';
import { type Inventory, isBucket } from './inventory';
import type { Body } from './physics/body';
import { info } from './physics/blocks';
import type { Hit } from './raycast';
import { isSign } from './signs';
import { bedFor, BREAK_EVERY, digTicks, doorFor, HEIGHT, occupied, OPEN, otherBed, PLACE_EVERY, placedAs, UPPER, withDoor } from './rules';
import { fullSolid, supported } from './support';

/** Ticks between two blows, and for how long a held button repeats placing. */
const HIT_EVERY = 8;
const SHOOT_EVERY = 20;
const CRACK_NONE = 10;

interface Place {
  x: number;
  y: number;
  z: number;
}

/** What some animal eats. */
const feeds = new Set(mobs.flatMap((m) => m.eats ?? []));

/** What the hands aim at: a block, or an entity that is nearer. */
export interface Target {
  hit: Hit | null;
  entity: number | null;
}

/** What the hands need to know and what they cause. */
export interface HandsEnv {
  readonly world: BlockSink;
  readonly edits: Edits;
  readonly acts: Acts;
  readonly inventory: Inventory;
  mode(): number;
  body(): Body;
  /** feet of other players, in metres */
  others(): Iterable<{ x: number; y: number; z: number }>;
  crack(x: number, y: number, z: number, stage: number): void;
  broke(x: number, y: number, z: number, block: number): void;
  placed(x: number, y: number, z: number, block: number): void;
  /** the tool is on the block, once in a while */
  digging(x: number, y: number, z: number, block: number): void;
  swing(): void;
  select(slot: number): void;
  /** a door was opened or closed */
  turned(x: number, y: number, z: number, block: number): void;
  /** looks into the container at a place */
  open(x: number, y: number, z: number): void;
  /** lets the player write on the sign at a place */
  write(x: number, y: number, z: number): void;
  lieDown(): void;
}

interface Dig {
  x: number;
  y: number;
  z: number;
  block: number;
  seq: number;
  since: number;
  need: number;
}

/** Breaks, places, picks and hits; called once for each body step. */
export class Hands {
  private dig: Dig | null = null;
  private tick = 0;
  private nextPlace = 0;
  private nextBreak = 0;
  private nextHit = 0;
  /** the press has opened something: it does no more until it is let go */
  private opened = false;
  /** takes the presses: corners of a box are chosen (ui/wand.ts) */
  wand: ((hit: Hit, second: boolean) => void) | null = null;

  constructor(private readonly env: HandsEnv) {}

  /** Share of the block that is broken, 0 to 1; 0 while none is. */
  get progress(): number {
    const d = this.dig;
    return d && d.need > 0 ? Math.min(1, (this.tick - d.since) / d.need) : 0;
  }

  /** Forgets what was going on, as after dying or losing the connection. */
  reset(): void {
    if (this.dig) this.env.crack(this.dig.x, this.dig.y, this.dig.z, CRACK_NONE);
    this.dig = null;
    this.opened = false;
  }

  step(target: Target, attack: Press = NOT_PRESSED, use: Press = NOT_PRESSED): void {
    this.tick++;
    if (this.wand) {
      this.stop();
      if (target.hit && (attack.fresh || use.fresh)) this.wand(target.hit, use.fresh);
      return;
    }
    this.attack(target, attack);
    this.use(target, use);
  }

  private attack(target: Target, { down, fresh }: Press): void {
    if (!down) return this.stop();
    if (target.entity !== null) {
      this.stop();
      if (fresh || this.tick >= this.nextHit) this.hit(target.entity);
      return;
    }
    if (fresh && !target.hit) this.env.swing();
    this.keepDigging(target.hit);
  }

  private hit(entity: number): void {
    this.nextHit = this.tick + HIT_EVERY;
    this.env.swing();
    this.env.acts.do(ActKind.Hit, { a: entity });
  }

  private keepDigging(hit: Hit | null): void {
    const d = this.dig;
    const same = d && d.need === this.needed(d.block) && hit && d.x === hit.x && d.y === hit.y && d.z === hit.z && d.block === hit.block;
    if (!same) {
      this.stop();
      if (hit) this.begin(hit);
      return;
    }
    const done = this.tick - d.since;
    if (done >= d.need) return this.finish(d);
    this.env.crack(d.x, d.y, d.z, Math.floor((done * 10) / d.need));
    if (done % 5 === 0) {
      this.env.digging(d.x, d.y, d.z, d.block);
      this.env.swing();
    }
  }

  /** Ticks that a block takes with what is in the hand. */
  private needed(block: number): number | null {
    const { held } = this.env.inventory;
    return digTicks(block, this.env.mode(), held.count > 0 ? held.block : 0);
  }

  private begin(hit: Hit): void {
    const need = this.needed(hit.block);
    if (need === null || (need === 0 && this.tick < this.nextBreak)) return;
    const { x, y, z, face, block } = hit;
    const seq = this.env.acts.do(ActKind.Dig, { x, y, z, face });
    if (!seq) return;
    this.env.swing();
    this.dig = { x, y, z, block, seq, since: this.tick, need };
    if (need === 0) {
      this.nextBreak = this.tick + BREAK_EVERY + 1;
      this.finish(this.dig);
    } else {
      this.env.digging(x, y, z, block);
    }
  }

  private finish(d: Dig): void {
    this.dig = null;
    this.env.crack(d.x, d.y, d.z, CRACK_NONE);
    this.env.edits.guess(d.seq, d.x, d.y, d.z, 0, performance.now());
    this.env.broke(d.x, d.y, d.z, d.block);
  }

  private stop(): void {
    const d = this.dig;
    if (!d) return;
    this.dig = null;
    this.env.crack(d.x, d.y, d.z, CRACK_NONE);
    this.env.acts.do(ActKind.StopDig);
  }

  private use(target: Target, { down, fresh }: Press): void {
    if (!down || fresh) this.opened = false;
    if (!down || this.opened) return;
    if (target.entity !== null) {
      if (fresh && !this.shoot()) this.feed(target.entity);
      return;
    }
    if (!target.hit) {
      if (fresh && !this.shoot()) this.eat();
      return;
    }
    const { stores, door, bed } = info(target.hit.block);
    if ((stores || door !== undefined || bed !== undefined || isSign(target.hit.block)) && !this.env.body().sneaking) {
      if (fresh) this.open(target.hit);
      return;
    }
    if (fresh ? this.tick >= this.nextPlace : this.tick >= this.nextPlace + 1) this.place(target.hit);
  }

  /** Opens or closes a gate, a trapdoor, or both halves of a door. */
  private turn(x: number, y: number, z: number, block: number): void {
    const { acts, edits, world } = this.env;
    const seq = acts.do(ActKind.Open, { x, y, z });
    const { door, class: kind } = info(block);
    const other = kind !== 'door' ? y : door! & UPPER ? y - 1 : y + 1;
    if (!seq || info(world.block(x, other, z)).door === undefined) return;
    for (const at of new Set([y, other])) edits.guess(seq, x, at, z, withDoor(world.block(x, at, z), OPEN), performance.now());
    this.env.turned(x, y, z, block);
  }

  private open({ x, y, z, block }: Hit): void {
    if (this.env.mode() === Mode.Spectator) return;
    this.opened = true;
    if (isSign(block)) return this.env.write(x, y, z);
    if (info(block).bed !== undefined) {
      this.env.acts.do(ActKind.Open, { x, y, z });
      this.env.lieDown();
    }
    else if (info(block).door === undefined) this.env.open(x, y, z);
    else this.turn(x, y, z, block);
    this.env.swing();
  }

  /** Food in the hand that is aimed at nothing is eaten. */
  private eat(): void {
    const { inventory, acts } = this.env;
    if (this.env.mode() !== Mode.Survival || inventory.held.count === 0 || !info(inventory.held.block).food) return;
    acts.do(ActKind.Use);
    this.env.swing();
  }

  /** Shoots if there is a bow in the hand. */
  private shoot(): boolean {
    const { inventory, acts } = this.env;
    if (inventory.held.count === 0 || info(inventory.held.block).tool?.[0] !== 'bow' || this.env.mode() === Mode.Spectator) return false;
    acts.do(ActKind.Use);
    this.env.swing();
    return true;
  }

  /** Gives an animal what is in the hand; the node knows what it eats. */
  private feed(entity: number): void {
    const { inventory, acts } = this.env;
    if (inventory.held.count === 0 || !feeds.has(inventory.held.block) || this.env.mode() === Mode.Spectator) return;
    acts.do(ActKind.Use, { a: entity });
    this.env.swing();
  }

  /** Makes a field of a block with a hoe. */
  private till({ x, y, z, face, block }: Hit): void {
    const { world, inventory, edits, acts } = this.env;
    const { tills } = info(block);
    const above = world.block(x, y + 1, z);
    if (!tills || this.env.mode() === Mode.Spectator || above < 0 || !info(above).replaceable) return;
    this.nextPlace = this.tick + PLACE_EVERY + 1;
    const seq = acts.do(ActKind.Place, { x, y, z, face, a: inventory.selected });
    if (!seq) return;
    edits.guess(seq, x, y, z, tills, performance.now());
    this.env.swing();
    this.env.placed(x, y, z, tills);
  }

  /** Takes a source into the bucket in the hand, or pours it out. */
  private scoop(hit: Hit): void {
    const { world, inventory, edits, acts } = this.env;
    const { held } = inventory;
    const { holds } = info(held.block);
    const at = holds && !info(hit.block).replaceable ? nextTo(hit, hit.face) : hit;
    const there = world.block(at.x, at.y, at.z);
    if (this.env.mode() === Mode.Spectator || there < 0 || (holds ? !info(there).replaceable : info(there).fluid !== 8)) return;
    this.nextPlace = this.tick + SHOOT_EVERY;
    const seq = acts.do(ActKind.Place, { x: hit.x, y: hit.y, z: hit.z, face: hit.face, a: inventory.selected });
    if (!seq) return;
    edits.guess(seq, at.x, at.y, at.z, holds ? holds[0] : 0, performance.now());
    this.env.swing();
    this.env.placed(at.x, at.y, at.z, holds ? holds[0] : there);
  }

  private place(hit: Hit): void {
    const { world, inventory, edits, acts } = this.env;
    const stack = inventory.held;
    if (this.shoot()) {
      this.nextPlace = this.tick + SHOOT_EVERY;
      return;
    }
    if (stack.count > 0 && info(stack.block).tool?.[0] === 'hoe') return this.till(hit);
    if (stack.count > 0 && (isBucket(stack.block) || info(stack.block).holds)) return this.scoop(hit);
    if (stack.count === 0 || info(stack.block).class === 'thing' || this.env.mode() === Mode.Spectator) return;
    const into = info(hit.block).replaceable;
    const { x, y, z } = into ? hit : nextTo(hit, hit.face);
    const at = { x, y, z };
    const block = placedAs(stack.block, at, into ? 1 : hit.face, hit.upper, this.env.body());
    const there = world.block(at.x, at.y, at.z);
    if (there < 0 || at.y < 0 || at.y >= HEIGHT || !info(there).replaceable || there === stack.block) return;
    const parts = this.partsOf(block, at);
    if (!parts || parts.some((p) => occupied(p.x, p.y, p.z, p.block, this.env.body(), this.env.others()))) return;
    this.nextPlace = this.tick + PLACE_EVERY + 1;
    const seq = acts.do(ActKind.Place, { x: hit.x, y: hit.y, z: hit.z, face: hit.face, a: inventory.selected, b: hit.upper ? 1 : 0 }, (r) => {
      if (r.ok && isSign(block)) this.env.write(at.x, at.y, at.z);
    });
    if (!seq) return;
    for (const p of parts) edits.guess(seq, p.x, p.y, p.z, p.block, performance.now());
    this.env.swing();
    this.env.placed(at.x, at.y, at.z, stack.block);
  }

  /** What placing a block puts where; null if it cannot stand there. */
  private partsOf(block: number, at: Place): (Place & { block: number })[] | null {
    const { world } = this.env;
    const { door, class: kind } = info(block);
    if (kind === 'bed') {
      const foot = bedFor(block, at, this.env.body());
      const head = otherBed(foot);
      const beside = { x: at.x + head.dx, y: at.y, z: at.z + head.dz, block: head.block };
      const there = world.block(beside.x, beside.y, beside.z);
      return there < 0 || !info(there).replaceable ? null : [{ ...at, block: foot }, beside];
    }
    if (kind !== 'door') {
      if (!supported(world, at.x, at.y, at.z, block)) return null;
      return [{ ...at, block: door === undefined ? block : doorFor(block, at, this.env.body()) }];
    }
    const up = { x: at.x, y: at.y + 1, z: at.z };
    const above = world.block(up.x, up.y, up.z);
    if (up.y >= HEIGHT || above < 0 || !info(above).replaceable || !fullSolid(world.block(at.x, at.y - 1, at.z))) return null;
    const lower = doorFor(block, at, this.env.body());
    return [{ ...at, block: lower }, { ...up, block: withDoor(lower, UPPER) }];
  }

  /** Takes the block that is looked at into the hand, if that can be. */
  pick(hit: Hit | null): void {
    if (!hit || !info(hit.block).item) return;
    const { inventory, acts } = this.env;
    const have = inventory.find(hit.block);
    if (have >= 0 && have < 9) return this.env.select(have);
    if (have >= 0) {
      inventory.move(have, inventory.selected, 0);
      acts.do(ActKind.MoveItem, { a: have, b: inventory.selected });
    } else if (this.env.mode() === Mode.Creative) {
      acts.do(ActKind.Pick, { a: hit.block, b: inventory.selected });
    }
  }
}
