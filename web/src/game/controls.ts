import { Button } from '../net/types';
import { type Action, actionOf } from './bindings';
import type { SettingsStore } from './settings';

/** Pressed twice within this time counts as double. */
const DOUBLE_MS = 300;

/** Actions that last as long as their key is down, and move the body. */
const walking: ReadonlySet<Action> = new Set(['forward', 'back', 'left', 'right', 'jump', 'sneak', 'sprint']);

/** A stick's or a finger's wish to walk: each from −1 to 1, forward and right positive. */
export interface Push {
  forward: number;
  right: number;
}

/** A button of a hand in a body step: fresh if it went down since the step before. */
export interface Press {
  down: boolean;
  fresh: boolean;
}

export const NOT_PRESSED: Press = { down: false, fresh: false };

/**
 * What is held down, from whatever it comes: keys, the touch stick, buttons on
 * the screen, a gamepad. Actions that happen once are told to `pressed`.
 */
export class Controls {
  /** false while a menu is open: nothing moves */
  active = false;
  /** the left and the right button of the mouse, or their like */
  private attack = false;
  private use = false;
  /** pressed since the last body step: a click between two steps counts too */
  private attacked = false;
  private used = false;
  flying = false;
  mayFly = false;
  push: Push = { forward: 0, right: 0 };
  pressed: (action: Action) => void = () => {};
  tookOff: () => void = () => {};
  digit: (n: number) => void = () => {};
  private readonly held = new Set<Action>();
  private readonly touched = new Set<Action>();
  private readonly last = new Map<Action, number>();
  private sprinting = false;

  constructor(private readonly settings: SettingsStore) {
    addEventListener('keydown', (e) => this.keyDown(e));
    addEventListener('keyup', (e) => this.keyUp(e));
    addEventListener('blur', () => {
      this.held.clear(); // the page hears no keyup from now on
      this.release();
    });
  }

  /**
   * Lets go of buttons, sticks and fingers. Keys that are down stay so: a set-back, a
   * lost connection or a menu in between sends no second keydown, and the walk goes
   * on once the player is active again.
   */
  release(): void {
    this.touched.clear();
    this.attack = this.use = this.attacked = this.used = this.sprinting = false;
    this.push = { forward: 0, right: 0 };
  }

  /** A button on the screen or a gamepad. */
  hold(action: Action, down: boolean): void {
    if (down === this.touched.has(action)) return;
    if (down) {
      this.touched.add(action);
      this.down(action);
    } else {
      this.touched.delete(action);
    }
  }

  /** The left button of the mouse, or a finger that rests. */
  setAttack(down: boolean): void {
    this.attack = down;
    this.attacked ||= down;
  }

  /** The right button of the mouse, or a finger that taps. */
  setUse(down: boolean): void {
    this.use = down;
    this.used ||= down;
  }

  /** What hands do in this body step. */
  take(): { attack: Press; use: Press } {
    const now = {
      attack: { down: this.attack || this.attacked, fresh: this.attacked },
      use: { down: this.use || this.used, fresh: this.used },
    };
    this.attacked = this.used = false;
    return now;
  }

  is(action: Action): boolean {
    return this.held.has(action) || this.touched.has(action);
  }

  /** The wire's buttons for a body step. */
  buttons(): number {
    if (!this.active) return this.flying ? Button.Fly : 0;
    const forward = this.is('forward') || this.push.forward > 0.35;
    if (!forward) this.sprinting = false;
    let b = 0;
    if (forward) b |= Button.Forward;
    if (this.is('back') || this.push.forward < -0.35) b |= Button.Back;
    if (this.is('left') || this.push.right < -0.35) b |= Button.Left;
    if (this.is('right') || this.push.right > 0.35) b |= Button.Right;
    if (this.is('jump')) b |= Button.Jump;
    if (this.is('sneak')) b |= Button.Sneak;
    if (this.is('sprint') || this.sprinting || this.push.forward > 0.95) b |= Button.Sprint;
    if (this.flying) b |= Button.Fly;
    return b;
  }

  private keyDown(e: KeyboardEvent): void {
    if (!this.active || e.metaKey || e.altKey || e.ctrlKey) return; // the browser's own, like Ctrl+R
    const action = actionOf(this.settings.now.bindings, e.code);
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(e.code);
    if (action || digit) e.preventDefault();
    if (e.repeat) {
      // Pressed while nothing was active, for example while the connection was lost.
      if (action && walking.has(action)) this.held.add(action);
      return;
    }
    if (digit) this.digit(Number(digit[1]));
    else if (action) {
      this.held.add(action);
      this.down(action);
    }
  }

  private keyUp(e: KeyboardEvent): void {
    const action = actionOf(this.settings.now.bindings, e.code);
    if (action) this.held.delete(action);
  }

  private down(action: Action): void {
    const now = performance.now();
    const twice = now - (this.last.get(action) ?? -Infinity) < DOUBLE_MS;
    this.last.set(action, twice ? -Infinity : now);
    if (twice && action === 'forward') this.sprinting = true;
    if ((twice && action === 'jump') || action === 'fly') this.toggleFly();
    this.pressed(action);
  }

  /** Takes off or lets itself fall, where that is allowed. */
  toggleFly(): void {
    this.flying = this.mayFly && !this.flying;
    if (this.flying) this.tookOff();
  }
}
