import { ActKind } from '../net/types';
import { Chat } from './chat';
import { Compass } from './compass';
import type { Dialog } from './dom';
import { Hint } from './hint';
import { Hud } from './hud';
import { Icons } from './icons';
import type { InterfaceApp } from './interfaceApp';
import { Death, EndMessage, Loading, LockPrompt, Lost } from './overlays';
import type { Panels } from './panels';
import { StartScreen } from './start';
import { t } from './strings';
import { Subtitles } from './subtitles';
import { Touch } from './touch';

/** Everything of the page that is not the picture. */
export class Interface {
  readonly hud: Hud;
  readonly chat: Chat;
  readonly compass: Compass;
  readonly subtitles: Subtitles;
  readonly hint: Hint;
  readonly start: StartScreen;
  readonly loading: Loading;
  readonly lost: Lost;
  readonly death: Death;
  readonly end: EndMessage;
  readonly prompt: LockPrompt;
  readonly touch: Touch;
  /** null until they are loaded */
  panels: Panels | null = null;
  private loadingPanels: Promise<Panels> | null = null;
  private readonly icons: Icons;
  /** what the game opens, and only the game closes */
  private readonly dialogs: readonly Dialog[];
  private readonly root: HTMLElement;

  constructor(private readonly app: InterfaceApp) {
    const { game, settings } = app;
    const resume = (): void => app.resume();
    this.icons = new Icons((block, size) => app.engine.blockIcon(block, size));
    this.hud = new Hud(game, this.icons);
    this.chat = new Chat(game);
    this.compass = new Compass(game);
    this.subtitles = new Subtitles(() => ({ ...game.viewer.eye, yaw: game.look.yaw }));
    app.audio.heard = (what, at, mob) => this.subtitles.hear(what, at, mob);
    this.hud.el.append(this.compass.el, this.subtitles.el);
    this.hint = new Hint(game, settings);
    this.loading = new Loading(() => app.leave());
    this.lost = new Lost(() => app.connection.retryNow(), () => app.leave());
    this.death = new Death(() => game.acts.do(ActKind.Respawn));
    this.end = new EndMessage(() => app.leave());
    this.prompt = new LockPrompt(resume);
    this.start = new StartScreen(settings, (...a) => app.play(...a), () => this.withPanels((p) => p.settings.show()), () => this.withPanels((p) => p.key.show()));
    this.touch = new Touch(game, settings, app.canvas, {
      menu: () => this.open((p) => p.menu.dialog.show()), chat: () => app.open(() => this.chat.show('')), inventory: () => this.open((p) => p.inventory.show()),
    });
    this.chat.closed = resume;
    this.dialogs = [this.lost.dialog, this.death.dialog, this.end.dialog];
    this.root = document.createElement('main');
    this.root.id = 'ui';
    this.root.append(this.hud.el, this.touch.el, this.chat.el, this.hint.el, this.prompt.el, this.loading.el, this.start.el);
    document.body.append(this.root);
    this.root.addEventListener('click', (e) => {
      if ((e.target as Element).closest('button')) app.audio.ui('click');
    });
    this.start.el.hidden = true;
  }

  /** Does something with the panels: at once if they are there, otherwise when they are loaded. */
  withPanels(use: (p: Panels) => void): void {
    if (this.panels) return use(this.panels);
    void this.loadPanels().then(use, () => {
      if (this.start.el.hidden) this.hud.notice(t.refusals.network!, 'bad');
      else this.start.show(t.refusals.network);
    });
  }

  /** Opens a panel over the game. */
  open(show: (p: Panels) => void): void {
    this.withPanels((p) => this.app.open(() => show(p)));
  }

  loadPanels(): Promise<Panels> {
    this.loadingPanels ??= import('./panels').then(({ Panels }) => {
      this.panels = new Panels(this.app, this.icons, () => this.chat.show(''));
      this.root.append(this.panels.players.el, this.panels.debug.el, this.panels.wand.el);
      return this.panels;
    }).catch((e: unknown) => {
      this.loadingPanels = null; // the next one to ask tries again
      throw e;
    });
    return this.loadingPanels;
  }

  /** Something is open that wants the keyboard. */
  get busy(): boolean {
    return this.chat.open || this.dialogs.some((d) => d.open) || !!this.panels?.dialogs.some((d) => d.open);
  }

  /** Closes what may be closed, without going back to the game. */
  closeAll(): void {
    for (const d of [...this.dialogs, ...(this.panels?.dialogs ?? [])]) d.dismiss();
    if (this.chat.open) this.chat.close();
    this.prompt.hide();
    this.panels?.players.hold(false);
  }

  /** Closes what is open, as Esc does. */
  back(): void {
    if (this.chat.open) this.chat.close();
    else for (const d of this.panels?.dialogs ?? []) d.close();
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
    this.panels?.frame(now);
  }
}
