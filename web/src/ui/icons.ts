import { h } from './dom';

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

  /** Puts a stack into a slot's element: a picture and a number, or nothing. */
  fill(el: HTMLElement, block: number, count: number): void {
    const key = count > 0 ? `${block}x${count}` : '';
    if (el.dataset.stack === key) return;
    el.dataset.stack = key;
    el.querySelector('.item')?.remove();
    if (count === 0) return;
    const img = h('img', { src: this.url(block), alt: '', draggable: false });
    el.append(h('span', { class: 'item' }, img, count > 1 && h('span', { class: 'count' }, String(count))));
  }
}
