import { type Change, type Invitation, type Invites, invites, type Permission, permissions } from '../net/invites';
import { button, Dialog, h, setText } from './dom';
import { t } from './strings';

const SVG = 'http://www.w3.org/2000/svg';
/** Light modules around a QR code, without which it is not found. */
const QUIET = 4;

/** Links for friends: who can reach this world, one link as a QR code, all links. */
export class InviteDialog {
  readonly dialog: Dialog;
  private readonly reach = h('p', { id: 'reach', attr: { role: 'status' } });
  private readonly error = h('p', { class: 'error', attr: { role: 'alert' } });
  private readonly list = h('div', { id: 'invitations' });
  private readonly form: HTMLFormElement;

  constructor(closed: () => void) {
    const i = t.invite;
    const done = h('button', { type: 'button', class: 'close', on: { click: () => this.dialog.close() } }, i.close);
    this.dialog = new Dialog('invite', i.title, { closed, header: [done] });
    const note = h('input', { type: 'text', id: 'invite-note', maxLength: 40, autocomplete: 'off' });
    const once = h('input', { type: 'checkbox', id: 'invite-once' });
    const may = h('select', { id: 'invite-may', on: { change: () => { once.disabled = may.value === 'host'; } } },
      ...permissions.map((p) => h('option', { value: p, selected: p === 'build' }, i.permits[p])));
    const make = (): void => {
      void this.ask({ create: { may: may.value as Permission, uses: once.checked && !once.disabled ? 1 : 0, days: 0, note: note.value } });
      note.value = '';
    };
    this.form = h('form', { on: { submit: (e: Event) => { e.preventDefault(); make(); } } },
      h('div', { class: 'field' }, h('label', { htmlFor: 'invite-note' }, i.for), note),
      h('div', { class: 'field' }, h('label', { htmlFor: 'invite-may' }, i.may), may),
      h('div', { class: 'row' }, once, h('label', { htmlFor: 'invite-once' }, i.once)),
      h('button', { type: 'submit', id: 'make-invitation' }, i.make));
    this.dialog.body.append(this.reach, h('p', { class: 'dim' }, i.what), this.error, this.list, this.form);
  }

  show(): void {
    this.list.replaceChildren();
    this.dialog.show();
    void this.ask();
  }

  private async ask(change?: Change): Promise<void> {
    try {
      this.draw(await invites(change));
      setText(this.error, '');
    } catch (e) {
      setText(this.error, (e instanceof TypeError ? '' : (e as Error).message) || t.invite.failed);
    }
  }

  private draw(all: Invites): void {
    setText(this.reach, all.reach);
    this.form.hidden = !all.may;
    this.list.replaceChildren(...all.list.filter((i) => i.links?.length).map((i, n) => this.entry(i, n === 0, all.may)));
  }

  private entry(i: Invitation, first: boolean, may: boolean): HTMLElement {
    const link = i.links![0]!;
    const field = h('input', { type: 'text', readOnly: true, value: link.url, attr: { 'aria-label': t.invite.copy } });
    const status = h('small', { attr: { role: 'status' } });
    const copy = button(t.invite.copy, () => void copyText(field).then((ok) => setText(status, ok ? t.invite.copied : '')));
    const about = [i.note, t.invite.permits[permissions.filter((p) => i.permits.includes(p)).at(-1) ?? 'visit'], i.state].filter(Boolean).join(', ');
    return h('div', { class: 'field invitation' },
      h('label', {}, about), field,
      h('div', { class: 'row' }, copy, may && button(t.invite.revoke, () => void this.ask({ revoke: i.id }), 'danger'), status),
      h('details', { open: first }, h('summary', {}, t.invite.qr), link.qr ? picture(link.qr) : ''));
  }
}

async function copyText(field: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch { // there is no clipboard on plain http at a LAN address
    field.select();
    return document.execCommand('copy');
  }
}

function picture(qr: { size: number; path: string }): HTMLElement {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  const size = qr.size + 2 * QUIET;
  svg.setAttribute('viewBox', `${-QUIET} ${-QUIET} ${size} ${size}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', t.invite.qr);
  svg.setAttribute('class', 'qr');
  path.setAttribute('d', qr.path);
  svg.append(path);
  const box = h('div', {});
  box.append(svg);
  return box;
}
