import type { Action } from './bindings';
import type { Controls } from './controls';
import type { Look } from './look';

/** Sticks rest somewhere near the middle. */
const DEAD = 0.18;
/** Radians a second at full deflection. */
const TURN = 3.2;

/** Buttons of the standard layout that are held, and what they do. */
const held: readonly [number, Action][] = [[0, 'jump'], [1, 'sneak'], [10, 'sprint']];
/** Buttons that do something once. */
const ATTACK = 7;
const USE = 6;
const once: readonly [number, GamepadDeed][] = [
  [2, 'inventory'], [3, 'fly'], [4, 'previous'], [5, 'next'], [8, 'map'], [9, 'menu'], [11, 'pick'], [12, 'chat'],
];

export type GamepadDeed = 'inventory' | 'fly' | 'previous' | 'next' | 'map' | 'menu' | 'pick' | 'chat';

/** A gamepad of the standard layout: left stick walks, right stick looks, triggers place and break. */
export class Gamepads {
  /** a gamepad was used: the mouse need not be caught */
  woken: () => void = () => {};
  deed: (d: GamepadDeed) => void = () => {};
  private readonly before = new Set<number>();
  private moving = false;

  constructor(private readonly controls: Controls, private readonly look: Look) {}

  /** Once for each picture. */
  frame(dt: number, sensitivity: number, invertY: boolean): void {
    const pad = navigator.getGamepads?.().find((p) => p?.mapping === 'standard');
    if (!pad) return;
    const axis = (i: number): number => {
      const v = pad.axes[i] ?? 0;
      return Math.abs(v) < DEAD ? 0 : v;
    };
    const down = (i: number): boolean => (pad.buttons[i]?.value ?? 0) > 0.4;
    const used = pad.buttons.some((_, i) => down(i)) || [0, 1, 2, 3].some((i) => axis(i) !== 0);
    if (!used && this.before.size === 0 && !this.moving) return;
    if (used) this.woken();
    for (const [i, d] of once) if (this.fresh(i, down(i))) this.deed(d);
    if (!this.controls.active) return;
    this.moving = axis(0) !== 0 || axis(1) !== 0;
    this.controls.push = { forward: -axis(1), right: axis(0) };
    for (const [i, action] of held) if (down(i) !== this.before.has(i)) this.controls.hold(action, this.keep(i, down(i)));
    if (down(ATTACK) !== this.before.has(ATTACK)) this.controls.setAttack(this.keep(ATTACK, down(ATTACK)));
    if (down(USE) !== this.before.has(USE)) this.controls.setUse(this.keep(USE, down(USE)));
    const k = TURN * dt * sensitivity;
    // squared: fine near the middle
    const [x, y] = [axis(2) * Math.abs(axis(2)), axis(3) * Math.abs(axis(3))];
    if (x || y) this.look.set(this.look.yaw + x * k, this.look.pitch - y * k * (invertY ? -1 : 1));
  }

  private keep(i: number, on: boolean): boolean {
    if (on) this.before.add(i);
    else this.before.delete(i);
    return on;
  }

  private fresh(i: number, on: boolean): boolean {
    const was = this.before.has(i);
    this.keep(i, on);
    return on && !was;
  }
}
