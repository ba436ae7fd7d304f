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
    } else setText(this.text, (link.state === 'connecting' && (link.note || (link.elsewhere && t.lost.elsewhere))) || t.lost.trying);
    this.dialog.show();
  }

  hide(): void {
    clearInterval(this.timer);
    this.dialog.close();
  }
}

/** The dialog comes while keys are held: for so long they do nothing in it. */
const RESPAWN_AFTER_MS = 1000;

/** After dying. */
export class Death {
  readonly dialog: Dialog;
  private readonly cause = h('p', { class: 'cause', attr: { role: 'status' } });
  private readonly button: HTMLButtonElement;
  private timer = 0;
  /** the key that activates the button went down on it */
  private pressed = false;

  constructor(respawn: () => void) {
    this.dialog = new Dialog('death', t.dead.title, { cancel: false });
    this.button = h('button', { type: 'button', class: 'primary', on: { click: respawn } }, t.dead.respawn);
    // A jump key that has been held since before repeats; only a new press counts.
    for (const type of ['keydown', 'keyup'] as const) this.button.addEventListener(type, (e) => this.key(e));
    this.dialog.body.append(this.cause, h('p', {}, t.dead.text), h('div', { class: 'row' }, this.button));
  }

  private key(e: KeyboardEvent): void {
    if (e.code !== 'Space' && e.code !== 'Enter') return;
    if (e.type === 'keydown') this.pressed ||= !e.repeat;
    if (!this.pressed) e.preventDefault();
    if (e.type === 'keyup') this.pressed = false;
  }

  /** What the node says of it, which may come before or after the dialog opens. */
  because(text: string): void {
    setText(this.cause, text);
  }

  show(): void {
    this.button.disabled = true;
    this.pressed = false;
    this.dialog.show();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.button.disabled = false;
      this.button.focus();
    }, RESPAWN_AFTER_MS);
  }

  /** Alive again: the next cause is another one. */
  close(): void {
    clearTimeout(this.timer);
    setText(this.cause, '');
    this.dialog.close();
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
