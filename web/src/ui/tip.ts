import { isTool, MAX_STACK } from '../game/inventory';
import { info } from '../game/physics/blocks';
import { lackingTool } from '../game/rules';
import { h } from './dom';
import { itemName, t } from './strings';

const NOTHING = { block: 0, count: 0 };

/** Says what the thing in a slot is, beside the mouse or beside the slot that has the focus. */
export class Tip {
  private readonly el = h('div', { class: 'tip', hidden: true, attr: { 'aria-hidden': true } });
  private of: HTMLElement | null = null;
  private shown = '';

  constructor(private readonly over: HTMLElement, private readonly quiet: () => boolean) {
    over.append(this.el);
    over.addEventListener('pointermove', (e) => this.show(e.target as Element, e.clientX + 14, e.clientY + 14));
    over.addEventListener('pointerleave', () => this.hide());
    over.addEventListener('close', () => this.hide());
    over.addEventListener('focusin', (e) => {
      const slot = e.target as Element;
      const { left, bottom } = slot.getBoundingClientRect();
      if (slot.matches(':focus-visible')) this.show(slot, left, bottom + 4);
    });
  }

  /** Goes when the thing that it tells of is no longer there. */
  refresh(): void {
    if (this.of?.dataset.stack !== this.shown) this.hide();
  }

  hide(): void {
    this.el.hidden = true;
    this.of = null;
    this.shown = '';
  }

  private show(target: Element, x: number, y: number): void {
    const slot = target.closest<HTMLElement>('[data-stack]');
    const stack = slot?.dataset.stack;
    if (!stack || this.quiet()) return this.hide();
    if (slot !== this.of || stack !== this.shown) {
      const [block, count] = stack.split('x').map(Number) as [number, number];
      const lines = slot.dataset.lack ? [slot.dataset.lack] : facts(block, count);
      this.el.replaceChildren(h('b', {}, itemName(block)), ...lines.map((l) => h('p', {}, l)));
      this.of = slot;
      this.shown = stack;
    }
    this.el.hidden = false;
    const r = this.over.getBoundingClientRect();
    const { offsetWidth: w, offsetHeight: high } = this.el;
    this.el.style.left = `${Math.max(4, Math.min(x - r.left, r.width - w - 4))}px`;
    this.el.style.top = `${Math.max(4, Math.min(y - r.top, r.height - high - 4))}px`;
  }
}

/** facts is what one may want to know of a thing besides its name. */
export function facts(block: number, count: number): string[] {
  const { tool, light, armour, food } = info(block);
  const needs = lackingTool(block, NOTHING);
  const out: string[] = [];
  if (tool && tool[0] !== 'bow') out.push(t.tip.tool(tool[2]));
  if (armour) out.push(t.tip.guards(armour[1] * 4));
  if (isTool(block)) out.push(t.tip.left(Math.ceil((count / MAX_STACK) * 100)));
  if (food) out.push(t.tip.food(food / 2));
  if (needs) out.push(t.tip.needs(itemName(needs)));
  if (light) out.push(t.tip.light(light));
  return out;
}
