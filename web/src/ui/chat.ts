import type { Game } from '../game/game';
import type { ChatLine } from '../game/state';
import { ChatKind } from '../net/types';
import { type Choice, complete } from './complete';
import { h } from './dom';
import { t } from './strings';

const KEEP_LINES = 120;
const FADE_MS = 9000;
const HISTORY = 50;
const MAX_CHARS = 256;

/** The chat: lines that fade, an input with history and completion. */
export class Chat {
  readonly el: HTMLElement;
  /** the input was closed: back to the game */
  closed: () => void = () => {};
  readonly lines: ChatLine[] = [];
  private readonly log = h('div', { class: 'chat-log', attr: { role: 'log', 'aria-live': 'polite', 'aria-label': t.chat.label } });
  private readonly input: HTMLInputElement;
  private readonly form: HTMLFormElement;
  private readonly options = h('ul', { class: 'chat-options', id: 'chat-options', attr: { role: 'listbox' }, hidden: true });
  private readonly history: string[] = [];
  private at = 0;
  private draft = '';
  private choices: Choice[] = [];
  private choice = -1;

  constructor(private readonly game: Game) {
    this.input = h('input', {
      type: 'text', maxLength: MAX_CHARS, placeholder: t.chat.placeholder, autocomplete: 'off', spellcheck: false, enterKeyHint: 'send',
      attr: { 'aria-label': t.chat.input, role: 'combobox', 'aria-controls': 'chat-options', 'aria-expanded': false, 'aria-autocomplete': 'list' },
      on: { keydown: (e) => this.key(e), input: () => this.suggest() },
    });
    const send = h('button', { type: 'submit' }, t.chat.send);
    this.form = h('form', { class: 'chat-form', hidden: true, on: { submit: (e: Event) => { e.preventDefault(); this.send(); } } }, this.options, this.input, send);
    this.el = h('div', { class: 'chat' }, this.log, this.form);
    this.form.addEventListener('focusout', (e) => {
      if (this.open && !this.form.contains(e.relatedTarget as Node | null)) this.close();
    });
    game.events.on('chat', (line) => this.add(line));
  }

  get open(): boolean {
    return !this.form.hidden;
  }

  show(text: string): void {
    this.form.hidden = false;
    this.el.classList.add('open');
    this.log.scrollTop = this.log.scrollHeight;
    this.input.value = text;
    this.at = this.history.length;
    this.input.focus();
    this.suggest();
  }

  close(): void {
    if (!this.open) return;
    this.form.hidden = true;
    this.el.classList.remove('open');
    this.input.value = '';
    this.input.blur();
    this.offer([]);
    this.closed();
  }

  add(line: ChatLine): void {
    this.lines.push(line);
    if (this.lines.length > KEEP_LINES) this.lines.shift();
    const kind = ['near', 'world', 'system', 'whisper', 'error'][line.kind] ?? 'system';
    const tag = line.kind === ChatKind.Near ? ` (${t.chat.near})` : line.kind === ChatKind.Whisper ? ` (${t.chat.whisper})` : '';
    const el = h('div', { class: `line ${kind}` }, line.from && h('b', {}, `${line.from}${tag}: `), line.text);
    this.log.append(el);
    while (this.log.children.length > KEEP_LINES) this.log.firstChild!.remove();
    this.log.scrollTop = this.log.scrollHeight;
    setTimeout(() => el.classList.add('old'), FADE_MS);
  }

  private send(): void {
    const text = this.input.value.trim();
    if (text) {
      this.game.say(text);
      if (this.history[this.history.length - 1] !== text) this.history.push(text);
      if (this.history.length > HISTORY) this.history.shift();
    }
    this.close();
  }

  private key(e: KeyboardEvent): void {
    e.stopPropagation();
    switch (e.key) {
      case 'Escape':
        e.preventDefault();
        return this.choices.length && this.choice >= 0 ? this.offer([]) : this.close();
      case 'Tab':
        if (this.choices.length === 0) return;
        e.preventDefault();
        return this.take(e.shiftKey ? -1 : 1);
      case 'ArrowUp':
      case 'ArrowDown':
        e.preventDefault();
        return this.recall(e.key === 'ArrowUp' ? -1 : 1);
    }
  }

  private recall(step: number): void {
    if (this.at === this.history.length) this.draft = this.input.value;
    this.at = Math.max(0, Math.min(this.history.length, this.at + step));
    this.input.value = this.history[this.at] ?? this.draft;
    this.suggest();
  }

  private suggest(): void {
    const b = this.game.predictor.body;
    const block = (v: number): number => Math.floor(v / 4096);
    const players = this.game.roster.list.map((p) => p.name);
    this.offer(complete(this.input.value, this.game.commands, { players, at: [block(b.x), block(b.y), block(b.z)] }));
  }

  private offer(choices: Choice[]): void {
    this.choices = choices;
    this.choice = -1;
    this.options.hidden = choices.length === 0;
    this.input.setAttribute('aria-expanded', String(choices.length > 0));
    this.input.removeAttribute('aria-activedescendant');
    this.options.replaceChildren(
      ...choices.map((c, i) =>
        h('li', { id: `chat-option-${i}`, attr: { role: 'option' }, on: { pointerdown: (e) => { e.preventDefault(); this.choice = i - 1; this.take(1); } } }, c.label)),
    );
  }

  private take(step: number): void {
    const n = this.choices.length;
    if (n === 1) { // nothing to choose from: on to what follows
      const [c] = this.choices;
      this.input.value = c!.text + (c!.more ? ' ' : '');
      return this.suggest();
    }
    this.choice = this.choice < 0 && step < 0 ? n - 1 : (this.choice + step + n) % n;
    this.input.value = this.choices[this.choice]!.text;
    [...this.options.children].forEach((el, i) => {
      el.setAttribute('aria-selected', String(i === this.choice));
      if (i === this.choice) el.scrollIntoView({ block: 'nearest' });
    });
    this.input.setAttribute('aria-activedescendant', `chat-option-${this.choice}`);
  }
}
