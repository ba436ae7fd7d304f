// The wand chooses a box of blocks by its corners, for the commands that build (docs/play.md).
import type { Hit } from '../game/raycast';
import { blocks } from '../gen/blocks';
import { button, Dialog, h, setText } from './dom';
import type { InterfaceApp } from './interfaceApp';
import { Schematics } from './schematics';
import { t } from './strings';

type Corner = readonly [number, number, number];

export class Wand {
  /** what is chosen, over the game */
  readonly el = h('section', { class: 'wand-over', hidden: true, attr: { 'aria-live': 'polite' } });
  readonly dialog: Dialog;
  private readonly size = h('p', { class: 'dim' });
  private boxed: HTMLButtonElement[] = [];
  private readonly corners: [Corner | null, Corner | null] = [null, null];

  constructor(private readonly app: InterfaceApp) {
    this.dialog = new Dialog('wand', t.wand.title, { closed: () => app.resume() });
    const { game } = app;
    const say = (text: string): void => {
      game.say(text);
      this.dialog.close();
    };
    const box = (): string => this.corners.map((c) => c!.join(' ')).join(' ');
    const held = (): string => (game.inventory.held.count > 0 ? blocks[game.inventory.held.block]!.name : 'air');
    const group = (...all: [string, () => void][]): HTMLElement => h('div', { class: 'menu-list' }, ...all.map(([text, f]) => button(text, f)));
    /** what needs both corners */
    const boxed = (...all: [string, () => void][]): HTMLElement => {
      this.boxed = all.map(([text, f]) => button(text, f));
      return h('div', { class: 'menu-list' }, ...this.boxed);
    };
    const w = t.wand;
    const files = new Schematics(game, () => this.show(w.tooLarge));
    const shut = (act: () => void): void => {
      act();
      this.dialog.close();
    };
    this.dialog.body.append(
      this.size,
      boxed(
        [w.fill, () => say(`/fill ${box()} ${held()}`)], [w.walls, () => say(`/walls ${box()} ${held()}`)],
        [w.hollow, () => say(`/hollow ${box()} ${held()}`)], [w.line, () => say(`/line ${box()} ${held()}`)],
        [w.empty, () => say(`/fill ${box()} air`)], [w.copy, () => say(`/copy ${box()}`)], [w.cut, () => say(`/cut ${box()}`)],
        [w.inspect, () => say(`/inspect ${box()}`)]),
      group(
        [w.rotate, () => say('/rotate 90')], [w.mirror, () => say('/mirror x')], [w.paste, () => say('/paste')],
        [w.open, () => shut(() => files.open())], [w.save, () => shut(() => files.save())]),
      group([w.undo, () => say('/undo')], [w.redo, () => say('/redo')], [w.away, () => shut(() => this.putAway())]));
    game.events.on('welcome', () => this.putAway());
  }

  /** Takes the wand, or shows what can be done with the box. */
  pressed(): void {
    const { game } = this.app;
    if (game.hands.wand) {
      const none = !this.corners[0] || !this.corners[1];
      for (const b of this.boxed) b.disabled = none;
      this.boxed.at(-1)!.disabled ||= !game.commands.some((c) => c.name === 'inspect');
      if (none) setText(this.size, t.wand.choose);
      return this.app.open(() => this.dialog.show());
    }
    if (!game.commands.some((c) => c.name === 'pos1')) return this.show(t.wand.forbidden);
    game.hands.wand = (hit, second) => this.choose(hit, second);
    this.refresh();
  }

  private choose({ x, y, z }: Hit, second: boolean): void {
    this.corners[second ? 1 : 0] = [x, y, z];
    this.app.game.say(`/pos${second ? 2 : 1} ${x} ${y} ${z}`);
    this.refresh();
  }

  private putAway(): void {
    this.app.game.hands.wand = null;
    this.corners.fill(null);
    this.app.engine.select(null);
    this.el.hidden = true;
  }

  private refresh(): void {
    const [a, b] = this.corners;
    const from = a ?? b;
    const to = b ?? a;
    if (!from || !to) return this.show(t.wand.choose);
    const low = from.map((v, i) => Math.min(v, to[i]!)) as [number, number, number];
    const sides = from.map((v, i) => Math.abs(v - to[i]!) + 1) as [number, number, number];
    this.app.engine.select({ x: low[0], y: low[1], z: low[2] }, sides);
    const text = t.wand.box(sides, sides[0] * sides[1] * sides[2]);
    setText(this.size, text);
    this.show(a && b ? `${text} ${t.wand.ready}` : t.wand.other(a ? 2 : 1));
  }

  private show(text: string): void {
    setText(this.el, text);
    this.el.hidden = false;
    if (!this.app.game.hands.wand) setTimeout(() => { this.el.hidden = !this.app.game.hands.wand; }, 4000);
  }
}
