// Hears what the game tells and makes it sound.
import { Block } from '../gen/blocks';
import type { Game } from '../game/game';
import { info } from '../game/physics/blocks';
import { mobOf } from '../game/mobs';
import { underWater } from '../game/physics/step';
import type { SettingsStore } from '../game/settings';
import { EntityEvent, EntityKind, Mode, Pose } from '../net/types';
import { Ambience } from './ambience';
import { Effects } from './effects';
import { type Place, Sound } from './sound';

/** What subtitles tell of. */
export type Heard = 'step' | 'broke' | 'placed' | 'hurt' | 'swing' | 'eat' | 'call' | 'burst' | 'splash' | 'taken';

const STRIDE = 1.7; // metres between two steps
const green = new Set<number>([Block.Grass, Block.TallGrass, Block.OakLeaves, Block.BirchLeaves, Block.PineLeaves, Block.OakLog, Block.BirchLog, Block.PineLog]);

const HEARD: Record<number, 'hurt' | 'swing' | 'eat' | 'call'> = {
  [EntityEvent.Hurt]: 'hurt', [EntityEvent.Swing]: 'swing', [EntityEvent.Eat]: 'eat', [EntityEvent.Call]: 'call',
};

const setOf = (block: number): string => (block >= 0 ? info(block).sound : '') || 'stone';
const centre = (p: { x: number; y: number; z: number }): { x: number; y: number; z: number } => ({ x: p.x + 0.5, y: p.y + 0.5, z: p.z + 0.5 });

export class Audio {
  private sound: Sound | null = null;
  private effects: Effects | null = null;
  private ambience: Ambience | null = null;
  private stepped = 0;
  private swum = 0;
  private lastAmbience = 0;
  /** called with what is heard, for subtitles: who, what (a key of `sounds`), where; nowhere is oneself */
  heard: (what: Heard, at: Place | null, mob: number) => void = () => {};
  private readonly walkers = new Map<number, { x: number; z: number; far: number }>();

  constructor(private readonly game: Game, private readonly settings: SettingsStore) {
    const wake = (): void => this.start();
    for (const e of ['pointerdown', 'keydown', 'touchend'] as const) addEventListener(e, wake, { capture: true });
    document.addEventListener('visibilitychange', () => this.sound?.mute(document.hidden));
    settings.onChange((s) => this.sound?.volumes(s));
    this.listen();
  }

  /** Sound begins with the first click or key: browsers want it so. */
  private start(): void {
    if (this.sound) {
      if (this.sound.ctx.state === 'suspended' && !document.hidden) this.sound.mute(false);
      return;
    }
    this.sound = Sound.create();
    if (!this.sound) return;
    this.effects = new Effects(this.sound);
    this.ambience = new Ambience(this.sound);
    this.sound.volumes(this.settings.now);
  }

  ui(kind: 'click' | 'pop' | 'chat' | 'open'): void {
    this.effects?.ui(kind);
  }

  private listen(): void {
    const { events } = this.game;
    events.on('broke', (b) => {
      this.effects?.broke(setOf(b.block), centre(b));
      if (!b.own) this.heard('broke', centre(b), 0);
    });
    events.on('placed', (b) => {
      this.effects?.placed(setOf(b.block), centre(b));
      if (!b.own) this.heard('placed', centre(b), 0);
    });
    events.on('digging', (b) => this.effects?.dig(setOf(b.block), centre(b)));
    events.on('hurt', () => {
      this.effects?.hurt(null);
      this.heard('hurt', null, 0);
    });
    events.on('step', (r) => {
      const metres = r.fell / 4096;
      if (r.splashed) {
        this.effects?.splash(null, Math.abs(this.game.predictor.body.vy) / 1500);
        this.heard('splash', null, 0);
      }
      else if (metres > 0.8) this.effects?.land(setOf(this.game.viewer.ground()), metres);
      if (r.jumped) this.effects?.jump();
    });
    events.on('taken', (e) => {
      const at = this.game.viewer.place(e.entity);
      if (!at) return;
      this.effects?.taken(at);
      this.heard('taken', at, 0);
    });
    events.on('entityEvent', (e) => this.entity(e.entity, e.event));
  }

  private entity(id: number, event: number): void {
    const at = this.game.viewer.place(id);
    const kind = this.game.entities.all.get(id)?.kind;
    if (!at) return;
    const mob = mobOf(kind ?? EntityKind.Player);
    const bursts = event === EntityEvent.Swing && mob?.model === 'burster';
    const what = bursts ? 'burst' : HEARD[event];
    if (!what) return;
    this.heard(what, at, kind ?? EntityKind.Player);
    if (what === 'call') this.effects?.call(mob?.model ?? '', at);
    else if (what === 'burst') this.effects?.burst(at);
    else if (what === 'hurt') this.effects?.hurt(at);
    else if (what === 'swing') this.effects?.swing(at);
    else this.effects?.eat(at);
  }

  /** Once for each picture. */
  frame(now: number): void {
    if (!this.game.ready) return;
    const { eye, distanceWalked } = this.game.viewer;
    this.othersSteps();
    if (!this.sound || this.sound.ctx.state !== 'running') return;
    this.sound.listen(eye.x, eye.y, eye.z, this.game.look.yaw);
    this.ownSteps(distanceWalked);
    if (now - this.lastAmbience > 250) {
      this.lastAmbience = now;
      this.surroundings();
    }
  }

  private ownSteps(walked: number): void {
    const { body } = this.game.predictor;
    if (body.inWater) {
      if (Math.hypot(body.vx, body.vz) > 120 && performance.now() - this.swum > 750) {
        this.swum = performance.now();
        this.effects?.swim();
      }
      return;
    }
    if (walked - this.stepped < STRIDE) return;
    this.stepped = walked;
    if (!body.sneaking && this.game.self.mode !== Mode.Spectator) this.effects?.step(setOf(this.game.viewer.ground()), null);
  }

  private othersSteps(): void {
    for (const s of this.game.entities.all.values()) {
      const p = this.game.viewer.place(s.entity);
      if (!p) continue;
      const w = this.walkers.get(s.entity);
      if (!w) {
        this.walkers.set(s.entity, { x: p.x, z: p.z, far: 0 });
        continue;
      }
      w.far += Math.hypot(p.x - w.x, p.z - w.z);
      [w.x, w.z] = [p.x, p.z];
      if (w.far < STRIDE) continue;
      w.far = 0;
      if (s.pose & (Pose.Flying | Pose.Sneaking | Pose.Swimming)) continue;
      const under = this.game.engine.block(Math.floor(p.x), Math.floor(p.y - 0.1), Math.floor(p.z));
      if (under <= 0) continue;
      this.effects?.step(setOf(under), p, 0.8);
      this.heard('step', p, s.kind);
    }
    if (this.walkers.size > 2 * this.game.entities.all.size + 50) this.walkers.clear();
  }

  private surroundings(): void {
    const { eye } = this.game.viewer;
    const { tick, length } = this.game.timeOfDay;
    const below = this.game.engine.block(Math.floor(eye.x), Math.floor(eye.y - 2), Math.floor(eye.z));
    this.ambience?.update({
      time: tick / length,
      sky: this.game.engine.stats().sky,
      height: eye.y,
      rain: this.game.rain,
      underWater: underWater(this.game.engine, Math.round(eye.x * 4096), Math.round(eye.y * 4096), Math.round(eye.z * 4096)),
      green: green.has(below) || green.has(this.game.viewer.ground()),
    });
  }
}
