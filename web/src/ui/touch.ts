import type { Action } from '../game/bindings';
import type { Game } from '../game/game';
import type { SettingsStore } from '../game/settings';
import { h } from './dom';
import { t } from './strings';

/** A finger that rests so long without moving breaks; a shorter one places. */
const HOLD_MS = 260;
/** The body step after a tap must still see where it was. */
const TAP_AIM_MS = 150;
const STILL_PX = 12;
/** The stick: how far it can be pushed. */
const STICK_PX = 52;
/** Fingers travel less than mice. */
const TURN = 2.1;

interface Finger {
  kind: 'stick' | 'look';
  x: number;
  y: number;
  lastX: number;
  lastY: number;
  moved: boolean;
  breaking: boolean;
  /** until it breaks: a timer, and then the next picture */
  timer: number;
  picture: number;
}

export interface TouchActions {
  menu(): void;
  chat(): void;
  inventory(): void;
}

/** Play by fingers: the left half walks, the rest looks; tap places, hold breaks. */
export class Touch {
  readonly el: HTMLElement;
  private readonly stick = h('div', { class: 'stick', hidden: true }, h('div', { class: 'knob' }));
  private readonly fly: HTMLElement;
  private readonly sneak: HTMLElement;
  private readonly fingers = new Map<number, Finger>();

  constructor(private readonly game: Game, private readonly settings: SettingsStore, view: HTMLElement, actions: TouchActions) {
    const hold = (label: string, action: Action, cls: string): HTMLElement => {
      const b = h('button', { type: 'button', class: `touch-button ${cls}`, tabIndex: -1, attr: { 'aria-label': label } });
      b.addEventListener('pointerdown', (e) => { e.preventDefault(); b.setPointerCapture(e.pointerId); game.controls.hold(action, true); });
      for (const end of ['pointerup', 'pointercancel'] as const) b.addEventListener(end, () => game.controls.hold(action, false));
      return b;
    };
    const tap = (label: string, cls: string, f: () => void): HTMLElement =>
      h('button', { type: 'button', class: `touch-button ${cls}`, attr: { 'aria-label': label }, on: { click: f } });
    this.sneak = tap(t.touch.sneak, 'sneak', () => this.toggleSneak());
    this.fly = tap(t.touch.fly, 'fly', () => game.controls.toggleFly());
    this.el = h('div', { class: 'touch', hidden: true },
      this.stick,
      h('div', { class: 'touch-pad' }, this.fly, hold(t.touch.jump, 'jump', 'jump'), this.sneak),
      h('div', { class: 'touch-top' }, tap(t.hud.menu, 'menu', actions.menu), tap(t.touch.chat, 'talk', actions.chat), tap(t.touch.inventory, 'things', actions.inventory)));
    view.addEventListener('pointerdown', (e) => this.down(e));
    view.addEventListener('pointermove', (e) => this.move(e));
    // A finger whose end the browser does not report would break blocks for ever.
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      view.addEventListener(end, (e) => this.up(e, end === 'pointerup'));
    }
    addEventListener('blur', () => this.drop());
    document.addEventListener('visibilitychange', () => document.hidden && this.drop());
  }

  /** Called whenever something may have changed; only a change ends what fingers (or keys and buttons) hold. */
  show(on: boolean): void {
    if (on === !this.el.hidden) return;
    this.el.hidden = !on;
    this.game.viewer.aim = on ? null : { x: 0, y: 0 };
    if (!on) this.drop();
  }

  /** Once for each picture. */
  frame(): void {
    if (this.el.hidden) return;
    const { controls } = this.game;
    this.fly.hidden = !controls.mayFly;
    this.fly.classList.toggle('on', controls.flying);
    this.sneak.classList.toggle('on', controls.is('sneak'));
  }

  private toggleSneak(): void {
    this.game.controls.hold('sneak', !this.game.controls.is('sneak'));
  }

  private drop(): void {
    for (const f of this.fingers.values()) forgetHold(f);
    this.fingers.clear();
    this.stick.hidden = true;
    this.game.controls.release();
  }

  private get on(): boolean {
    return !this.el.hidden && this.game.controls.active;
  }

  private down(e: PointerEvent): void {
    if (e.pointerType === 'mouse' || !this.on) return;
    e.preventDefault();
    (e.target as Element).setPointerCapture(e.pointerId);
    const sticking = [...this.fingers.values()].some((f) => f.kind === 'stick');
    const left = e.clientX < innerWidth * 0.42 && e.clientY > innerHeight * 0.4;
    const kind = left && !sticking ? 'stick' : 'look';
    const f: Finger = { kind, x: e.clientX, y: e.clientY, lastX: e.clientX, lastY: e.clientY, moved: false, breaking: false, timer: 0, picture: 0 };
    this.end(e.pointerId); // of an earlier finger of this number
    this.fingers.set(e.pointerId, f);
    if (kind === 'stick') {
      this.stick.hidden = false;
      this.stick.style.translate = `${f.x}px ${f.y}px`;
      this.knob(0, 0);
      return;
    }
    this.aimAt(f);
    f.timer = window.setTimeout(() => {
      // Moves come with pictures. Where those are rare a finger that swipes has not
      // moved yet as far as is known: the next picture tells.
      f.picture = requestAnimationFrame(() => {
        f.breaking = true;
        this.game.controls.setAttack(true);
      });
    }, HOLD_MS);
  }

  /** Forgets a finger; returns it if there was one. */
  private end(id: number): Finger | undefined {
    const f = this.fingers.get(id);
    if (!f) return undefined;
    this.fingers.delete(id);
    forgetHold(f);
    const { controls } = this.game;
    if (f.kind === 'look') controls.setAttack(false);
    else {
      this.stick.hidden = true;
      controls.push = { forward: 0, right: 0 };
    }
    return f;
  }

  private aimAt(f: Finger): void {
    this.game.viewer.aim = { x: (f.lastX / innerWidth) * 2 - 1, y: 1 - (f.lastY / innerHeight) * 2 };
  }

  private move(e: PointerEvent): void {
    const f = this.fingers.get(e.pointerId);
    if (!f) return;
    const [dx, dy] = [e.clientX - f.lastX, e.clientY - f.lastY];
    [f.lastX, f.lastY] = [e.clientX, e.clientY];
    if (f.kind === 'stick') return this.push(f);
    if (!f.moved && !f.breaking && Math.hypot(f.lastX - f.x, f.lastY - f.y) < STILL_PX) return;
    if (!f.moved && !f.breaking) {
      f.moved = true;
      forgetHold(f);
      this.game.viewer.aim = null;
    }
    const { sensitivity, invertY } = this.settings.now;
    this.game.look.turn(dx * TURN, dy * TURN, sensitivity, invertY);
    if (f.breaking) this.aimAt(f);
  }

  private push(f: Finger): void {
    const [dx, dy] = [f.lastX - f.x, f.lastY - f.y];
    const far = Math.hypot(dx, dy);
    const k = far > STICK_PX ? STICK_PX / far : 1;
    this.knob(dx * k, dy * k);
    this.game.controls.push = { forward: (-dy * k) / STICK_PX, right: (dx * k) / STICK_PX };
  }

  private knob(x: number, y: number): void {
    (this.stick.firstElementChild as HTMLElement).style.translate = `${x}px ${y}px`;
  }

  private up(e: PointerEvent, done: boolean): void {
    const f = this.end(e.pointerId);
    if (!f || f.kind === 'stick') return;
    if (!done || f.moved || f.breaking) this.game.viewer.aim = null;
    else this.tap(f);
  }

  /** A tap hits who is there, or else places; the next body steps see it. */
  private tap(f: Finger): void {
    const { controls, viewer } = this.game;
    this.aimAt(f);
    const who = viewer.target.entity !== null;
    if (who) controls.setAttack(true);
    else controls.setUse(true);
    controls.setAttack(false);
    controls.setUse(false);
    setTimeout(() => {
      if (this.fingers.size === 0) viewer.aim = null;
    }, TAP_AIM_MS);
  }
}

/** The finger does not begin to break any more. */
function forgetHold(f: Finger): void {
  clearTimeout(f.timer);
  cancelAnimationFrame(f.picture);
}
