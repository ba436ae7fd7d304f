import type { Game } from '../game/game';
import { fitted, SIGN_BYTES, SIGN_LINES } from '../game/signs';
import { ActKind } from '../net/types';
import { Dialog, h } from './dom';
import { t } from './strings';

type Place = { x: number; y: number; z: number };

/** Writes on a sign. */
export class SignDialog {
  readonly dialog: Dialog;
  private readonly text: HTMLTextAreaElement;
  private at: Place | null = null;

  constructor(private readonly game: Game, closed: () => void) {
    const s = t.sign;
    this.dialog = new Dialog('sign', s.title, { closed });
    this.text = h('textarea', { id: 'sign-text', rows: SIGN_LINES, cols: 24, maxLength: SIGN_BYTES, spellcheck: false, attr: { 'aria-label': s.title } });
    this.dialog.body.append(
      h('form', { on: { submit: (e: Event) => { e.preventDefault(); this.write(); } } },
        h('div', { class: 'field' }, this.text, h('small', {}, s.hint(SIGN_LINES))),
        h('div', { class: 'row' }, h('button', { type: 'submit', class: 'primary', id: 'sign-write' }, s.write), h('button', { type: 'button', on: { click: () => this.dialog.close() } }, s.cancel))),
    );
  }

  show(at: Place): void {
    this.at = at;
    this.text.value = this.game.signs.at(at.x, at.y, at.z);
    this.dialog.show();
    this.text.focus();
  }

  private write(): void {
    if (this.at) this.game.acts.do(ActKind.Write, { ...this.at, text: fitted(this.text.value) });
    this.dialog.close();
  }
}
