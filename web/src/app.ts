// Puts the client together: connection, game, engine, sound and interface, and
// who has the keyboard and the mouse at a time.
import { resumed } from './content';
import { Audio } from './audio';
import { Engine } from './engine';
import { learnLayout } from './game/bindings';
import { Game } from './game/game';
import { mobOf } from './game/mobs';
import { Pointer } from './game/pointer';
import { Block } from './gen/blocks';
import { rememberLink, type SettingsStore } from './game/settings';
import { Inputs } from './inputs';
import { Connection, type Link } from './net/connection';
import { browserStore, type Identity, loadIdentity } from './net/identity';
import { fromNowhere, readAll } from './net/invited';
import { ChatKind, EntityEvent, type Refused } from './net/types';
import { h } from './ui/dom';
import { Interface } from './ui/interface';
import { refusalText, t } from './ui/strings';
import { nameOk } from './ui/start';

export type Stage = 'start' | 'joining' | 'playing' | 'lost' | 'ended';

const CLIENT = 'voxelpopuli-web/1';
const eventNames = { [EntityEvent.Swing]: 'swing', [EntityEvent.Hurt]: 'hurt', [EntityEvent.Eat]: 'eat', [EntityEvent.Call]: 'call' } as const;
/** Codes after which the person can try again at once with other words. */
const atStart = new Set(['name', 'name-taken']);

export class App {
  stage: Stage = 'start';
  link: Link = { state: 'idle' };
  lastError = '';
  readonly engine: Engine;
  readonly game: Game;
  readonly audio: Audio;
  readonly ui: Interface;
  readonly pointer: Pointer;
  readonly connection: Connection;
  readonly identity: Identity;
  private readonly inputs: Inputs;
  /** the gateway that was used last */
  private playedAt = '';
  private lastFrame = 0;
  private lastFps = 0;
  /** the next picture is kept as a file */
  private keepPicture = false;

  constructor(readonly settings: SettingsStore, readonly canvas: HTMLCanvasElement) {
    rememberLink(settings);
    canvas.setAttribute('aria-label', t.view);
    this.engine = new Engine(canvas, this.engineOptions());
    this.identity = loadIdentity(browserStore);
    this.connection = new Connection({
      identity: this.identity,
      client: CLIENT,
      link: fromNowhere() ? readAll(settings.now.at) : [],
      onLink: (link) => this.linked(link),
      onMessage: (m) => this.game.receive(m),
      inBed: () => this.game.inBed,
      onGarbage: (e) => { this.lastError = e.message; },
    });
    this.game = new Game(this.engine, settings, (data) => this.connection.send(data));
    this.audio = new Audio(this.game, settings);
    this.pointer = new Pointer(canvas);
    this.ui = new Interface(this);
    this.hearGame();
    this.inputs = new Inputs(this);
    settings.onChange((_, changed) => this.applySettings(changed));
    this.applySettings({});
    void learnLayout();
    if (!this.identity.kept) this.game.events.on('ready', () => this.ui.hud.notice(t.notice.keyLost));
  }

  /** Begins at the start screen; `?play` in the address goes on at once (with `name=`, if given). */
  start(): void {
    const asked = new URLSearchParams(location.search);
    const name = asked.get('name') ?? this.settings.now.name;
    if ((resumed() || asked.has('play')) && nameOk(name)) this.play(name, asked.get('code') ?? this.settings.now.code, null);
    else this.ui.start.show();
    requestAnimationFrame((now) => this.frame(now));
  }

  play(name: string, code: string, token: string | null): void {
    this.stage = 'joining';
    this.settings.set({ name, code });
    this.ui.start.hide();
    this.ui.loading.show(t.loading.connecting, 0);
    this.connection.start(name, code, token);
  }

  /** Back to the start screen. */
  leave(error = ''): void {
    this.connection.stop();
    this.game.lost();
    this.game.welcome = null;
    this.engine.clear();
    this.game.frames.loaded.clear();
    this.stage = 'start';
    this.ui.quiet();
    this.ui.start.show(error);
    this.updateActive();
  }

  // The connection.

  private linked(link: Link): void {
    this.link = link;
    if (link.state === 'refused') return this.refused(link.why);
    if (link.state === 'live' || link.state === 'idle') return;
    if (this.stage === 'playing' || this.stage === 'lost') {
      if (this.stage === 'playing') this.game.lost();
      this.stage = 'lost';
      this.ui.closeAll();
      this.pointer.unlock();
      this.ui.lost.show(link);
    } else if (link.state === 'waiting') {
      this.ui.loading.show(link.why ? refusalText(link.why.code, link.why.text) : t.start.unreachable, 0);
    } else {
      this.ui.loading.show((link.state === 'connecting' && link.note) || t.loading.connecting, 0);
    }
    this.updateActive();
  }

  private refused(why: Refused): void {
    const visiting = this.stage === 'playing' || this.stage === 'lost';
    const another = why.code === 'name-taken' && !visiting ? this.ui.start.proposed.next(this.settings.now.name) : null;
    if (another) return this.play(another, this.settings.now.code, null);
    const text = refusalText(why.code, why.text);
    this.lastError = why.code;
    if (why.code === 'code' || why.code === 'codes') {
      this.leave();
      return this.ui.start.askCode(why.code === 'codes' || this.settings.now.code ? text : '');
    }
    if (atStart.has(why.code)) return this.leave(text);
    this.game.lost();
    this.stage = 'ended';
    this.ui.quiet();
    this.pointer.unlock();
    this.updateActive();
    this.ui.end.show(visiting ? t.refused.ended : t.refused.title, text);
  }

  // The game.

  private hearGame(): void {
    const { events } = this.game;
    events.on('welcome', (w) => {
      document.title = `${w.world.name} – ${t.title}`;
      if (this.stage === 'joining') this.ui.loading.show(t.loading.joining, 0.1);
    });
    events.on('loading', (l) => {
      if (this.stage === 'joining') this.ui.loading.show(t.loading.terrain(l.done, l.all), 0.1 + (0.9 * l.done) / l.all);
    });
    events.on('ready', () => this.entered());
    events.on('self', (s) => this.selfChanged(s.dead));
    events.on('notice', (n) => {
      if (n.code === 'died') this.ui.death.because(n.text);
      else this.ui.hud.notice(t.acts[n.code] ?? n.text);
    });
    events.on('container', (c) => {
      if (!c.at || this.ui.panels?.inventory.dialog.open) return;
      if (this.ui.busy) c.close();
      else this.ui.open((p) => p.inventory.show());
    });
    events.on('write', (at) => {
      if (!this.ui.busy) this.ui.open((p) => p.sign.show(at));
    });
    events.on('chat', (line) => {
      if (line.kind !== ChatKind.System && line.from && line.from !== this.game.welcome?.name) this.audio.ui('chat');
    });
    events.on('entityEvent', (e) => {
      const name = eventNames[e.event as keyof typeof eventNames];
      if (name && e.entity !== this.game.welcome?.entity) this.engine.entityEvent(e.entity, name);
      if (e.event === EntityEvent.Swing) this.burst(e.entity);
    });
    this.engine.onContext = (ok) => {
      if (!ok) this.ui.hud.notice(t.refusals.context!, 'bad');
    };
  }

  /** A burster that strikes is gone in a cloud of dust. */
  private burst(entity: number): void {
    const at = this.game.viewer.place(entity);
    if (!at || mobOf(this.game.entities.all.get(entity)?.kind ?? 0)?.model !== 'burster') return;
    for (let i = 0; i < 6; i++) this.engine.particles(Block.Gravel, at.x - 2 + Math.random() * 3, at.y - 0.5 + Math.random() * 2, at.z - 2 + Math.random() * 3);
  }

  private entered(): void {
    const back = this.stage === 'lost';
    this.stage = 'playing';
    this.ui.loading.hide();
    this.ui.lost.hide();
    this.ui.hud.el.hidden = false;
    const { base, elsewhere } = this.connection.at;
    if (back) this.ui.hud.notice(elsewhere && base !== this.playedAt ? t.notice.moved : t.notice.reconnected);
    this.playedAt = base;
    this.selfChanged(this.game.self.dead);
    this.ui.hint.show(this.inputs.touch);
    this.resume();
    void this.ui.loadPanels().catch(() => undefined); // whoever opens one is told
  }

  private selfChanged(dead: boolean): void {
    if (this.stage !== 'playing') return;
    const { death } = this.ui;
    if (dead && !death.dialog.open) {
      this.ui.closeAll();
      this.pointer.unlock();
      death.show();
    } else if (!dead && death.dialog.open) {
      death.close();
      this.resume();
    }
    this.updateActive();
  }

  /** The page is left. */
  gone(): void {
    this.connection.stop();
  }

  // Who has the mouse.

  /** Back to the game after whatever was open. */
  resume(): void {
    if (this.stage !== 'playing' || this.ui.busy) return this.updateActive();
    if (this.inputs.withoutMouse) {
      this.ui.prompt.hide();
      return this.updateActive();
    }
    const slow = setTimeout(() => this.ui.prompt.show(true), 250);
    void this.pointer.lock().then((ok) => {
      clearTimeout(slow);
      if (this.stage !== 'playing' || this.ui.busy) {
        if (ok) this.pointer.unlock();
        this.ui.prompt.hide();
      } else if (ok) this.ui.prompt.hide();
      else this.ui.prompt.show(false);
      this.updateActive();
    });
    this.updateActive();
  }

  /** Opens something that needs the mouse or the keyboard. */
  open(show: () => void): void {
    if (this.stage !== 'playing' || this.game.self.dead) return;
    this.game.controls.release();
    this.pointer.unlock();
    this.ui.prompt.hide();
    this.audio.ui('open');
    show();
    this.updateActive();
  }

  updateActive(): void {
    const playing = this.stage === 'playing' && !this.ui.busy && (this.inputs.withoutMouse || this.pointer.locked);
    if (this.game.controls.active && !playing) this.game.controls.release();
    this.game.controls.active = playing;
    this.ui.touch.show(this.inputs.touch && this.stage === 'playing' && !this.ui.busy);
    if (!this.inputs.touch) this.game.viewer.aim = { x: 0, y: 0 };
  }

  // Pictures.

  picture(): void {
    this.keepPicture = true;
  }

  /** Saves the picture that was just drawn: later the browser has cleared it. */
  private savePicture(): void {
    this.keepPicture = false;
    this.canvas.toBlob((blob) => {
      if (!blob) return;
      const url = URL.createObjectURL(blob);
      const name = `voxelpopuli-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}.png`;
      h('a', { href: url, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(url), 1000);
      this.ui.hud.notice(t.hud.picture(name));
    });
  }

  private frame(now: number): void {
    requestAnimationFrame((next) => this.frame(next));
    const dt = Math.min(0.25, (now - this.lastFrame) / 1000);
    this.lastFrame = now;
    const clock = performance.now();
    this.game.advance(clock);
    this.inputs.frame(dt);
    if (this.game.welcome) {
      this.game.viewer.zoomed = this.game.controls.is('zoom');
      this.game.viewer.frame(clock, dt);
      this.ui.frame(clock);
      this.audio.frame(clock);
    }
    this.engine.frame(dt);
    if (this.keepPicture) this.savePicture();
    if (clock - this.lastFps > 500) {
      this.lastFps = clock;
      this.ui.hud.showFps(this.settings.now.showFps ? `${Math.round(this.engine.stats().fps)} fps` : null);
    }
  }

  // Settings.

  private engineOptions(): ConstructorParameters<typeof Engine>[1] {
    const { viewDistance, farDistance, quality, clouds, brightness } = this.settings.now;
    return { viewDistance, farDistance, quality, clouds, brightness, reducedMotion: this.settings.reducedMotion };
  }

  private applySettings(changed: Partial<SettingsStore['now']>): void {
    const n = this.settings.now;
    const root = document.documentElement;
    root.style.setProperty('--scale', String(n.scale));
    root.dataset.palette = n.palette;
    this.ui.compass.el.hidden = !n.compass;
    this.ui.subtitles.el.hidden = !n.subtitles;
    root.classList.toggle('calm', this.settings.reducedMotion);
    this.engine.setOptions(this.engineOptions()!);
    if ('viewDistance' in changed || 'farDistance' in changed || 'quality' in changed) this.game.viewer.chosen();
    if (n.touch !== 'auto') this.inputs.setTouch(n.touch === 'on');
    else if (!('name' in changed)) this.inputs.setTouch(matchMedia('(pointer: coarse)').matches);
  }
}
