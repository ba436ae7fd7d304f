import type { Game } from '../game/game';
import { HOTBAR, isTool, itemName, SLOTS } from '../game/inventory';
import { ActKind, Mode } from '../net/types';
import { blocks, recipes } from '../gen/blocks';
import { Dialog, h, setText } from './dom';
import { type Icons, oneOf, stackName } from './icons';
import { t } from './strings';

const COLUMNS = 9;

/** What was taken up: where from and how many. A block of the catalogue comes from −1. */
interface Carried {
  from: number;
  block: number;
  count: number;
}

/** The inventory: slots that can be dragged, clicked and steered by keys; the catalogue; crafting. */
export class InventoryDialog {
  readonly dialog: Dialog;
  private readonly slots: HTMLButtonElement[] = [];
  private readonly side = h('section', { class: 'side' });
  private readonly help = h('p', { class: 'dim help' });
  private readonly status = h('p', { class: 'sr-only', attr: { role: 'status' } });
  private readonly ghost = h('div', { class: 'ghost', hidden: true, attr: { 'aria-hidden': true } });
  private carried: Carried | null = null;
  private pressedOn = -2;
  private sideMode = -1;
  sound: (kind: 'pop' | 'click') => void = () => {};

  constructor(private readonly game: Game, private readonly icons: Icons, closed: () => void) {
    const done = h('button', { type: 'button', class: 'close', on: { click: () => this.dialog.close() } }, t.inventory.close);
    this.dialog = new Dialog('inventory', t.inventory.title, { closed: () => { this.letGo(); closed(); }, header: [done] });
    for (let i = 0; i < SLOTS; i++) this.slots.push(this.slot(i));
    const grid = (label: string, from: number, to: number): HTMLElement =>
      h('div', { class: 'slots', attr: { role: 'group', 'aria-label': label } }, ...this.slots.slice(from, to));
    const own = h('section', { class: 'own' },
      h('h3', {}, t.inventory.things), grid(t.inventory.things, HOTBAR, SLOTS),
      h('h3', {}, t.inventory.hotbar), grid(t.inventory.hotbar, 0, HOTBAR), this.help);
    this.dialog.body.append(own, this.side, this.ghost, this.status);
    this.dialog.el.addEventListener('pointermove', (e) => this.moveGhost(e));
    this.dialog.el.addEventListener('pointerup', (e) => this.up(e));
    this.dialog.el.addEventListener('contextmenu', (e) => e.preventDefault());
    this.dialog.el.addEventListener('pointerdown', (e) => this.outside(e));
    game.events.on('inventory', () => this.refresh());
    game.events.on('self', () => this.dialog.open && this.refresh());
  }

  show(): void {
    this.sideMode = -1;
    this.refresh();
    this.dialog.show();
    this.slots[this.game.inventory.selected]!.focus();
  }

  private slot(i: number): HTMLButtonElement {
    return h('button', {
      type: 'button', class: 'slot', attr: { 'data-slot': i },
      on: {
        pointerdown: (e) => this.down(e, i),
        keydown: (e) => this.key(e, i),
        click: (e) => { if (e.detail === 0) this.press(i, e.shiftKey); }, // Enter, Space or a screen reader
      },
    });
  }

  private refresh(): void {
    const { slots, selected } = this.game.inventory;
    this.slots.forEach((el, i) => {
      const s = slots[i]!;
      this.icons.fill(el, s.block, s.count);
      el.classList.toggle('selected', i === selected);
      el.classList.toggle('carried', this.carried?.from === i);
      el.title = s.count ? stackName(s.block, s.count) : '';
      el.setAttribute('aria-label', t.hud.slot(i + 1, s.count ? stackName(s.block, s.count) : t.hud.empty));
    });
    if (!this.dialog.open && this.sideMode !== -1) return;
    const mode = this.game.self.mode;
    if (mode !== this.sideMode) {
      this.sideMode = mode;
      this.side.replaceChildren(...(mode === Mode.Creative ? this.catalogue() : this.crafting()));
      const touch = matchMedia('(pointer: coarse)').matches;
      setText(this.help, touch ? t.inventory.helpTouch : mode === Mode.Creative ? t.inventory.helpCreative : t.inventory.help);
    } else if (mode !== Mode.Creative) this.side.replaceChildren(...this.crafting());
  }

  // Taking up and putting down.

  private down(e: PointerEvent, i: number): void {
    if (e.button > 2 || e.button === 1) return;
    e.preventDefault();
    this.slots[i]!.focus();
    this.slots[i]!.releasePointerCapture?.(e.pointerId);
    if (this.carried) {
      this.put(i, e.button === 2);
      this.pressedOn = -2;
    } else {
      this.take(i, e.button === 2);
      this.pressedOn = i;
    }
    this.moveGhost(e);
  }

  /** The end of a drag; where it began, the stack stays in the hand. */
  private up(e: PointerEvent): void {
    const el = document.elementFromPoint(e.clientX, e.clientY)?.closest<HTMLElement>('[data-slot]');
    const i = el ? Number(el.dataset.slot) : -2;
    if (this.carried && this.pressedOn !== -2 && i >= 0 && i !== this.pressedOn) this.put(i, false);
    this.pressedOn = -2;
  }

  private outside(e: PointerEvent): void {
    const c = this.carried;
    if (!c || e.target !== this.dialog.el) return;
    const r = this.dialog.el.getBoundingClientRect();
    const inside = e.clientX >= r.left && e.clientX <= r.right && e.clientY >= r.top && e.clientY <= r.bottom;
    if (inside) return;
    if (c.from >= 0) this.drop(c.from, e.button === 2 ? 1 : c.count);
    this.letGo();
  }

  private press(i: number, split: boolean): void {
    if (this.carried) this.put(i, split);
    else this.take(i, split);
  }

  private take(i: number, half: boolean): void {
    const s = this.game.inventory.slots[i]!;
    if (s.count === 0) return;
    this.carry({ from: i, block: s.block, count: half && !isTool(s.block) ? Math.ceil(s.count / 2) : s.count });
  }

  private put(i: number, one: boolean): void {
    const c = this.carried!;
    if (c.from === -1) {
      this.game.acts.do(ActKind.Pick, { a: c.block, b: i });
      return this.letGo();
    }
    if (c.from === i) return this.letGo();
    const n = one && !isTool(c.block) ? 1 : c.count;
    const all = n >= this.game.inventory.slots[c.from]!.count;
    if (this.game.inventory.move(c.from, i, all ? 0 : n)) {
      this.game.acts.do(ActKind.MoveItem, { a: c.from, b: i, x: all ? 0 : n });
      this.sound('pop');
    }
    this.game.events.emit('inventory', this.game.inventory);
    if (c.count > n) this.carry({ ...c, count: c.count - n });
    else this.letGo();
  }

  private carry(c: Carried): void {
    this.carried = c;
    this.ghost.hidden = false;
    this.icons.fill(this.ghost, c.block, c.count);
    setText(this.status, t.inventory.holding(stackName(c.block, c.count)));
    this.sound('click');
    this.refresh();
  }

  private letGo(): void {
    this.carried = null;
    this.ghost.hidden = true;
    setText(this.status, '');
    this.refresh();
  }

  private drop(i: number, count: number): void {
    this.game.acts.do(ActKind.Drop, { a: i, b: count });
  }

  private moveGhost(e: PointerEvent): void {
    const r = this.dialog.el.getBoundingClientRect();
    this.ghost.style.transform = `translate(${e.clientX - r.left}px, ${e.clientY - r.top}px)`;
  }

  private key(e: KeyboardEvent, i: number): void {
    const to = { ArrowLeft: i - 1, ArrowRight: i + 1, ArrowUp: this.above(i), ArrowDown: this.below(i) }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      this.slots[to]?.focus();
    } else if (e.key === 'Delete' || e.key === 'Backspace') {
      if (this.game.self.mode === Mode.Creative) this.game.acts.do(ActKind.Pick, { a: 0, b: i });
      else this.drop(i, e.shiftKey ? 1 : 99);
    } else if (/^[1-9]$/.test(e.key)) {
      const n = Number(e.key) - 1;
      if (this.game.inventory.move(i, n, 0)) this.game.acts.do(ActKind.MoveItem, { a: i, b: n });
      this.game.events.emit('inventory', this.game.inventory);
    } else if (e.key === 'Enter' && e.shiftKey) {
      e.preventDefault();
      this.press(i, true);
    } else if (e.key === 'Escape' && this.carried) {
      e.preventDefault();
      this.letGo();
    }
  }

  // The hot bar lies below the rest but has the first numbers.
  private above(i: number): number {
    return i < HOTBAR ? SLOTS - HOTBAR + i : i - COLUMNS < HOTBAR ? i : i - COLUMNS;
  }

  private below(i: number): number {
    return i < HOTBAR ? i : i + COLUMNS >= SLOTS ? i + COLUMNS - SLOTS : i + COLUMNS;
  }

  // The other half: all blocks, or what can be made.

  private catalogue(): HTMLElement[] {
    const search = h('input', {
      type: 'search', placeholder: t.inventory.searchHint, autocomplete: 'off',
      attr: { 'aria-label': t.inventory.search }, on: { input: () => fill(), keydown: (e) => e.stopPropagation() },
    });
    const list = h('div', { class: 'slots wide', attr: { role: 'group', 'aria-label': t.inventory.catalogue } });
    const fill = (): void => {
      const want = search.value.trim().toLowerCase();
      const found = blocks.filter((b) => b.item && b.title.toLowerCase().includes(want));
      list.replaceChildren(...(found.length ? found.map((b) => this.catalogueSlot(b.id)) : [h('p', { class: 'dim' }, t.inventory.none)]));
    };
    fill();
    return [h('h3', {}, t.inventory.catalogue), search, list];
  }

  private catalogueSlot(block: number): HTMLElement {
    const el = h('button', {
      type: 'button', class: 'slot', title: itemName(block), attr: { 'aria-label': itemName(block) },
      on: {
        pointerdown: (e) => {
          if (e.pointerType !== 'mouse' || e.button !== 0) return;
          this.carry({ from: -1, block, count: oneOf(block) });
          this.pressedOn = -1;
          this.moveGhost(e);
        },
        click: () => { this.letGo(); this.pickInto(block, this.bestSlot()); },
        keydown: (e) => {
          if (!/^[1-9]$/.test(e.key)) return;
          e.preventDefault();
          this.pickInto(block, Number(e.key) - 1);
        },
      },
    });
    this.icons.fill(el, block, oneOf(block));
    return el;
  }

  /** The first empty slot of the hot bar, or else the selected one. */
  private bestSlot(): number {
    const { slots, selected } = this.game.inventory;
    if (slots[selected]!.count === 0) return selected;
    const empty = slots.findIndex((s, i) => i < HOTBAR && s.count === 0);
    return empty >= 0 ? empty : selected;
  }

  private pickInto(block: number, slot: number): void {
    this.game.acts.do(ActKind.Pick, { a: block, b: slot });
    this.game.select(slot);
    this.sound('pop');
  }

  private crafting(): HTMLElement[] {
    const { inventory } = this.game;
    const rows = recipes
      .map((r, i) => ({ r, i, times: Math.min(...r.in.map(([b, n]) => Math.floor(inventory.count(b) / n))), some: r.in.some(([b]) => inventory.count(b) > 0) }))
      .filter((x) => x.some)
      .sort((a, b) => Number(b.times > 0) - Number(a.times > 0))
      .map(({ r, i, times }) => this.recipe(i, r.out, r.in, times));
    return [h('h3', {}, t.inventory.crafting), rows.length ? h('ul', { class: 'recipes' }, ...rows) : h('p', { class: 'dim' }, t.inventory.noRecipes)];
  }

  private recipe(i: number, out: readonly [number, number], needs: readonly (readonly [number, number])[], times: number): HTMLElement {
    const picture = (block: number, count: number): HTMLElement => {
      const el = h('span', { class: 'slot small', title: itemName(block) });
      this.icons.fill(el, block, count);
      return el;
    };
    const names = needs.map(([b, n]) => stackName(b, n)).join('; ');
    const make = h('button', {
      type: 'button', disabled: times < 1, attr: { 'aria-label': `${t.inventory.craft(itemName(out[0]), out[1])}. ${t.inventory.needs}: ${names}` },
      on: { click: (e) => { this.game.acts.do(ActKind.Craft, { a: i, b: e.shiftKey ? Math.min(times, 64) : 1 }); this.sound('pop'); } },
    }, picture(...out), h('span', {}, itemName(out[0])));
    return h('li', {}, make, h('span', { class: 'needs', attr: { 'aria-hidden': true } }, ...needs.map(([b, n]) => picture(b, n))));
  }
}
