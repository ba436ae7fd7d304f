import type { Heard } from '../audio';
import { EntityKind } from '../net/types';
import { h, setText } from './dom';
import { mobName, t } from './strings';

/** How long a line stays, and how many there are. */
const STAYS_MS = 2500;
const MOST = 5;
/** Metres beyond which nothing is heard. */
const FAR = 28;

/** What is heard, in words, with the side that it comes from. */
export class Subtitles {
  readonly el = h('ul', { class: 'subtitles', hidden: true, attr: { 'aria-hidden': true } });
  private readonly lines = new Map<string, { el: HTMLElement; timer: number }>();

  constructor(private readonly ear: () => { x: number; y: number; z: number; yaw: number }) {}

  hear(what: Heard, at: { x: number; y: number; z: number } | null, mob: number): void {
    if (this.el.hidden) return;
    const who = mob === EntityKind.Player ? '' : mobName(mob);
    const text = who ? t.sounds.of(who, t.sounds[what]) : t.sounds[what];
    const side = at ? this.side(at) : 0;
    if (side === null) return;
    const known = this.lines.get(text);
    const el = known?.el ?? h('li', {});
    setText(el, `${side < -0.35 ? '◀ ' : ''}${text}${side > 0.35 ? ' ▶' : ''}`);
    clearTimeout(known?.timer);
    this.lines.set(text, { el, timer: window.setTimeout(() => this.forget(text), STAYS_MS) });
    if (!known) this.el.append(el);
    if (this.lines.size > MOST) this.forget(this.lines.keys().next().value!);
  }

  private forget(text: string): void {
    this.lines.get(text)?.el.remove();
    this.lines.delete(text);
  }

  /** −1 is left, 1 is right; null is too far away. */
  private side(at: { x: number; y: number; z: number }): number | null {
    const ear = this.ear();
    const [dx, dy, dz] = [at.x - ear.x, at.y - ear.y, at.z - ear.z];
    const far = Math.hypot(dx, dy, dz);
    if (far > FAR) return null;
    return far < 1 ? 0 : (dx * Math.cos(ear.yaw) + dz * Math.sin(ear.yaw)) / far;
  }
}
