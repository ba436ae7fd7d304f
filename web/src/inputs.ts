// What a person does with mouse, keys, fingers and gamepad besides moving the body, and
// with which of them.
import type { Action } from './game/bindings';
import type { Game } from './game/game';
import { type GamepadDeed, Gamepads } from './game/gamepad';
import { HOTBAR } from './game/inventory';
import type { Pointer } from './game/pointer';
import type { SettingsStore } from './game/settings';
import { ActKind } from './net/types';
import type { Interface } from './ui/interface';
import { t } from './ui/strings';

/** What inputs need of the app. */
export interface Visit {
  readonly stage: string;
  readonly game: Game;
  readonly ui: Interface;
  readonly pointer: Pointer;
  readonly settings: SettingsStore;
  readonly canvas: HTMLCanvasElement;
  resume(): void;
  updateActive(): void;
  open(show: () => void): void;
  /** keeps the next picture as a file */
  picture(): void;
  /** the page is left */
  gone(): void;
}

export class Inputs {
  touch = false;
  private padded = false;
  private toldFlying = false;
  private readonly gamepads: Gamepads;

  constructor(private readonly app: Visit) {
    this.gamepads = new Gamepads(app.game.controls, app.game.look);
    this.hear();
  }

  /** The mouse is left alone: fingers or a gamepad steer. */
  get withoutMouse(): boolean {
    return this.touch || this.padded;
  }

  frame(dt: number): void {
    this.gamepads.frame(dt, this.app.settings.now.sensitivity, this.app.settings.now.invertY);
  }

  setTouch(on: boolean): void {
    if (on === this.touch) return;
    this.touch = on;
    document.documentElement.classList.toggle('touching', on);
    if (on) this.app.pointer.unlock();
    if (this.app.stage !== 'playing') return;
    this.app.ui.hint.show(on);
    this.app.resume();
  }

  private hear(): void {
    const { app } = this;
    const { controls, look, hands, viewer } = app.game;
    app.pointer.caught = () => {
      app.ui.prompt.hide();
      app.updateActive();
    };
    app.pointer.lost = () => {
      if (this.touch) return;
      app.updateActive();
      if (app.stage === 'playing' && !app.ui.busy) app.ui.open((p) => p.menu.dialog.show());
    };
    app.pointer.moved = (dx, dy) => {
      const { sensitivity, invertY } = app.settings.now;
      look.turn(dx, dy, sensitivity * (viewer.zoomed ? 0.4 : 1), invertY);
    };
    controls.pressed = (action) => this.pressed(action);
    this.gamepads.woken = () => {
      if (this.padded || app.stage !== 'playing') return;
      this.padded = true;
      app.resume();
    };
    this.gamepads.deed = (d) => this.padDeed(d);
    controls.tookOff = () => {
      if (!this.toldFlying) app.ui.hud.notice(t.hud.flyOn);
      this.toldFlying = true;
    };
    controls.digit = (n) => app.game.select(n - 1);
    app.canvas.addEventListener('mousedown', (e) => this.mouse(e.button, true, e));
    addEventListener('mouseup', (e) => this.mouse(e.button, false, e));
    app.canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    app.canvas.addEventListener('auxclick', (e) => e.preventDefault());
    app.canvas.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
    addEventListener('pointerdown', (e) => {
      const auto = app.settings.now.touch === 'auto';
      if (auto && e.pointerType !== 'pen') this.setTouch(e.pointerType === 'touch');
    }, { capture: true });
    addEventListener('keydown', (e) => {
      if (e.code === 'Escape' && app.stage === 'playing' && !app.ui.busy) app.ui.open((p) => p.menu.dialog.show());
    });
    addEventListener('pagehide', () => app.gone());
    addEventListener('pageshow', (e) => e.persisted && location.reload()); // back from the browser's cache: the visit is over
    this.middle = () => hands.pick(viewer.target.hit);
  }

  private padDeed(d: GamepadDeed): void {
    if (this.app.stage !== 'playing') return;
    if (this.app.ui.busy) return d === 'menu' || d === 'inventory' ? this.app.ui.back() : undefined;
    switch (d) {
      case 'menu':
        return this.app.ui.open((p) => p.menu.dialog.show());
      case 'fly':
        return this.app.game.controls.toggleFly();
      case 'previous':
        return this.turnSlot(-1);
      case 'next':
        return this.turnSlot(1);
      case 'pick':
        return this.middle();
      default:
        return this.pressed(d);
    }
  }

  private middle: () => void = () => {};

  private mouse(button: number, down: boolean, e: Event): void {
    const { controls } = this.app.game;
    if (down && this.app.stage === 'playing' && !this.app.pointer.locked && !this.touch) {
      e.preventDefault();
      this.padded = false;
      return this.app.resume();
    }
    if (!this.app.pointer.locked && down) return;
    if (down) e.preventDefault();
    if (button === 0) controls.setAttack(down);
    else if (button === 2) controls.setUse(down);
    else if (button === 1 && down) this.middle();
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault();
    if (!this.app.game.controls.active || Math.abs(e.deltaY) < 1) return;
    this.turnSlot(Math.sign(e.deltaY));
  }

  private turnSlot(by: number): void {
    this.app.game.select((this.app.game.inventory.selected + by + HOTBAR) % HOTBAR);
  }

  private pressed(action: Action): void {
    switch (action) {
      case 'inventory':
        this.app.ui.hint.tick('inventory');
        return this.app.ui.open((p) => p.inventory.show());
      case 'chat':
        return this.app.open(() => this.app.ui.chat.show(''));
      case 'command':
        return this.app.open(() => this.app.ui.chat.show('/'));
      case 'map':
        return this.app.ui.open((p) => p.map.show());
      case 'drop':
        this.app.game.acts.do(ActKind.Drop, { a: this.app.game.inventory.selected, b: this.app.game.controls.is('sneak') ? 99 : 1 });
        return;
      case 'waypoint':
        return this.markPlace();
      case 'screenshot':
        return this.app.picture();
      case 'debug':
        return this.app.ui.withPanels((p) => p.debug.toggle());
      case 'wand':
        return this.app.ui.withPanels((p) => p.wand.pressed());
      case 'hud':
        return this.app.ui.toggleHud();
    }
  }

  private markPlace(): void {
    const { waypoints, viewer: { eye } } = this.app.game;
    const w = waypoints.add(t.map.place(waypoints.list.length + 1), eye.x, eye.y, eye.z);
    this.app.ui.hud.notice(t.hud.marked(w.name));
  }
}
