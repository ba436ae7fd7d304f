import type { Game } from '../game/game';
import { CONTAINER } from '../game/container';
import { info } from '../game/physics/blocks';
import { CARRIED, collect, HOTBAR, isTool, MAX_STACK, SLOTS, type Stack } from '../game/inventory';
import { ActKind, Mode } from '../net/types';
import { Catalogue } from './catalogue';
import { Crafting } from './crafting';
import { Dialog, h, setText } from './dom';
import { Furnace } from './furnace';
import { type Icons, stackName } from './icons';
import { itemName, t } from './strings';
import { Tip } from './tip';

const COLUMNS = 9;
/** Two presses within so many milliseconds are a double click. */
const DOUBLE_MS = 350;

/** What was taken up: where from and how many. A block of the catalogue comes from −1. */
interface Carried {
  from: number;
  block: number;
  count: number;
}

/**
 * The inventory: slots that can be dragged, clicked and steered by keys; beside them the
 * catalogue, crafting, or the container that is open.
 */
export class InventoryDialog {
  readonly dialog: Dialog;
  /** by their numbers, those of the container from CONTAINER on */
  private readonly slots: HTMLButtonElement[] = [];
  private readonly side = h('section', { class: 'side' });
  private readonly help = h('p', { class: 'dim help' });
  private readonly status = h('p', { class: 'sr-only', attr: { role: 'status' } });
  private readonly ghost = h('div', { class: 'ghost', hidden: true, attr: { 'aria-hidden': true } });
  private carried: Carried | null = null;
  private pressedOn = -2;
  private tookAt = -DOUBLE_MS;
  private sideMode = -1;
  /** it was opened for a container, and closes with it */
  private forContainer = false;
  private readonly catalogue: Catalogue;
  private readonly crafting: Crafting;
  private readonly furnace = new Furnace();
  private readonly tip: Tip;
  sound: (kind: 'pop' | 'click') => void = () => {};

  constructor(private readonly game: Game, private readonly icons: Icons, closed: () => void) {
    this.catalogue = new Catalogue(icons, {
      take: (block, count, e) => {
        this.carry({ from: -1, block, count });
        this.pressedOn = -1;
        this.moveGhost(e);
      },
      pick: (block, slot) => {
        this.letGo();
        this.pickInto(block, slot ?? this.bestSlot());
      },
    });
    this.crafting = new Crafting(game, icons, {
      holds: () => (this.carried && this.carried.from >= 0 ? this.carried.block : 0),
      laid: () => this.laid(),
      letGo: () => this.letGo(),
    }, () => this.sound('pop'));
    const done = h('button', { type: 'button', class: 'close', on: { click: () => this.dialog.close() } }, t.inventory.close);
    this.dialog = new Dialog('inventory', t.inventory.title, { closed: () => { this.letGo(); this.crafting.bench.clear(); game.container.close(); closed(); }, header: [done] });
    for (let i = 0; i < SLOTS; i++) this.slots.push(this.slot(i));
    const grid = (label: string, from: number, to: number): HTMLElement =>
      h('div', { class: 'slots', attr: { role: 'group', 'aria-label': label } }, ...this.slots.slice(from, to));
    const own = h('section', { class: 'own' },
      h('h3', {}, t.inventory.things), grid(t.inventory.things, HOTBAR, CARRIED),
      h('h3', {}, t.inventory.hotbar), grid(t.inventory.hotbar, 0, HOTBAR),
      h('h3', {}, t.inventory.worn), grid(t.inventory.worn, CARRIED, SLOTS), this.help);
    this.dialog.body.append(own, this.side, this.ghost, this.status);
    this.tip = new Tip(this.dialog.el, () => this.carried !== null);
    this.dialog.el.addEventListener('pointermove', (e) => this.moveGhost(e));
    this.dialog.el.addEventListener('pointerup', (e) => this.up(e));
    this.dialog.el.addEventListener('contextmenu', (e) => e.preventDefault());
    this.dialog.el.addEventListener('pointerdown', (e) => this.outside(e));
    game.events.on('inventory', () => this.refresh());
    game.events.on('self', () => this.dialog.open && this.refresh());
    game.events.on('container', (c) => {
      if (!this.dialog.open) return;
      if (this.forContainer && !c.at) this.dialog.close();
      else this.refresh();
    });
  }

  show(): void {
    this.sideMode = -1;
    this.forContainer = this.game.container.at !== null;
    this.refresh();
    this.dialog.show();
    this.slots[this.game.inventory.selected]!.focus();
  }

  private stack(i: number): Stack {
    return (i < CONTAINER ? this.game.inventory.slots[i] : this.game.container.slots[i - CONTAINER]) ?? { block: 0, count: 0 };
  }

  private slot(i: number): HTMLButtonElement {
    return h('button', {
      type: 'button', class: 'slot', attr: { 'data-slot': i },
      on: {
        pointerdown: (e) => this.down(e, i),
        pointerenter: (e) => this.over(e, i),
        keydown: (e) => this.key(e, i),
        click: (e) => { if (e.detail === 0) this.press(i, e.shiftKey); }, // Enter, Space or a screen reader
      },
    });
  }

  private refresh(): void {
    const { selected } = this.game.inventory;
    this.fillSide();
    this.slots.forEach((el, i) => {
      const s = this.stack(i);
      this.icons.fill(el, s.block, s.count);
      el.classList.toggle('selected', i === selected);
      el.classList.toggle('carried', this.carried?.from === i);
      el.setAttribute('aria-label', t.hud.slot(i < CONTAINER ? i + 1 : i - CONTAINER + 1, s.count ? stackName(s.block, s.count) : t.hud.empty));
    });
    this.tip.refresh();
  }

  /** What is beside the own things. */
  private fillSide(): void {
    if (!this.dialog.open && this.sideMode !== -1) return;
    const { container, self } = this.game;
    const mode = this.forContainer ? CONTAINER : self.mode;
    const fresh = mode !== this.sideMode;
    this.sideMode = mode;
    if (mode === CONTAINER) {
      if (fresh || this.slots.length !== CONTAINER + container.slots.length) this.showContainer();
      this.furnace.show(container);
    } else if (fresh) this.side.replaceChildren(...(mode === Mode.Creative ? this.catalogue.elements() : this.crafting.elements));
    if (mode !== CONTAINER && mode !== Mode.Creative) this.crafting.refresh();
    if (!fresh) return;
    if (mode !== CONTAINER) {
      this.slots.length = SLOTS;
      this.dialog.setTitle(t.inventory.title);
    }
    const touch = matchMedia('(pointer: coarse)').matches;
    setText(this.help, touch ? t.inventory.helpTouch : mode === Mode.Creative ? t.inventory.helpCreative : t.inventory.help);
  }

  private showContainer(): void {
    const { at, slots } = this.game.container;
    const block = at ? this.game.engine.block(at.x, at.y, at.z) : 0;
    const name = itemName(block);
    this.slots.length = SLOTS;
    slots.forEach((_, i) => (this.slots[CONTAINER + i] = this.slot(CONTAINER + i)));
    this.dialog.setTitle(name);
    const cells = this.slots.slice(CONTAINER);
    const all = { role: 'group', 'aria-label': name };
    this.side.replaceChildren(h('h3', {}, name), info(block).smelts ? this.furnace.around(cells, all) : h('div', { class: 'slots', attr: all }, ...cells));
  }

  // Taking up and putting down.

  private down(e: PointerEvent, i: number): void {
    if (e.button > 2 || e.button === 1) return;
    e.preventDefault();
    this.slots[i]!.focus();
    this.slots[i]!.releasePointerCapture?.(e.pointerId);
    if (e.shiftKey && e.button === 0) {
      this.sendOver(i);
    } else if (this.carried?.from === i && e.button === 0 && e.timeStamp - this.tookAt < DOUBLE_MS) {
      this.collect(i);
      this.pressedOn = -2;
    } else if (this.carried) {
      this.put(i, e.button === 2);
      this.pressedOn = -2;
    } else {
      this.take(i, e.button === 2);
      this.pressedOn = i;
      this.tookAt = e.timeStamp;
    }
    this.moveGhost(e);
  }

  /** Keys are for the slot under the mouse, unless somebody types; the right button drops one in each slot that it is drawn over. */
  private over(e: PointerEvent, i: number): void {
    if (this.carried && e.buttons === 2 && this.pressedOn === -2) this.put(i, true);
    if (e.pointerType === 'mouse' && !(document.activeElement instanceof HTMLInputElement)) this.slots[i]!.focus({ preventScroll: true });
  }

  /** The end of a drag; where it began, the stack stays in the hand. */
  private up(e: PointerEvent): void {
    const at = document.elementFromPoint(e.clientX, e.clientY);
    const el = at?.closest<HTMLElement>('[data-slot]');
    const i = el ? Number(el.dataset.slot) : -2;
    if (this.carried && this.pressedOn !== -2 && i >= 0 && i !== this.pressedOn) this.put(i, false);
    const cell = at?.closest<HTMLElement>('[data-cell]');
    if (this.carried && this.pressedOn !== -2 && cell) this.crafting.bench.press(Number(cell.dataset.cell));
    this.pressedOn = -2;
  }

  private outside(e: PointerEvent): void {
    const c = this.carried;
    if (!c || e.target !== this.dialog.el) return;
    const r = this.dialog.el.getBoundingClientRect();
    const inside = e.clientX >= r.left && e.clientX <= r.right && e.clientY >= r.top && e.clientY <= r.bottom;
    if (inside) return;
    if (c.from >= 0 && c.from < CONTAINER) this.drop(c.from, e.button === 2 ? 1 : c.count);
    this.letGo();
  }

  private press(i: number, split: boolean): void {
    if (this.carried) this.put(i, split);
    else this.take(i, split);
  }

  private take(i: number, half: boolean): void {
    const s = this.stack(i);
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
    this.move(c.from, i, n >= this.stack(c.from).count ? 0 : n);
    if (c.count > n) this.carry({ ...c, count: c.count - n });
    else this.letGo();
  }

  /** Moves n of a slot, 0 for all, to another. */
  private move(from: number, to: number, n: number): void {
    const { inventory, container, acts, events } = this.game;
    if (from >= CONTAINER || to >= CONTAINER) container.move(from, to, n);
    else if (inventory.move(from, to, n)) {
      acts.do(ActKind.MoveItem, { a: from, b: to, x: n });
      events.emit('inventory', inventory);
    } else return;
    this.sound('pop');
  }

  /** Moves a stack to the other side: into or out of the container, to or from the hot bar. */
  private sendOver(i: number): void {
    const s = this.stack(i);
    if (this.carried || s.count === 0) return;
    if (this.sideMode === CONTAINER) {
      this.game.container.send(i);
      return this.sound('pop');
    }
    const worn = info(s.block).armour;
    if (worn && i < CARRIED && this.stack(CARRIED + worn[0] - 1).count === 0) return this.move(i, CARRIED + worn[0] - 1, 0);
    const others = this.game.inventory.slots.map((o, k) => ({ ...o, k })).filter(({ k }) => k < CARRIED && k < HOTBAR !== i < HOTBAR);
    const to = others.find((o) => o.count > 0 && o.block === s.block && o.count < MAX_STACK && !isTool(s.block)) ?? others.find((o) => o.count === 0);
    if (to) this.move(i, to.k, 0);
  }

  /** Gathers what is of a kind into one slot; what lies in a furnace stays there. */
  private collect(i: number): void {
    this.letGo();
    const { at } = this.game.container;
    const furnace = at && info(this.game.engine.block(at.x, at.y, at.z)).smelts;
    const slots = furnace ? this.slots.slice(0, CARRIED) : this.slots;
    if (i >= slots.length) return;
    for (const { from, count } of collect(slots.map((_, k) => this.stack(k)), i)) this.move(from, i, count);
  }

  private carry(c: Carried): void {
    this.carried = c;
    this.ghost.hidden = false;
    this.icons.fill(this.ghost, c.block, c.count);
    setText(this.status, t.inventory.holding(stackName(c.block, c.count)));
    this.tip.hide();
    this.sound('click');
    this.refresh();
  }

  private letGo(): void {
    this.carried = null;
    this.ghost.hidden = true;
    setText(this.status, '');
    this.refresh();
  }

  /** One of what is carried lies in the crafting grid: it stays where it was taken, and the hand has one less. */
  private laid(): void {
    const c = this.carried!;
    this.sound('click');
    if (c.count > 1) this.carry({ ...c, count: c.count - 1 });
    else this.letGo();
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
      if (i >= CONTAINER) return;
      if (this.game.self.mode === Mode.Creative) this.game.acts.do(ActKind.Pick, { a: 0, b: i });
      else this.drop(i, e.shiftKey ? 1 : 99);
    } else if (/^[1-9]$/.test(e.key)) {
      this.move(i, Number(e.key) - 1, 0);
    } else if (e.key === 'Enter' && e.ctrlKey) {
      e.preventDefault();
      this.sendOver(i);
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
    if (i >= CONTAINER) return i - COLUMNS;
    if (i >= CARRIED) return i - CARRIED;
    return i < HOTBAR ? CARRIED - HOTBAR + i : i - COLUMNS < HOTBAR ? i : i - COLUMNS;
  }

  private below(i: number): number {
    if (i >= CONTAINER) return i + COLUMNS;
    if (i < HOTBAR) return CARRIED + Math.min(i, SLOTS - CARRIED - 1);
    return i >= CARRIED ? i : i + COLUMNS >= CARRIED ? i + COLUMNS - CARRIED : i + COLUMNS;
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
}
