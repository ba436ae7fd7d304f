import type { Game } from '../game/game';
import { Dialog, h } from './dom';
import { t } from './strings';

function list(game: Game): HTMLElement {
  const own = game.welcome?.entity;
  const rows = game.roster.list.map((p) =>
    h('li', { class: p.entity === own ? 'own' : '' }, h('span', { class: 'dot', attr: { 'aria-hidden': true } }), p.name, p.entity === own && h('small', {}, ` (${t.players.you})`)));
  return h('div', {}, h('p', { class: 'dim' }, t.players.count(rows.length)), h('ul', { class: 'player-list' }, ...rows));
}

/** Who is here: over the game while a key is held, or as a dialog. */
export class Players {
  readonly el = h('section', { class: 'players-over', hidden: true, attr: { 'aria-label': t.players.title } });
  readonly dialog: Dialog;

  constructor(private readonly game: Game, closed: () => void) {
    const done = h('button', { type: 'button', class: 'close', on: { click: () => this.dialog.close() } }, t.players.close);
    this.dialog = new Dialog('players', t.players.title, { closed, header: [done] });
    game.events.on('players', () => this.refresh());
  }

  hold(shown: boolean): void {
    this.el.hidden = !shown;
    this.refresh();
  }

  show(): void {
    this.dialog.body.replaceChildren(list(this.game));
    this.dialog.show();
  }

  private refresh(): void {
    if (!this.el.hidden) this.el.replaceChildren(h('h2', {}, t.players.title), list(this.game));
    if (this.dialog.open) this.dialog.body.replaceChildren(list(this.game));
  }
}
