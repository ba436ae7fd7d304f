import { Grid, GRID_SIDE } from '../game/grid';
import type { Game } from '../game/game';
import { recipes } from '../gen/blocks';
import { h } from './dom';
import { type Icons, stackName } from './icons';
import { itemName, t } from './strings';

/** What the mouse holds. */
export interface Hand {
  /** the kind, 0: nothing */
  holds(): number;
  /** one of it has been laid down */
  laid(): void;
  letGo(): void;
}

/** The crafting grid with what can be made of what lies in it. */
export class Bench {
  readonly el: HTMLElement;
  private readonly grid: Grid;
  private readonly cells: HTMLButtonElement[];
  private readonly out = h('div', { class: 'results', attr: { role: 'group', 'aria-label': t.inventory.results } });

  constructor(game: Game, private readonly icons: Icons, private readonly hand: Hand, private readonly craft: (recipe: number, times: number) => void) {
    this.grid = new Grid((b) => game.inventory.count(b));
    this.cells = this.grid.cells.map((_, i) => this.cell(i));
    this.el = h('div', { class: 'bench' },
      h('div', { class: 'cells', attr: { role: 'group', 'aria-label': t.inventory.grid } }, ...this.cells), h('span', { class: 'arrow' }), this.out);
  }

  /** Lays one of what the hand holds into a cell; an empty hand takes out what lies there. */
  press(i: number): void {
    const block = this.hand.holds();
    if (!block) this.grid.clear(i);
    else if (this.grid.lay(i, block)) this.hand.laid();
    this.refresh();
  }

  clear(): void {
    this.grid.clearAll();
  }

  refresh(): void {
    this.grid.trim();
    this.cells.forEach((el, i) => {
      const b = this.grid.cells[i]!;
      this.icons.fill(el, b, b ? 1 : 0);
      el.setAttribute('aria-label', t.hud.slot(i + 1, b ? itemName(b) : t.hud.empty));
    });
    const focused = this.out.contains(document.activeElement);
    const found = this.grid.results().map((r) => this.result(r.recipe, r.times));
    this.out.replaceChildren(...(found.length ? found : [h('p', { class: 'dim' }, t.inventory.gridHint)]));
    if (focused) (found[0] ?? this.cells[0]!).focus(); // outside of the dialog its keys would do nothing
  }

  private result(recipe: number, times: number): HTMLElement {
    const [block, count] = recipes[recipe]!.out;
    const el = h('button', {
      type: 'button', class: 'slot', attr: { 'data-result': recipe, 'aria-label': t.inventory.craft(itemName(block), count), title: stackName(block, count) },
      on: { click: (e) => this.craft(recipe, e.shiftKey ? times : 1) },
    });
    this.icons.fill(el, block, count);
    return el;
  }

  private cell(i: number): HTMLButtonElement {
    return h('button', {
      type: 'button', class: 'slot', attr: { 'data-cell': i },
      on: {
        pointerdown: (e) => { if (e.button === 0 || e.button === 2) { e.preventDefault(); this.cells[i]!.focus(); this.cells[i]!.releasePointerCapture?.(e.pointerId); this.press(i); } },
        pointerenter: (e) => { if (e.buttons === 2 && this.hand.holds()) this.press(i); }, // drawn over, as in slots
        click: (e) => { if (e.detail === 0) this.press(i); }, // Enter, Space or a screen reader
        keydown: (e) => this.key(e, i),
      },
    });
  }

  private key(e: KeyboardEvent, i: number): void {
    const to = { ArrowLeft: i - 1, ArrowRight: i + 1, ArrowUp: i - GRID_SIDE, ArrowDown: i + GRID_SIDE }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      this.cells[to]?.focus();
    } else if (e.key === 'Escape' && this.hand.holds()) {
      e.preventDefault();
      this.hand.letGo();
    }
  }
}
