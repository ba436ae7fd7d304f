// What a person opens over the game, and the settings and the key on the start screen.
// None of it is needed to stand in the world, so it is a file of its own that the page
// loads afterwards (Interface.withPanels).
import { localProof } from '../net/local';
import { Debug } from './debug';
import type { Dialog } from './dom';
import type { Icons } from './icons';
import type { InterfaceApp } from './interfaceApp';
import { InventoryDialog } from './inventory';
import { InviteDialog } from './inviteDialog';
import { KeyDialog } from './keyDialog';
import { MapDialog } from './map';
import { Menu } from './menu';
import { Players } from './players';
import { SettingsDialog } from './settingsDialog';
import { SignDialog } from './signDialog';
import { Wand } from './wand';

export class Panels {
  readonly debug: Debug;
  readonly menu: Menu;
  readonly settings: SettingsDialog;
  readonly key: KeyDialog;
  readonly invite: InviteDialog;
  readonly inventory: InventoryDialog;
  readonly players: Players;
  readonly sign: SignDialog;
  readonly map: MapDialog;
  readonly wand: Wand;
  readonly dialogs: readonly Dialog[];

  constructor(private readonly app: InterfaceApp, icons: Icons, chat: () => void) {
    const { game, settings } = app;
    const resume = (): void => app.resume();
    const open = (show: () => void) => (): void => app.open(show);
    this.debug = new Debug(game);
    this.settings = new SettingsDialog(settings, resume);
    this.key = new KeyDialog(app.identity, () => settings.now.name, resume);
    this.invite = new InviteDialog(resume);
    this.inventory = new InventoryDialog(game, icons, resume);
    this.inventory.sound = (kind) => app.audio.ui(kind);
    this.players = new Players(game, resume);
    this.sign = new SignDialog(game, resume);
    this.map = new MapDialog(game, resume);
    this.wand = new Wand(app);
    this.menu = new Menu({
      resume,
      inventory: open(() => this.inventory.show()),
      players: open(() => this.players.show()),
      map: open(() => this.map.show()),
      chat: open(chat),
      invite: localProof.shown ? open(() => this.invite.show()) : null,
      settings: open(() => this.settings.show()),
      leave: () => app.leave(),
    });
    this.dialogs = [this.menu.dialog, this.settings.dialog, this.key.dialog, this.invite.dialog, this.inventory.dialog, this.players.dialog, this.map.dialog, this.wand.dialog, this.sign.dialog];
    this.keysThatClose();
  }

  frame(now: number): void {
    this.debug.frame(now);
    const held = this.app.game.controls.active && this.app.game.controls.is('players');
    if (held === this.players.el.hidden) this.players.hold(held);
  }

  /** The key that opened a dialog closes it. */
  private keysThatClose(): void {
    const pairs = [[this.inventory.dialog, 'inventory'], [this.map.dialog, 'map'], [this.wand.dialog, 'wand']] as const;
    for (const [dialog, action] of pairs) {
      dialog.el.addEventListener('keydown', (e) => {
        if (e.target instanceof HTMLInputElement || !this.app.settings.now.bindings[action].includes(e.code)) return;
        e.preventDefault();
        dialog.close();
      });
    }
  }
}
