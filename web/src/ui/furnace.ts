import type { Container } from '../game/container';
import { TICK_MS } from '../game/clock';
import { recipes } from '../gen/blocks';
import { h, setText } from './dom';
import { t } from './strings';

/** Ticks of fire at which the flame is as high as it gets. */
const FULL = 1600;

/** What is between the slots of a furnace: its fire, and how far it is with what lies in it. */
export class Furnace {
  private readonly fire = h('span', { class: 'level' });
  private readonly work = h('span', { class: 'level' });
  private readonly told = h('p', { class: 'dim' });

  /** The slots around it: what is smelted, fuel, what has been made. */
  around([input, fuel, output]: HTMLElement[], attr: Record<string, string>): HTMLElement {
    fuel!.classList.add('fuel');
    output!.classList.add('output');
    return h('div', {}, h('div', { class: 'furnace', attr }, input!, h('span', { class: 'flame' }, this.fire), fuel!, h('span', { class: 'arrow' }, this.work), output!), this.told);
  }

  show({ slots, heat, work }: Container): void {
    const [input, fuel] = slots;
    if (!input || !fuel) return;
    const ticks = recipes.find((r) => r.ticks && input.count > 0 && r.in[0]![0] === input.block)?.ticks ?? 0;
    run(this.fire, Math.min(1, heat / FULL), 0, heat);
    const left = work > 0 || heat > 0 ? Math.min(heat, ticks - work) : 0;
    run(this.work, ticks && work / ticks, ticks && (work + left) / ticks, left);
    setText(this.told, heat > 0 ? t.inventory.burns(Math.ceil((heat * TICK_MS) / 1000)) : t.inventory.noFire);
  }
}

/** Lets a bar go from one share to another within some ticks. */
function run(bar: HTMLElement, from: number, to: number, ticks: number): void {
  bar.getAnimations().forEach((a) => a.cancel());
  bar.style.setProperty('--part', String(from));
  if (ticks > 0) bar.animate([{ '--part': from }, { '--part': to }] as Keyframe[], { duration: ticks * TICK_MS, fill: 'forwards' });
}
