import { contentOf, useContent } from '../content';
import { contentDirect, lookDirect } from '../net/direct';
import { fromNowhere, readAll } from '../net/invited';
import { isLoopback } from '../net/local';
import { openSession } from '../net/session';
import { ProposedName } from '../game/names';
import type { SettingsStore } from '../game/settings';
import { h, setText } from './dom';
import { t } from './strings';

/** Tokens are good for a minute; one that is older than this is asked for anew. */
const TOKEN_MS = 50_000;
const RETRY_MS = 3000;

/** Whether something can be a name; the node has the last word. */
export function nameOk(name: string): boolean {
  return /^[\p{L}\p{M}\p{N} _'-]{1,20}$/u.test(name) && /[\p{L}\p{N}]/u.test(name) && !/ {2}/.test(name);
}

/** The first thing that is seen: which world, who are you, play. */
export class StartScreen {
  readonly el: HTMLElement;
  private readonly world = h('p', { class: 'world', attr: { role: 'status' } }, t.start.searching);
  private readonly guest = h('small', { id: 'guest', hidden: true }, t.start.guest);
  private readonly name: HTMLInputElement;
  private readonly code: HTMLInputElement;
  private readonly codeRow: HTMLElement;
  private readonly error = h('p', { class: 'error', id: 'start-error', attr: { role: 'alert' } });
  /** what the field has in it until the player types a name */
  readonly proposed = new ProposedName();
  private token: { value: string; at: number } | null = null;
  private timer = 0;

  constructor(
    private readonly settings: SettingsStore,
    private readonly play: (name: string, code: string, token: string | null) => void,
    openSettings: () => void,
    openKey: () => void,
  ) {
    const now = settings.now;
    this.name = h('input', {
      type: 'text', id: 'name', maxLength: 20, value: now.name || this.proposed.value, spellcheck: false,
      attr: { 'aria-describedby': 'start-error', autocomplete: 'nickname' },
    });
    this.code = h('input', { type: 'text', id: 'code', value: now.code, autocomplete: 'off', spellcheck: false, attr: { 'aria-describedby': 'code-hint' } });
    this.codeRow = h('div', { class: 'field', hidden: !now.code },
      h('label', { htmlFor: 'code' }, t.start.code), this.code, h('small', { id: 'code-hint' }, t.start.codeHint));
    const form = h('form', { on: { submit: (e: Event) => { e.preventDefault(); this.submit(); } } },
      h('div', { class: 'field' }, h('label', { htmlFor: 'name' }, t.start.name), this.name),
      this.codeRow, this.error,
      h('button', { type: 'submit', class: 'primary', id: 'play' }, t.start.play));
    const links = h('nav', {},
      h('button', { type: 'button', class: 'link', on: { click: openSettings } }, t.start.settings),
      h('button', { type: 'button', class: 'link', id: 'your-key', on: { click: openKey } }, t.start.key),
      h('a', { href: 'licences.txt', target: '_blank', rel: 'noopener' }, t.start.licences));
    this.el = h('section', { class: 'start', attr: { 'aria-label': t.title } },
      h('div', { class: 'start-card' }, h('h1', { class: 'wordmark' }, h('span', {}, 'Voxel'), ' ', h('span', {}, 'Populi')),
        h('p', { class: 'tagline' }, t.tagline), this.world, form, this.guest, links));
  }

  show(error = ''): void {
    this.el.hidden = false;
    setText(this.error, error);
    if (this.settings.now.name) this.name.value = this.settings.now.name;
    this.name.focus();
    this.name.select();
    void this.look();
  }

  hide(): void {
    this.el.hidden = true;
    clearTimeout(this.timer);
  }

  /** The join code is not right (or missing): ask for it. */
  askCode(error: string): void {
    this.codeRow.hidden = false;
    this.settings.set({ code: '' }); // not to be tried again
    this.show(error);
    this.code.focus();
    this.code.select();
  }

  /** Learns the world's name and whether a code is needed, and gets a token on the way. */
  private async look(): Promise<void> {
    clearTimeout(this.timer);
    const { code, at } = this.settings.now;
    const link = readAll(at);
    const served = !fromNowhere();
    if (!served && link.length === 0) return setText(this.world, t.start.noLink);
    const s = await (served ? openSession(code) : lookDirect(link, code));
    if (this.el.hidden) return;
    if (s.ok && !await this.hasContent(s.content, () => (served ? contentOf(s.content, document.baseURI) : contentDirect(link, code, s.content)))) return;
    if (s.ok) {
      if (served) this.token = { value: s.token, at: performance.now() };
      setText(this.world, t.start.world(s.world.name));
      this.guest.hidden = !served || s.local || !isLoopback(location.hostname);
      document.title = `${s.world.name} – ${t.title}`;
    } else if (s.error.code === 'code') {
      setText(this.world, '');
      this.codeRow.hidden = false;
    } else {
      setText(this.world, s.error.network ? t.start.unreachable : s.error.text);
      this.timer = window.setTimeout(() => void this.look(), RETRY_MS);
    }
  }

  /** Whether the page has what the world's packs define; otherwise it loads itself again. */
  private async hasContent(hash: string, get: () => Promise<string>): Promise<boolean> {
    try {
      return await useContent(hash, get, false);
    } catch (e) {
      console.warn(e);
      setText(this.world, t.refusals.content!);
      return false;
    }
  }

  private submit(): void {
    const name = this.name.value.trim();
    const code = this.code.value.trim();
    if (!nameOk(name)) {
      setText(this.error, t.start.nameBad);
      this.name.focus();
      return;
    }
    const fresh = this.token && performance.now() - this.token.at < TOKEN_MS && code === this.settings.now.code;
    const token = fresh ? this.token!.value : null;
    this.token = null;
    this.settings.set({ name, code });
    this.play(name, code, token);
  }
}
