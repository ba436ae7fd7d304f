import type { Game } from '../game/game';
import { h, setText } from './dom';
import { t } from './strings';

/** Half of what the compass shows, radians. */
const HALF = 1.1;

/** bearing is where a place lies as seen from another: radians from the look, −π to π, positive to the right. */
export function bearing(from: { x: number; z: number }, yaw: number, to: { x: number; z: number }): number {
  const a = Math.atan2(to.x - from.x, from.z - to.z) - yaw;
  return a - Math.round(a / (2 * Math.PI)) * 2 * Math.PI;
}

/** A strip with the points of the compass, where the world begins, and the places that were marked. */
export class Compass {
  readonly el = h('div', { class: 'compass', hidden: true, attr: { 'aria-hidden': true } });
  private readonly marks = new Map<string, HTMLElement>();

  constructor(private readonly game: Game) {}

  frame(): void {
    if (this.el.hidden) return;
    const { welcome, viewer, look, waypoints } = this.game;
    const seen = new Set<string>();
    t.compass.points.forEach((name, i) => {
      const yaw = (i * Math.PI) / 2;
      this.mark(`p${i}`, name, '', bearing({ x: 0, z: 0 }, look.yaw, { x: Math.sin(yaw), z: -Math.cos(yaw) }), seen);
    });
    const place = (key: string, kind: string, name: string, to: { x: number; z: number }): void => {
      const far = Math.round(Math.hypot(to.x - viewer.eye.x, to.z - viewer.eye.z));
      if (far > 2) this.mark(key, t.compass.far(name, far), kind, bearing(viewer.eye, look.yaw, to), seen);
    };
    if (welcome) place('spawn', 'spawn', '', { x: welcome.spawn.x / 4096, z: welcome.spawn.z / 4096 });
    waypoints.list.forEach((w, i) => place(`w${i}`, 'way', w.name, { x: w.x + 0.5, z: w.z + 0.5 }));
    for (const [key, el] of this.marks) el.hidden = !seen.has(key);
  }

  private mark(key: string, text: string, kind: string, at: number, seen: Set<string>): void {
    if (Math.abs(at) > HALF) return;
    seen.add(key);
    let el = this.marks.get(key);
    if (!el) {
      el = h('span', { class: kind });
      this.marks.set(key, el);
      this.el.append(el);
    }
    setText(el, text);
    el.style.left = `${50 + (at / HALF) * 50}%`;
    el.style.opacity = String(Math.min(1, (HALF - Math.abs(at)) * 4));
  }
}
