import { isTool, MAX_STACK } from '../game/inventory';
import { h } from './dom';
import { itemName, t } from './strings';

type Draw = (block: number, size: number) => HTMLCanvasElement;
const SIZE = 64;

/** Pictures of blocks for slots, drawn once each. */
export class Icons {
  private readonly urls = new Map<number, string>();

  constructor(private readonly draw: Draw) {}

  url(block: number): string {
    let url = this.urls.get(block);
    if (!url) this.urls.set(block, (url = this.draw(block, SIZE).toDataURL()));
    return url;
  }

  /** Puts a stack into a slot's element: a picture and a number, or a tool's condition, or nothing. */
  fill(el: HTMLElement, block: number, count: number): void {
    const key = count > 0 ? `${block}x${count}` : '';
    if (el.dataset.stack === key) return;
    el.dataset.stack = key;
    el.querySelector('.item')?.remove();
    if (count === 0) return;
    const img = h('img', { src: this.url(block), alt: '', draggable: false });
    if (isTool(block)) {
      const bar = h('span', { class: 'condition', hidden: count >= MAX_STACK });
      bar.style.setProperty('--part', String(count / MAX_STACK));
      el.append(h('span', { class: 'item' }, img, bar));
      return;
    }
    el.append(h('span', { class: 'item' }, img, count > 1 && h('span', { class: 'count' }, String(count))));
  }
}

/** A stack as it is called. */
export function stackName(block: number, count: number): string {
  return isTool(block) ? t.hud.tool(itemName(block), Math.ceil((count / MAX_STACK) * 100)) : t.hud.item(itemName(block), count);
}

/** How much one of a kind is in a slot. */
export const oneOf = (block: number): number => (isTool(block) ? MAX_STACK : 1);
