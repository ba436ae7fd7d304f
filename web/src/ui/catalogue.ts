import { blocks } from '../gen/blocks';
import { h } from './dom';
import { type Icons, oneOf } from './icons';
import { itemName, t } from './strings';

/** What the catalogue does with a block. */
interface CatalogueEnv {
  /** takes it up with the mouse */
  take(block: number, count: number, e: PointerEvent): void;
  /** puts it into a slot of the hot bar, into the best one if none is named */
  pick(block: number, slot?: number): void;
}

/** All blocks, for creative players, with a search. */
export class Catalogue {
  constructor(private readonly icons: Icons, private readonly env: CatalogueEnv) {}

  elements(): HTMLElement[] {
    const search = h('input', {
      type: 'search', placeholder: t.inventory.searchHint, autocomplete: 'off',
      attr: { 'aria-label': t.inventory.search }, on: { input: () => fill(), keydown: (e) => e.stopPropagation() },
    });
    const list = h('div', { class: 'slots wide', attr: { role: 'group', 'aria-label': t.inventory.catalogue } });
    const fill = (): void => {
      const want = search.value.trim().toLowerCase();
      const found = blocks.filter((b) => b.item && b.title.toLowerCase().includes(want));
      list.replaceChildren(...(found.length ? found.map((b) => this.slot(b.id)) : [h('p', { class: 'dim' }, t.inventory.none)]));
    };
    fill();
    return [h('h3', {}, t.inventory.catalogue), search, list];
  }

  private slot(block: number): HTMLElement {
    const el = h('button', {
      type: 'button', class: 'slot', attr: { 'aria-label': itemName(block) },
      on: {
        pointerdown: (e) => {
          if (e.pointerType === 'mouse' && e.button === 0) this.env.take(block, oneOf(block), e);
        },
        click: () => this.env.pick(block),
        keydown: (e) => {
          if (!/^[1-9]$/.test(e.key)) return;
          e.preventDefault();
          this.env.pick(block, Number(e.key) - 1);
        },
      },
    });
    this.icons.fill(el, block, oneOf(block));
    return el;
  }
}
