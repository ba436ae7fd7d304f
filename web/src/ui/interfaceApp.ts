import type { Audio } from '../audio';
import type { Engine } from '../engine';
import type { Game } from '../game/game';
import type { SettingsStore } from '../game/settings';
import type { Connection } from '../net/connection';
import type { Identity } from '../net/identity';

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
