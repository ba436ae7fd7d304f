import { browserStore, type Identity, keepKey, readKey, toHex } from '../net/identity';
import { button, Dialog, h, setText } from './dom';
import { t } from './strings';

/** The player's key: to take it along, and to put another in its place. */
export class KeyDialog {
  readonly dialog: Dialog;
  private readonly own: HTMLInputElement;
  private readonly other: HTMLInputElement;
  private readonly status = h('p', { class: 'dim', attr: { role: 'status' } });
  private readonly error = h('p', { class: 'error', id: 'key-error', attr: { role: 'alert' } });

  constructor(identity: Identity, private readonly name: () => string, closed: () => void) {
    const k = t.key;
    const done = h('button', { type: 'button', class: 'close', on: { click: () => this.dialog.close() } }, k.close);
    this.dialog = new Dialog('key', k.title, { closed, header: [done] });
    this.own = h('input', { type: 'password', id: 'key', readOnly: true, autocomplete: 'off', value: identity.text });
    this.other = h('input', {
      type: 'text', id: 'other-key', placeholder: 'vpk1-…', spellcheck: false, autocomplete: 'off', attr: { 'aria-describedby': 'key-error' },
    });
    const file = h('input', { type: 'file', hidden: true, on: { change: () => void this.read(file) } });
    this.dialog.body.append(
      h('p', {}, k.what), h('p', {}, k.secret),
      h('div', { class: 'field' }, h('label', { htmlFor: 'key' }, k.own), this.own),
      h('div', { class: 'row' }, button(k.save, () => this.save()), button(k.copy, () => void this.copy()), this.status),
      h('p', { class: 'dim' }, k.public, ' ', h('code', { id: 'public-key' }, toHex(identity.publicKey))),
      h('hr'),
      h('form', { on: { submit: (e: Event) => { e.preventDefault(); this.use(); } } },
        h('div', { class: 'field' }, h('label', { htmlFor: 'other-key' }, k.other), this.other, this.error, h('small', {}, k.replaces)),
        h('div', { class: 'row' }, h('button', { type: 'submit', id: 'use-key' }, k.use), button(k.load, () => file.click()), file)),
    );
  }

  show(): void {
    this.own.type = 'password';
    this.other.value = '';
    setText(this.error, '');
    setText(this.status, '');
    this.dialog.show();
  }

  private save(): void {
    const url = URL.createObjectURL(new Blob([`${t.key.file(this.name())}\n${this.own.value}\n`], { type: 'text/plain' }));
    h('a', { href: url, download: `voxelpopuli-${this.name() || 'player'}.key.txt` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser may ask where to first
    setText(this.status, t.key.saved);
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.own.value);
    } catch { // there is no clipboard on plain http at a LAN address
      this.own.type = 'text';
      this.own.select();
      if (!document.execCommand('copy')) return;
    }
    setText(this.status, t.key.copied);
  }

  private async read(file: HTMLInputElement): Promise<void> {
    const chosen = file.files?.[0];
    file.value = ''; // the same file may be chosen again
    if (!chosen) return;
    this.other.value = chosen.size < 10_000 ? (await chosen.text()).match(/vpk1-\w+/)?.[0] ?? '' : '';
    if (this.other.value) setText(this.error, '');
    else setText(this.error, t.key.none);
  }

  private use(): void {
    const secret = readKey(this.other.value);
    if (!secret) setText(this.error, t.key.none);
    else if (!keepKey(browserStore, secret)) setText(this.error, t.notice.keyLost);
    else location.reload(); // who the page is, it learns at its beginning
  }
}
