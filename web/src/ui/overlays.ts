import type { Link } from '../net/connection';
import { button, Dialog, h, setText } from './dom';
import { refusalText, t } from './strings';

/** Shown from pressing Play until one stands in the world. */
export class Loading {
  readonly el: HTMLElement;
  private readonly text = h('p', { attr: { role: 'status' } });
  private readonly bar = h('progress', { max: 1, value: 0, attr: { 'aria-label': t.loading.title } });

  constructor(cancel: () => void) {
    this.el = h('div', { class: 'loading', hidden: true },
      h('div', { class: 'card' }, h('h2', {}, t.loading.title), this.text, this.bar, button(t.loading.cancel, cancel, 'link')));
  }

  show(text: string, share: number): void {
    this.el.hidden = false;
    setText(this.text, text);
    this.bar.value = share;
  }

  hide(): void {
    this.el.hidden = true;
  }
}

/** The connection is gone; it comes back by itself. */
export class Lost {
  readonly dialog: Dialog;
  private readonly text = h('p', { attr: { role: 'status' } });
  private readonly why = h('p', { class: 'dim' });
  private timer = 0;

  constructor(retry: () => void, leave: () => void) {
    this.dialog = new Dialog('lost', t.lost.title, { cancel: false });
    this.dialog.body.append(this.text, this.why, h('p', { class: 'dim' }, t.lost.hint),
      h('div', { class: 'row' }, button(t.lost.now, retry, 'primary'), button(t.lost.leave, leave)));
  }

  show(link: Link): void {
    clearInterval(this.timer);
    if (link.state === 'waiting') {
      setText(this.why, link.why ? refusalText(link.why.code, link.why.text) : '');
      const count = (): void => setText(this.text, t.lost.waiting(Math.ceil(Math.max(0, link.retryAt - Date.now()) / 1000)));
      count();
      this.timer = window.setInterval(count, 250);
    } else setText(this.text, (link.state === 'connecting' && link.note) || t.lost.trying);
    this.dialog.show();
  }

  hide(): void {
    clearInterval(this.timer);
    this.dialog.close();
  }
}

/** After dying. */
export class Death {
  readonly dialog: Dialog;

  constructor(respawn: () => void) {
    this.dialog = new Dialog('death', t.dead.title, { cancel: false });
    this.dialog.body.append(h('p', {}, t.dead.text), h('div', { class: 'row' },
      h('button', { type: 'button', class: 'primary', autofocus: true, on: { click: respawn } }, t.dead.respawn)));
  }
}

/** "Click to play": catches the mouse. */
export class LockPrompt {
  readonly el: HTMLButtonElement;
  private readonly text = h('strong', {}, t.lock.click);

  constructor(click: () => void) {
    this.el = h('button', { type: 'button', class: 'lock-prompt', hidden: true, on: { click } }, this.text, h('small', {}, t.lock.hint));
  }

  show(waiting: boolean): void {
    this.el.hidden = false;
    setText(this.text, waiting ? t.lock.wait : t.lock.click);
    if (!waiting) this.el.focus({ preventScroll: true });
  }

  hide(): void {
    this.el.hidden = true;
  }
}

/** A message that ends the visit. */
export class EndMessage {
  readonly dialog: Dialog;
  private readonly text = h('p', {});

  constructor(back: () => void) {
    this.dialog = new Dialog('end', t.refused.title, { cancel: false });
    this.dialog.body.append(this.text, h('div', { class: 'row' },
      h('button', { type: 'button', class: 'primary', autofocus: true, on: { click: () => { this.dialog.close(); back(); } } }, t.refused.back)));
  }

  show(title: string, text: string): void {
    this.dialog.setTitle(title);
    setText(this.text, text);
    this.dialog.show();
  }
}
