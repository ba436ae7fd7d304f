import type { Game } from '../game/game';
import { HOTBAR } from '../game/inventory';
import { info } from '../game/physics/blocks';
import { lackingTool } from '../game/rules';
import { Mode, Pose } from '../net/types';
import { h, setText } from './dom';
import { type Icons, stackName } from './icons';
import { itemName, mobName, t } from './strings';

const NOTICE_MS = 4500;
const NAME_MS = 1800;
const MAX_NOTICES = 4;

/** What lies over the picture while one plays. */
export class Hud {
  readonly el: HTMLElement;
  private readonly slots: HTMLButtonElement[] = [];
  private readonly hotbar: HTMLElement;
  private readonly health = h('div', { class: 'bar health', attr: { role: 'img' } });
  private readonly food = h('div', { class: 'bar food', attr: { role: 'img' } });
  private readonly armour = h('div', { class: 'bar armour', hidden: true, attr: { role: 'img' } });
  private readonly air = h('div', { class: 'bar air', attr: { role: 'img' } });
  private readonly notices = h('div', { class: 'notices', attr: { role: 'status', 'aria-live': 'polite' } });
  private readonly itemLabel = h('div', { class: 'item-name' });
  private readonly aimedAt = h('div', { class: 'aimed-at', hidden: true });
  private readonly crosshair = h('div', { class: 'crosshair', attr: { 'aria-hidden': true } });
  private readonly ring = h('div', { class: 'dig-ring', attr: { 'aria-hidden': true } });
  private readonly hurt = h('div', { class: 'hurt', attr: { 'aria-hidden': true } });
  private readonly water = h('div', { class: 'under-water', attr: { 'aria-hidden': true } });
  private readonly fire = h('div', { class: 'on-fire', hidden: true, attr: { 'aria-hidden': true } });
  private readonly asleep = h('div', { class: 'asleep', hidden: true, attr: { role: 'status' } }, h('p', {}, t.hud.asleep));
  private readonly stall = h('p', { class: 'stall', hidden: true, attr: { role: 'status' } });
  private readonly visiting = h('p', { class: 'visiting', hidden: true, attr: { role: 'status' } }, t.hud.visiting);
  private readonly fps = h('div', { class: 'fps', hidden: true });
  private nameTimer = 0;
  private lastHeld = '';

  constructor(private readonly game: Game, private readonly icons: Icons) {
    for (let i = 0; i < HOTBAR; i++) {
      const slot = h('button', { type: 'button', class: 'slot', tabIndex: -1, on: { click: () => game.select(i) } });
      slot.append(h('kbd', { attr: { 'aria-hidden': true } }, String(i + 1)));
      this.slots.push(slot);
    }
    this.hotbar = h('div', { class: 'hotbar', attr: { role: 'toolbar', 'aria-label': t.hud.hotbar } }, ...this.slots);
    this.health.append(...Array.from({ length: 10 }, () => h('i')));
    this.food.append(...Array.from({ length: 10 }, () => h('i')));
    this.armour.append(...Array.from({ length: 10 }, () => h('i')));
    this.air.append(...Array.from({ length: 10 }, () => h('i')));
    const bottom = h('div', { class: 'bottom' }, this.itemLabel, h('div', { class: 'bars' }, h('div', {}, this.armour, this.health), h('div', {}, this.air, this.food)), this.hotbar);
    this.el = h('div', { class: 'hud', hidden: true }, this.water, this.fire, this.hurt, this.asleep, this.crosshair, this.ring, this.aimedAt, this.stall, this.notices, this.visiting, bottom, this.fps);
    game.events.on('inventory', () => this.showSlots());
    game.events.on('self', () => this.showSelf());
    game.events.on('hurt', () => this.flash());
    game.events.on('stalled', (on) => this.showStall(on));
    this.showSelf();
  }

  /** Something to read for a moment; the same text twice is shown once. */
  notice(text: string, kind = ''): void {
    if (!text) return;
    for (const old of this.notices.children) if (old.textContent === text) old.remove();
    const el = h('p', { class: `notice ${kind}` }, text);
    this.notices.append(el);
    while (this.notices.children.length > MAX_NOTICES) this.notices.firstChild!.remove();
    setTimeout(() => el.remove(), NOTICE_MS);
  }

  private showSlots(): void {
    const { slots, selected, held, guards } = this.game.inventory;
    this.armour.hidden = guards === 0;
    this.armour.setAttribute('aria-label', t.hud.armour(guards));
    fill(this.armour, guards);
    this.slots.forEach((el, i) => {
      const s = slots[i]!;
      this.icons.fill(el, s.block, s.count);
      el.classList.toggle('selected', i === selected);
      el.setAttribute('aria-pressed', String(i === selected));
      el.setAttribute('aria-label', t.hud.slot(i + 1, s.count ? stackName(s.block, s.count) : t.hud.empty));
    });
    const key = `${selected} ${held.block}`;
    if (key === this.lastHeld) return;
    this.lastHeld = key;
    setText(this.itemLabel, held.count ? itemName(held.block) : '');
    this.itemLabel.classList.add('shown');
    clearTimeout(this.nameTimer);
    this.nameTimer = window.setTimeout(() => this.itemLabel.classList.remove('shown'), NAME_MS);
  }

  private showSelf(): void {
    const { mode, health, air, food, visitor } = this.game.self;
    this.visiting.hidden = !visitor;
    this.health.hidden = mode !== Mode.Survival;
    const bubbles = Math.ceil(air / 30);
    this.air.hidden = mode !== Mode.Survival || bubbles >= 10;
    this.health.setAttribute('aria-label', t.hud.health(health));
    this.air.setAttribute('aria-label', t.hud.air(bubbles));
    this.health.classList.toggle('low', health <= 6);
    fill(this.health, health);
    fill(this.air, bubbles * 2);
    this.food.hidden = mode !== Mode.Survival || food > 20;
    this.food.setAttribute('aria-label', t.hud.food(food));
    this.food.classList.toggle('low', food < 8);
    fill(this.food, food);
  }

  /** The node is silent: says so until it is heard of again. */
  private showStall(on: boolean): void {
    this.stall.hidden = !on;
    setText(this.stall, on ? t.hud.stalled : '');
  }

  private flash(): void {
    this.hurt.classList.remove('now');
    void this.hurt.offsetWidth; // begins the animation anew
    this.hurt.classList.add('now');
  }

  /** Once for each picture. */
  frame(): void {
    const { viewer, hands, self, engine } = this.game;
    const p = hands.progress;
    this.ring.style.setProperty('--p', p.toFixed(2));
    this.ring.hidden = p === 0;
    const aim = viewer.aim ?? { x: 0, y: 0 };
    this.ring.style.left = `${(aim.x + 1) * 50}%`;
    this.ring.style.top = `${(1 - aim.y) * 50}%`;
    this.el.classList.toggle('targets', viewer.target.entity !== null);
    this.crosshair.hidden = self.dead || !(viewer.aim && viewer.aim.x === 0 && viewer.aim.y === 0);
    this.nameAim();
    this.fire.hidden = self.dead || !this.game.does(Pose.Burning);
    this.asleep.hidden = !this.game.inBed || !this.game.does(Pose.Asleep);
    const { x, y, z } = viewer.eye;
    const at = engine.block(Math.floor(x), Math.floor(y), Math.floor(z));
    this.water.hidden = at <= 0 || info(at).fluid === 0;
    this.water.classList.toggle('lava', !this.water.hidden && info(at).light > 0);
  }

  /** What is looked at is called by its name, with the tool that it takes if the hand holds none. */
  private nameAim(): void {
    const { viewer, inventory, self, entities } = this.game;
    const { hit, entity } = viewer.target;
    const other = entity === null ? undefined : entities.all.get(entity);
    const block = entity === null && hit ? hit.block : 0;
    const name = other ? other.name || mobName(other.kind) : block > 0 ? itemName(block) : '';
    const tool = self.mode === Mode.Survival && block > 0 ? lackingTool(block, inventory.held) : 0;
    this.aimedAt.hidden = name === '';
    setText(this.aimedAt, tool ? t.hud.needs(name, itemName(tool)) : name);
  }

  showFps(text: string | null): void {
    this.fps.hidden = text === null;
    if (text) setText(this.fps, text);
  }
}

function fill(bar: HTMLElement, halves: number): void {
  [...bar.children].forEach((el, i) => {
    const n = halves - i * 2;
    el.className = n >= 2 ? 'full' : n === 1 ? 'half' : '';
  });
}
