import { modelOf } from '../engine';
import { EntityKind, Mode, Pose } from '../net/types';
import { TICK_MS } from './clock';
import type { Controls } from './controls';
import type { Far } from './far';
import type { Target } from './hands';
import type { Inventory } from './inventory';
import { type Look, through } from './look';
import { isBucket } from './inventory';
import { fluidLevel, info } from './physics/blocks';
import { human } from './physics/body';
import { mobOf } from './mobs';
import { type Aimed, pickEntity, raycast } from './raycast';
import { bedNear, type Lying } from './rest';
import type { Roster } from './roster';
import type { Hands } from './hands';
import { eyeHeight, HEIGHT, reachOf } from './rules';
import type { SettingsStore } from './settings';
import type { GameState } from './state';

/** Others are drawn this far in the past, so that there is always something to draw between. */
const DELAY_TICKS = 2.2;
const HIT_REACH = 3.5;
const WAND_REACH = 64;

/** What an entity of a kind is drawn as: its model, and the size of it and of its box. */
function shapeOf(kind: number, young: boolean): { kind: string; scale: number; halfWidth: number; height: number } {
  const mob = mobOf(kind);
  const name = kind === EntityKind.Player ? 'player' : kind === EntityKind.Item ? 'item' : (mob?.model ?? '');
  const model = modelOf(name);
  const k = young ? 0.5 : 1;
  if (!mob) return { kind: name, scale: 1, halfWidth: model.halfWidth, height: model.height };
  return { kind: name, scale: (mob.height / model.height) * k, halfWidth: mob.half * k, height: mob.height * k };
}

/** What is drawn of the game. */
export interface ViewerGame extends GameState {
  readonly settings: SettingsStore;
  readonly controls: Controls;
  readonly far: Far;
  readonly hands: Hands;
  readonly inventory: Inventory;
  readonly look: Look;
  readonly roster: Roster;
  /** how hard it rains, 0 to 1 */
  readonly rain: number;
  readonly timeOfDay: { tick: number; length: number };
  /** How far the time is between the last step and the next, 0 to 1. */
  alpha(now: number): number;
  /** Asks the node for what is drawn. */
  sendView(): void;
}

/** Everything that is done once for each picture: the eye, the others, what is aimed at. */
export class Viewer {
  target: Target = { hit: null, entity: null };
  /** where on the view a finger aims, −1 to 1; null is the middle */
  aim: { x: number; y: number } | null = { x: 0, y: 0 };
  zoomed = false;
  hud = true;
  /** columns in full detail that we ask for: what was chosen, or less while frames are slow */
  distance: number;
  eye = { x: 0, y: 80, z: 0 };
  /** the engine's word, see onViewDistance */
  private drawn = Infinity;
  private eyeUp = eyeHeight(false);
  private fovNow = 75;
  private walked = 0;
  private lastFeet: { x: number; y: number; z: number } | null = null;
  /** where others are drawn */
  private readonly others = new Map<number, Aimed & { kind: string }>();

  /** where fire was seen to break out, for embers */
  private readonly fires: { x: number; y: number; z: number }[] = [];

  /** where those lie who sleep */
  private readonly beds = new Map<number, { bed: Lying | null; until: number }>();

  constructor(private readonly game: ViewerGame) {
    this.distance = game.settings.now.viewDistance;
    game.engine.onViewDistance = (d) => {
      this.drawn = d;
      this.chosen();
    };
  }

  /** The distance was chosen anew: ask for what is drawn of it. */
  chosen(): void {
    const { viewDistance } = this.game.settings.now;
    this.distance = Math.max(2, Math.min(viewDistance, this.drawn));
    this.game.sendView();
  }

  get fov(): number {
    return this.fovNow;
  }

  /** Feet of other players, for building rules. */
  *playersNow(): Iterable<{ x: number; y: number; z: number }> {
    for (const o of this.others.values()) if (o.kind === 'player') yield o;
  }

  frame(now: number, dt: number): void {
    const g = this.game;
    this.moveEye(now, dt);
    this.drawOthers(now);
    this.takeAim();
    const { tick, length } = g.timeOfDay;
    g.engine.weather(g.rain);
    this.glow(dt);
    g.engine.time(tick, length);
    const hit = this.target.hit;
    g.engine.outline(this.hud && hit && this.target.entity === null && g.self.mode !== Mode.Spectator ? hit : null);
    g.engine.hold(g.inventory.held.count > 0 ? g.inventory.held.block : 0);
    g.far.ask(now, g.settings.now.farDistance);
  }

  private moveEye(now: number, dt: number): void {
    const g = this.game;
    const body = g.predictor.body;
    const feet = g.predictor.view(g.alpha(now), dt);
    const ease = (rate: number): number => 1 - Math.exp(-dt * rate);
    const low = g.self.dead ? 0.35 : eyeHeight(body.sneaking);
    this.eyeUp += (low - this.eyeUp) * ease(18);
    this.eye = { x: feet.x, y: feet.y + this.eyeUp, z: feet.z };
    if (this.lastFeet && body.onGround) {
      const d = Math.hypot(feet.x - this.lastFeet.x, feet.z - this.lastFeet.z);
      if (d < 2) this.walked += d;
    }
    this.lastFeet = feet;
    const calm = g.settings.reducedMotion;
    const chosen = g.settings.now.fov;
    const fast = !calm && (body.sprinting || (body.flying && g.controls.is('sprint')));
    const want = this.zoomed ? chosen / 3.5 : fast ? Math.min(chosen * 1.12, 115) : chosen;
    this.fovNow += (want - this.fovNow) * (calm ? 1 : ease(10));
    const bob = g.settings.now.bobbing && !calm;
    g.engine.camera({ ...this.eye, yaw: g.look.yaw, pitch: g.look.pitch, fov: this.fovNow, walked: bob ? this.walked : undefined });
  }

  private drawOthers(now: number): void {
    const g = this.game;
    const tick = g.clock.tick(now) - DELAY_TICKS - Math.min(g.clock.jitter, 150) / TICK_MS / 2;
    this.others.clear();
    for (const s of g.entities.all.values()) {
      const lies = s.kind === EntityKind.Item;
      const has = (bit: number): boolean => !lies && (s.pose & bit) !== 0;
      const shape = shapeOf(s.kind, has(Pose.Young));
      const { kind, scale } = shape;
      const p = s.track.at(tick);
      this.others.set(s.entity, { ...shape, id: s.entity, x: p.x, y: p.y, z: p.z });
      const name = s.name || (s.kind === EntityKind.Player ? (g.roster.get(s.entity)?.name ?? '') : '');
      g.engine.entity(s.entity, kind, name, {
        x: p.x, y: p.y, z: p.z, yaw: p.yaw, pitch: p.pitch,
        sneaking: has(Pose.Sneaking), swimming: has(Pose.Swimming), flying: has(Pose.Flying), dead: has(Pose.Dead), burning: has(Pose.Burning), lies: has(Pose.Asleep) ? this.bedOf(s.entity, p) : null, worn: s.worn, scale, held: s.held, count: lies ? s.pose : 0,
      });
    }
  }

  /** The bed that somebody sleeps in, looked for now and then. */
  private bedOf(entity: number, at: { x: number; y: number; z: number }): Lying | null {
    const now = performance.now();
    let found = this.beds.get(entity);
    if (!found || now > found.until) {
      if (this.beds.size > 64) this.beds.clear();
      found = { bed: bedNear((x, y, z) => this.game.engine.block(x, y, z), at), until: now + 1000 };
      this.beds.set(entity, found);
    }
    return found.bed;
  }

  /** Finds what is looked at, as the world is now: an edit since the last frame may have changed it. */
  takeAim(): void {
    const g = this.game;
    if (!this.aim || g.self.dead || !g.ready) {
      this.target = { hit: null, entity: null };
      return;
    }
    const { x, y, z } = this.eye;
    const d = through(g.look.yaw, g.look.pitch, this.fovNow, innerWidth / Math.max(innerHeight, 1), this.aim.x, this.aim.y);
    const hit = raycast(g.engine, x, y, z, d, g.hands.wand ? WAND_REACH : reachOf(g.self.mode), g.inventory.held.count > 0 && isBucket(g.inventory.held.block));
    const near = pickEntity(this.aimed(), [x, y, z], d, HIT_REACH);
    this.target = { hit, entity: near && (!hit || near.distance < hit.distance) ? near.id : null };
  }

  private *aimed(): Iterable<Aimed> {
    for (const o of this.others.values()) if (o.kind !== 'item') yield o;
  }

  /** Where an entity is drawn now. */
  place(entity: number): { x: number; y: number; z: number } | null {
    return this.others.get(entity) ?? null;
  }

  /** Lets embers fly from one of the fires around. */
  private glow(dt: number): void {
    const { fires } = this;
    if (!fires.length || Math.random() > dt * Math.min(fires.length * 2, 12)) return;
    const i = Math.floor(Math.random() * fires.length);
    const { x, y, z } = fires[i]!;
    const block = this.game.engine.block(x, y, z);
    if (info(block).fire) this.game.engine.particles(block, x, y, z, true);
    else fires.splice(i, 1);
  }

  /** A block was changed by somebody else: let it be seen and heard. */
  changed(x: number, y: number, z: number, before: number, after: number): void {
    const g = this.game;
    if (fluidLevel(before) > 0 || fluidLevel(after) > 0 || y >= HEIGHT) return;
    if (Math.hypot(x - this.eye.x, y - this.eye.y, z - this.eye.z) > 24) return;
    if (info(after).fire) {
      if (!info(before).fire) g.engine.particles(before, x, y, z);
      if (this.fires.length < 64) this.fires.push({ x, y, z });
    } else if (after === 0 && before > 0) {
      g.engine.particles(before, x, y, z);
      g.events.emit('broke', { x, y, z, block: before, own: false });
    } else if (after > 0 && info(after).solid) g.events.emit('placed', { x, y, z, block: after, own: false });
  }

  /** The block under the feet, for the sound of steps. */
  ground(): number {
    const b = this.game.predictor.body;
    const at = (dy: number): number => this.game.engine.block(Math.floor(b.x / 4096), Math.floor((b.y - dy) / 4096), Math.floor(b.z / 4096));
    return at(human.half / 8);
  }

  /** Metres walked on the ground. */
  get distanceWalked(): number {
    return this.walked;
  }
}
