import type { Audio } from '../audio';
import type { Engine } from '../engine';
import type { Game } from '../game/game';
import type { SettingsStore } from '../game/settings';
import { localProof } from '../net/local';
import type { Connection } from '../net/connection';
import type { Identity } from '../net/identity';
import { ActKind } from '../net/types';
import { Chat } from './chat';
import { Compass } from './compass';
import { Debug } from './debug';
import type { Dialog } from './dom';
import { Hint } from './hint';
import { Hud } from './hud';
import { Icons } from './icons';
import { InventoryDialog } from './inventory';
import { InviteDialog } from './inviteDialog';
import { KeyDialog } from './keyDialog';
import { MapDialog } from './map';
import { Menu } from './menu';
import { Death, EndMessage, Loading, LockPrompt, Lost } from './overlays';
import { Players } from './players';
import { SettingsDialog } from './settingsDialog';
import { StartScreen } from './start';
import { Subtitles } from './subtitles';
import { Touch } from './touch';

/** What the interface shows, and does when something is pressed. */
export interface InterfaceApp {
  readonly game: Game;
  readonly engine: Engine;
  readonly audio: Audio;
  readonly settings: SettingsStore;
  readonly connection: Connection;
  readonly identity: Identity;
  readonly canvas: HTMLCanvasElement;
  /** Goes on playing. */
  resume(): void;
  /** Opens a dialog over the game. */
  open(show: () => void): void;
  /** Joins the world. */
  play(name: string, code: string, token: string | null): void;
  /** Back to the start screen. */
  leave(): void;
}

/** Everything of the page that is not the picture. */
export class Interface {
  readonly hud: Hud;
  readonly chat: Chat;
  readonly compass: Compass;
  readonly subtitles: Subtitles;
  readonly debug: Debug;
  readonly hint: Hint;
  readonly start: StartScreen;
  readonly loading: Loading;
  readonly lost: Lost;
  readonly death: Death;
  readonly end: EndMessage;
  readonly prompt: LockPrompt;
  readonly menu: Menu;
  readonly settings: SettingsDialog;
  readonly key: KeyDialog;
  readonly invite: InviteDialog;
  readonly inventory: InventoryDialog;
  readonly players: Players;
  readonly map: MapDialog;
  readonly touch: Touch;
  private readonly dialogs: Dialog[];
  private readonly root: HTMLElement;

  constructor(private readonly app: InterfaceApp) {
    const { game, settings } = app;
    const resume = (): void => app.resume();
    const open = (show: () => void) => (): void => app.open(show);
    const icons = new Icons((block, size) => app.engine.blockIcon(block, size));
    this.hud = new Hud(game, icons);
    this.chat = new Chat(game);
    this.compass = new Compass(game);
    this.subtitles = new Subtitles(() => ({ ...game.viewer.eye, yaw: game.look.yaw }));
    app.audio.heard = (what, at, mob) => this.subtitles.hear(what, at, mob);
    this.hud.el.append(this.compass.el, this.subtitles.el);
    this.debug = new Debug(game);
    this.hint = new Hint(game, settings);
    this.loading = new Loading(() => app.leave());
    this.lost = new Lost(() => app.connection.retryNow(), () => app.leave());
    this.death = new Death(() => game.acts.do(ActKind.Respawn));
    this.end = new EndMessage(() => app.leave());
    this.prompt = new LockPrompt(resume);
    this.settings = new SettingsDialog(settings, resume);
    this.key = new KeyDialog(app.identity, () => settings.now.name, resume);
    this.invite = new InviteDialog(resume);
    this.inventory = new InventoryDialog(game, icons, resume);
    this.inventory.sound = (kind) => app.audio.ui(kind);
    this.players = new Players(game, resume);
    this.map = new MapDialog(game, resume);
    this.menu = new Menu({
      resume,
      inventory: open(() => this.inventory.show()),
      players: open(() => this.players.show()),
      map: open(() => this.map.show()),
      chat: open(() => this.chat.show('')),
      invite: localProof.shown ? open(() => this.invite.show()) : null,
      settings: open(() => this.settings.show()),
      leave: () => app.leave(),
    });
    this.start = new StartScreen(settings, (...a) => app.play(...a), () => this.settings.show(), () => this.key.show());
    this.touch = new Touch(game, settings, app.canvas, {
      menu: open(() => this.menu.dialog.show()), chat: open(() => this.chat.show('')), inventory: open(() => this.inventory.show()),
    });
    this.chat.closed = resume;
    this.dialogs = [this.menu.dialog, this.settings.dialog, this.key.dialog, this.invite.dialog, this.inventory.dialog, this.players.dialog, this.map.dialog, this.lost.dialog, this.death.dialog, this.end.dialog];
    this.root = document.createElement('main');
    this.root.id = 'ui';
    this.root.append(this.hud.el, this.touch.el, this.chat.el, this.hint.el, this.players.el, this.debug.el, this.prompt.el, this.loading.el, this.start.el);
    document.body.append(this.root);
    this.keysThatClose();
    this.root.addEventListener('click', (e) => {
      if ((e.target as Element).closest('button')) app.audio.ui('click');
    });
    this.start.el.hidden = true;
  }

  /** Something is open that wants the keyboard. */
  get busy(): boolean {
    return this.chat.open || this.dialogs.some((d) => d.open);
  }

  /** Closes what may be closed, without going back to the game. */
  closeAll(): void {
    for (const d of this.dialogs) d.dismiss();
    if (this.chat.open) this.chat.close();
    this.prompt.hide();
    this.players.hold(false);
  }

  /** Closes what is open, as Esc does. */
  back(): void {
    if (this.chat.open) this.chat.close();
    else for (const d of this.dialogs) if (d !== this.lost.dialog && d !== this.death.dialog && d !== this.end.dialog) d.close();
  }

  /** Nothing of the game is seen any more. */
  quiet(): void {
    this.closeAll();
    this.lost.hide();
    this.loading.hide();
    this.hud.el.hidden = true;
    this.hint.el.hidden = true;
  }

  toggleHud(): void {
    const on = (this.app.game.viewer.hud = !this.app.game.viewer.hud);
    this.root.classList.toggle('no-hud', !on);
    this.app.engine.setOptions({ hand: on });
  }

  frame(now: number): void {
    this.hud.frame();
    this.compass.frame();
    this.touch.frame();
    this.debug.frame(now);
    const held = this.app.game.controls.active && this.app.game.controls.is('players');
    if (held === this.players.el.hidden) this.players.hold(held);
  }

  /** The key that opened a dialog closes it. */
  private keysThatClose(): void {
    const pairs = [[this.inventory.dialog, 'inventory'], [this.map.dialog, 'map']] as const;
    for (const [dialog, action] of pairs) {
      dialog.el.addEventListener('keydown', (e) => {
        if (e.target instanceof HTMLInputElement || !this.app.settings.now.bindings[action].includes(e.code)) return;
        e.preventDefault();
        dialog.close();
      });
    }
  }
}
