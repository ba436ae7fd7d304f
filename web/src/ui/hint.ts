import type { Game } from '../game/game';
import type { SettingsStore } from '../game/settings';
import { h } from './dom';
import { keyName, t } from './strings';

/** Who walks about for so long has seen the card. */
const ENOUGH_MS = 150_000;

type Step = 'walk' | 'jump' | 'dig' | 'place' | 'inventory';

/** What a first-time player sees: each line is ticked off by doing it, then the card goes. */
export class Hint {
  readonly el: HTMLElement;
  private readonly rows = new Map<Step, HTMLElement>();
  private readonly done = new Set<Step>();
  private walked = 0;
  private timer = 0;

  constructor(private readonly game: Game, private readonly settings: SettingsStore) {
    this.el = h('aside', { class: 'hint', hidden: true, attr: { 'aria-label': t.hint.title } });
    game.events.on('broke', (b) => b.own && this.tick('dig'));
    game.events.on('placed', (b) => b.own && this.tick('place'));
    game.events.on('step', (s) => this.stepped(s.jumped));
  }

  /** Shows the card unless it has done its work before. */
  show(touch: boolean): void {
    if (this.settings.now.hinted) return;
    this.rows.clear();
    const b = this.settings.now.bindings;
    const key = (codes: string[]): string => keyName(codes[0] ?? '');
    const kbd = (...names: string[]): HTMLElement => h('span', { class: 'keys' }, ...names.map((n) => h('kbd', {}, n)));
    const row = (step: Step, ...content: (Node | string)[]): HTMLElement => {
      const el = h('li', {}, ...content);
      this.rows.set(step, el);
      return el;
    };
    const rows = touch
      ? [row('walk', t.hint.touchWalk), row('dig', t.hint.touchDig), row('place', t.hint.touchPlace)]
      : [
          row('walk', kbd(key(b.forward), key(b.left), key(b.back), key(b.right)), t.hint.walk),
          row('jump', kbd(key(b.jump)), t.hint.jump),
          row('dig', kbd(t.hint.left), t.hint.dig),
          row('place', kbd(t.hint.right), t.hint.place),
          row('inventory', kbd(key(b.inventory)), t.hint.inventory),
        ];
    this.el.replaceChildren(h('h2', {}, t.hint.title), h('ul', {}, ...rows),
      h('button', { type: 'button', class: 'link', on: { click: () => this.dismiss() } }, t.hint.close));
    for (const step of this.done) this.rows.get(step)?.classList.add('done');
    this.el.hidden = false;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.done.has('walk') && this.dismiss(), ENOUGH_MS);
  }

  tick(step: Step): void {
    if (this.el.hidden || this.done.has(step)) return;
    this.done.add(step);
    this.rows.get(step)?.classList.add('done');
    if ([...this.rows.keys()].every((s) => this.done.has(s))) setTimeout(() => this.dismiss(), 1200);
  }

  private stepped(jumped: boolean): void {
    if (this.el.hidden) return;
    if (jumped) this.tick('jump');
    this.walked += Math.hypot(this.game.predictor.body.vx, this.game.predictor.body.vz);
    if (this.walked > 4 * 4096) this.tick('walk');
  }

  private dismiss(): void {
    this.el.hidden = true;
    this.settings.set({ hinted: true });
  }
}
