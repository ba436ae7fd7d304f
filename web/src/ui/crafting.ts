import type { Game } from '../game/game';
import { recipes, type Recipe } from '../gen/blocks';
import { ActKind } from '../net/types';
import { Bench, type Hand } from './bench';
import { h } from './dom';
import { type Icons, stackName } from './icons';
import { itemName, t } from './strings';

/** A recipe, how often it can be made of what is carried, and how many of its kinds are there. */
interface Row {
  recipe: Recipe;
  number: number;
  times: number;
  there: number;
}

/**
 * The crafting grid, and the recipe book: what can be made of what is carried, then what lacks something, with
 * what that is. Without a search only recipes are shown of which something is there.
 */
export class Crafting {
  readonly elements: HTMLElement[];
  readonly bench: Bench;
  private readonly list = h('ul', { class: 'recipes', tabIndex: -1 });
  private readonly none = h('p', { class: 'dim' });
  private readonly search = h('input', {
    type: 'search', placeholder: t.inventory.recipesHint, autocomplete: 'off',
    attr: { 'aria-label': t.inventory.recipesSearch }, on: { input: () => this.refresh(), keydown: (e) => e.stopPropagation() },
  });
  private readonly all = h('input', { type: 'checkbox', on: { change: () => this.refresh() } });

  constructor(private readonly game: Game, private readonly icons: Icons, hand: Hand, private readonly made: () => void) {
    this.bench = new Bench(game, icons, hand, (recipe, times) => this.make(recipe, times));
    const all = h('label', { class: 'all' }, this.all, t.inventory.recipesAll);
    this.elements = [h('h3', {}, t.inventory.crafting), this.bench.el, h('div', { class: 'book' }, this.search, all), this.list, this.none];
  }

  refresh(): void {
    this.bench.refresh();
    const { inventory } = this.game;
    const want = this.search.value.trim().toLowerCase();
    const found = recipes
      .map((recipe, number): Row => ({
        recipe, number,
        times: recipe.ticks ? 0 : Math.min(...recipe.in.map(([b, n]) => Math.floor(inventory.count(b) / n))),
        there: recipe.in.filter(([b, n]) => inventory.count(b) >= n).length / recipe.in.length,
      }))
      .filter((r) => (want ? itemName(r.recipe.out[0]).toLowerCase().includes(want) : this.all.checked || r.recipe.in.some(([b]) => inventory.count(b) > 0)))
      .sort((a, b) => Number(b.times > 0) - Number(a.times > 0) || b.there - a.there);
    const focused = this.list.contains(document.activeElement) ? document.activeElement?.getAttribute('data-recipe') : null;
    this.list.replaceChildren(...found.map((r) => this.row(r)));
    // What was pressed may be gone or of no use now: with the focus outside of the dialog its keys would do nothing.
    if (focused) (this.list.querySelector<HTMLElement>(`[data-recipe="${focused}"]:not(:disabled)`) ?? this.list).focus();
    this.none.textContent = found.length ? '' : want ? t.inventory.none : t.inventory.noRecipes;
  }

  private make(recipe: number, times: number): void {
    this.game.acts.do(ActKind.Craft, { a: recipe, b: Math.min(times, 64) });
    this.made();
  }

  private row({ recipe: { out, in: needs, ticks }, number, times }: Row): HTMLElement {
    const names = needs.map(([b, n]) => this.needed(b, n)).join('; ');
    const make = h('button', {
      type: 'button', disabled: times < 1,
      attr: { 'data-recipe': number, 'aria-label': `${t.inventory.craft(itemName(out[0]), out[1])}. ${t.inventory.needs}: ${names}` },
      on: { click: (e) => this.make(number, e.shiftKey ? times : 1) },
    }, this.picture(...out), h('span', {}, itemName(out[0]), ticks ? h('small', { class: 'dim' }, ` ${t.inventory.smelted(ticks / 20)}`) : false));
    return h('li', {}, make, h('span', { class: 'needs', attr: { 'aria-hidden': true } }, ...needs.map(([b, n]) => {
      const lacks = this.game.inventory.count(b) < n;
      const el = this.picture(b, n, lacks ? this.needed(b, n) : '');
      el.classList.toggle('missing', lacks);
      return el;
    })));
  }

  /** What a recipe needs, and how much of it is there if that is not enough. */
  private needed(block: number, n: number): string {
    const have = this.game.inventory.count(block);
    return have < n ? t.inventory.missing(itemName(block), have, n) : stackName(block, n);
  }

  private picture(block: number, count: number, missing = ''): HTMLElement {
    const el = h('span', { class: 'slot small' });
    this.icons.fill(el, block, count);
    if (missing) el.dataset.lack = missing;
    return el;
  }
}
