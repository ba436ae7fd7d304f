// The game itself: what the node says, the own body, what is aimed at, and the
// picture. The interface around it listens to `events`.
import type { Engine } from '../engine';
import { up } from '../net/codec';
import type { Command, Message, Self, Welcome } from '../net/types';
import { browserStore } from '../net/identity';
import { ActKind, BodyFlag, Button, Mode } from '../net/types';
import { Acts } from './acts';
import { TickClock, TICK_MS } from './clock';
import { rain, seedOf } from './weather';
import { Container } from './container';
import { Signs } from './signs';
import { chosenSkin, Skins } from './skins';
import { Controls, NOT_PRESSED } from './controls';
import { Edits } from './edits';
import { Emitter } from './emitter';
import { Entities } from './entities';
import { Far } from './far';
import { Frames } from './frames';
import { Hands } from './hands';
import { Hosts } from './hosts';
import { Inventory } from './inventory';
import { Look } from './look';
import { Predictor } from './predictor';
import { Roster } from './roster';
import type { SettingsStore } from './settings';
import type { GameEvents, GameState } from './state';
import { Viewer } from './viewer';
import { Waypoints } from './waypoints';

/** Steps made up for at most after the page slept: the node runs no more at once; older time is lost. */
const MAX_BEHIND = 10;
const PING_MS = 2000;
/** Steps that a message can have. */
const MAX_STEPS = 40;
/**
 * Frames acknowledge the own steps 20 times a second. After this long without one the
 * body stands still: the node runs no more than two seconds of steps that come late.
 */
const STALL_MS = 2000;
/** advance() is called at least so often, unless the page itself slept. */
const AWAKE_MS = 500;

/** by these one gets up */
const STIRS = Button.Forward | Button.Back | Button.Left | Button.Right | Button.Jump | Button.Sneak;

export class Game implements GameState {
  readonly events = new Emitter<GameEvents>();
  readonly clock = new TickClock();
  private seed = 0;
  readonly look = new Look();
  readonly inventory = new Inventory();
  readonly roster = new Roster();
  readonly entities = new Entities();
  readonly predictor: Predictor;
  readonly edits: Edits;
  readonly acts: Acts;
  readonly hands: Hands;
  readonly controls: Controls;
  readonly viewer: Viewer;
  readonly far: Far;
  readonly frames: Frames;
  readonly hosts: Hosts;
  readonly container: Container;
  readonly signs: Signs;
  readonly skins: Skins;
  readonly waypoints = new Waypoints(browserStore);
  welcome: Welcome | null = null;
  self: Self = { mode: Mode.Survival, health: 20, air: 300, food: 20, mayFly: false, operator: false, dead: false, visitor: false };
  commands: Command[] = [];
  ready = false;
  /** between a Welcome and the loss of its connection */
  connected = false;
  /** a bed was used, and the body has not moved since */
  inBed = false;
  /** nothing was heard of the own body for a while */
  stalled = false;
  rtt = 0;
  private timeOffset = 0;
  private lastStep = 0;
  private lastPing = 0;
  private heardAt = 0;
  private advancedAt = 0;

  constructor(
    readonly engine: Engine,
    readonly settings: SettingsStore,
    readonly send: (data: Uint8Array<ArrayBuffer>) => boolean,
  ) {
    this.predictor = new Predictor(engine);
    this.edits = new Edits(engine);
    this.acts = new Acts(send);
    this.controls = new Controls(settings);
    this.viewer = new Viewer(this);
    this.far = new Far(this);
    this.frames = new Frames(this);
    this.hosts = new Hosts(this);
    this.container = new Container(this);
    this.skins = new Skins(this);
    settings.onChange((_, changed) => {
      if ('othersSkins' in changed) this.skins.look();
      if (!('skin' in changed || 'ownSkin' in changed) || !this.welcome) return;
      this.dress(this.welcome.name);
    });
    this.signs = new Signs((all) => engine.setSigns(all));
    this.hands = new Hands({
      world: engine,
      edits: this.edits,
      acts: this.acts,
      inventory: this.inventory,
      mode: () => this.self.mode,
      body: () => this.predictor.body,
      others: () => this.viewer.playersNow(),
      crack: (x, y, z, stage) => engine.crack(x, y, z, stage),
      broke: (x, y, z, block) => {
        engine.particles(block, x, y, z);
        this.events.emit('broke', { x, y, z, block, own: true });
      },
      placed: (x, y, z, block) => this.events.emit('placed', { x, y, z, block, own: true }),
      digging: (x, y, z, block) => {
        engine.particles(block, x, y, z, true);
        this.events.emit('digging', { x, y, z, block });
      },
      swing: () => engine.swing(),
      select: (slot) => this.select(slot),
      turned: (x, y, z, block) => this.events.emit('placed', { x, y, z, block, own: true }),
      open: (x, y, z) => this.container.open(x, y, z),
      lieDown: () => { this.inBed = true; },
      write: (x, y, z) => this.events.emit('write', { x, y, z }),
    });
    engine.onColumn = (x, z) => this.frames.columnReady(x, z);
  }

  /** Takes a message of the node. */
  receive(m: Message): void {
    switch (m.type) {
      case 'welcome':
        return this.begin(m);
      case 'column':
        this.signs.forget(m.x, m.z);
        return this.frames.column(m);
      case 'unload':
        this.signs.forget(m.x, m.z);
        return this.frames.unload(m.x, m.z);
      case 'frame':
        this.frames.frame(m.body);
        // steps go on where pictures are rare or, in a hidden tab, absent
        return this.advance(performance.now());
      case 'pong':
        this.rtt = ((performance.now() >>> 0) - m.time) >>> 0;
        return;
      case 'actResult':
        return this.answered(m);
      case 'self':
        return this.setSelf(m);
      case 'inventory':
        this.inventory.apply(m.slots, m.selected);
        return this.events.emit('inventory', this.inventory);
      case 'container':
        return this.container.arrived(m);
      case 'signs':
        return this.signs.arrived(m.x, m.z, m.texts);
      case 'skinOf':
        return this.skins.arrived(m.entity, m.skin);
      case 'chat':
        return this.events.emit('chat', m);
      case 'players':
        this.roster.apply(m.full, m.players);
        this.skins.look();
        return this.events.emit('players', this.roster);
      case 'farTile':
        return this.far.arrived(m.x, m.z, m.tile);
      case 'hosts':
        return this.hosts.arrived(m.nodes, m.regions, m.links, m.storage, m.convicted, m.lands);
      case 'timeOffset':
        this.timeOffset = m.ticks;
        return;
      case 'notice':
        return this.events.emit('notice', m);
      case 'schematic':
        return this.events.emit('schematic', m);
      case 'commands':
        this.commands = m.list;
        return this.events.emit('commands', m.list);
    }
  }

  /** The own looks, here and for the others. */
  private dress(name: string): void {
    this.engine.self(name, chosenSkin(this.settings.now));
    this.skins.tell();
  }

  private begin(w: Welcome): void {
    this.welcome = w;
    this.seed = seedOf(w.world.seed);
    this.waypoints.enter(`${w.world.name} ${w.world.seed}`);
    this.connected = true;
    this.skins.clear();
    this.dress(w.name);
    this.timeOffset = w.timeOffset;
    this.ready = false;
    this.heard(performance.now());
    this.acts.reset();
    this.hands.reset();
    this.clock.reset();
    this.inventory.clear();
    this.container.close();
    this.signs.clear();
    this.entities.clear((id) => this.engine.removeEntity(id));
    this.frames.begin();
    this.far.begin();
    this.predictor.reset(w.at.x, w.at.y, w.at.z);
    this.look.setWire(w.yaw, w.pitch);
    this.sendView();
    this.events.emit('welcome', w);
  }

  /** The connection is gone: what was only guessed is taken back. */
  lost(): void {
    this.ready = this.connected = false;
    this.heard(performance.now()); // the connection is shown as lost instead
    this.hands.reset();
    this.edits.undo();
    this.controls.release();
    this.container.close();
  }

  sendView(): void {
    if (this.welcome) this.send(up.view(this.viewer.distance, this.settings.now.farDistance));
  }

  say(text: string): void {
    this.send(up.say(text));
  }

  select(slot: number): void {
    if (slot === this.inventory.selected) return;
    this.inventory.selected = slot;
    this.acts.do(ActKind.Select, { a: slot });
    this.events.emit('inventory', this.inventory);
  }

  /** The node put the body somewhere else. */
  corrected(flags: number, jumped: boolean): void {
    if (this.self.mode === Mode.Creative) this.controls.flying ||= (flags & BodyFlag.Flying) !== 0;
    if (jumped) this.frames.checkReady();
  }

  private answered(m: Extract<Message, { type: 'actResult' }>): void {
    const kind = this.acts.answered(m);
    this.edits.settle(m.seq, m.ok);
    if (m.ok || kind === ActKind.StopDig || kind === ActKind.Select) return;
    this.events.emit('notice', { code: m.reason, text: m.text });
  }

  private setSelf(s: Self): void {
    const before = this.self;
    this.self = s;
    this.controls.mayFly = s.mayFly;
    if (!s.mayFly) this.controls.flying = false;
    if (s.dead && !before.dead) {
      this.hands.reset();
      this.container.close();
    }
    if (s.health < before.health) this.events.emit('hurt', undefined);
    this.events.emit('self', s);
  }

  /** Ticks since sunrise, and those of a day. */
  get timeOfDay(): { tick: number; length: number } {
    const length = this.welcome?.world.dayLength || 24000;
    const tick = (this.clock.tick(performance.now()) + this.timeOffset) % length;
    return { tick: tick < 0 ? tick + length : tick, length };
  }

  /** Whether a bit of Pose is set of the own body. */
  does(bit: number): boolean {
    return (this.entities.ownPose & bit) !== 0;
  }

  /** How hard it rains, 0 to 1. */
  get rain(): number {
    return this.welcome ? rain(this.seed, this.clock.tick(performance.now())) : 0;
  }

  /** A frame has said something of the own body. */
  heard(now: number): void {
    this.heardAt = now;
    this.setStalled(false);
  }

  private setStalled(stalled: boolean): void {
    if (stalled === this.stalled) return;
    this.stalled = stalled;
    this.events.emit('stalled', stalled);
  }

  /** Notices that the node has fallen silent. While the page itself slept it heard nothing. */
  private listen(now: number): void {
    this.heardAt += Math.max(0, now - this.advancedAt - AWAKE_MS);
    this.advancedAt = now;
    if (now - this.heardAt > STALL_MS) this.setStalled(true);
  }

  /** Runs the body steps that are due, sends them, pings. */
  advance(now: number): void {
    if (!this.welcome || !this.ready) {
      this.lastStep = this.heardAt = this.advancedAt = now;
      return;
    }
    this.listen(now);
    if (this.stalled) this.lastStep = now;
    if (now - this.lastStep > MAX_BEHIND * TICK_MS) this.lastStep = now - MAX_BEHIND * TICK_MS;
    while (now - this.lastStep >= TICK_MS) {
      this.lastStep += TICK_MS;
      this.step();
    }
    if (now - this.lastPing > PING_MS) {
      this.lastPing = now;
      this.send(up.ping(now >>> 0));
      this.edits.expire(now);
      this.container.refresh();
      this.skins.look();
    }
    this.entities.expire(now, (id) => this.engine.removeEntity(id));
  }

  /** How far the time is between the last step and the next, 0 to 1. */
  alpha(now: number): number {
    return this.ready && !this.stalled ? Math.min(1, (now - this.lastStep) / TICK_MS) : 1;
  }

  private step(): void {
    const { yaw, pitch } = this.look.wire;
    const dead = this.self.dead;
    const buttons = dead ? 0 : this.controls.buttons();
    if (buttons & STIRS) this.inBed = false;
    const { input, result } = this.predictor.step(buttons, yaw, pitch, this.self.mode);
    // What may be lost is said until it is acknowledged; the node runs each step once.
    const steps = this.frames.lossy ? this.predictor.unacknowledged(MAX_STEPS) : [input];
    this.send(up.input(steps, this.predictor.body));
    if (this.predictor.body.onGround && this.controls.is('sneak')) this.controls.flying = false; // flew down to the ground
    const busy = !dead && this.controls.active;
    const { attack, use } = this.controls.take();
    this.viewer.takeAim();
    this.hands.step(this.viewer.target, busy ? attack : NOT_PRESSED, busy ? use : NOT_PRESSED);
    this.events.emit('step', result);
  }
}
