import { button, Dialog, h } from './dom';
import { t } from './strings';

export interface MenuActions {
  resume(): void;
  inventory(): void;
  players(): void;
  map(): void;
  chat(): void;
  settings(): void;
  /** null: this page is not the owner's */
  invite: (() => void) | null;
  leave(): void;
}

/** What Esc brings up. Closing it goes back to the game. */
export class Menu {
  readonly dialog: Dialog;

  constructor(a: MenuActions) {
    this.dialog = new Dialog('menu', t.menu.title, { closed: a.resume });
    /** closes the menu without going back to the game */
    const then = (f: () => void) => () => {
      this.dialog.dismiss();
      f();
    };
    const full = (): void => {
      if (document.fullscreenElement) void document.exitFullscreen();
      else void document.documentElement.requestFullscreen({ navigationUI: 'hide' }).catch(() => undefined);
    };
    this.dialog.body.append(
      h('p', { class: 'dim' }, t.menu.text),
      h('div', { class: 'menu-list' },
        h('button', { type: 'button', class: 'primary', autofocus: true, on: { click: () => this.dialog.close() } }, t.menu.resume),
        button(t.menu.inventory, then(a.inventory)),
        button(t.menu.map, then(a.map)),
        button(t.menu.players, then(a.players)),
        button(t.menu.chat, then(a.chat)),
        a.invite && button(t.menu.invite, then(a.invite)),
        button(t.menu.settings, then(a.settings)),
        document.fullscreenEnabled && button(t.menu.fullscreen, full),
        button(t.menu.leave, then(a.leave), 'danger')),
    );
  }
}
