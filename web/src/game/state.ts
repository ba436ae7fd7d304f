// What the parts of the game see of it. Each part also says, beside its class, which
// of the other parts it uses, so that no part imports the game.
import type { Engine } from '../engine';
import type { Command, Self, Welcome } from '../net/types';
import type { Acts } from './acts';
import type { TickClock } from './clock';
import type { Container } from './container';
import type { Edits } from './edits';
import type { Emitter } from './emitter';
import type { Entities } from './entities';
import type { Inventory } from './inventory';
import type { Predictor, StepResult } from './predictor';
import type { Roster } from './roster';

export interface ChatLine {
  kind: number;
  from: string;
  text: string;
}

export interface GameEvents {
  welcome: Welcome;
  /** the land around is there: the body may move */
  ready: undefined;
  /** how much of the land around is there */
  loading: { done: number; all: number };
  self: Self;
  inventory: Inventory;
  /** what is in the container that is open has changed, or none is open any more */
  container: Container;
  /** the sign at a place is to be written on */
  write: { x: number; y: number; z: number };
  chat: ChatLine;
  players: Roster;
  /** something to show for a moment; quiet ones are for the screen reader only */
  notice: { code: string; text: string };
  commands: Command[];
  /** a part of a file with what the player has copied */
  schematic: { data: Uint8Array; more: boolean };
  step: StepResult;
  /** whether the node has fallen silent: the body waits until it is heard of again */
  stalled: boolean;
  /** by us (own) or by somebody near */
  broke: { x: number; y: number; z: number; block: number; own: boolean };
  placed: { x: number; y: number; z: number; block: number; own: boolean };
  digging: { x: number; y: number; z: number; block: number };
  hurt: undefined;
  entityEvent: { entity: number; event: number };
  /** somebody has picked an item up; it is still drawn */
  taken: { entity: number };
}

export interface GameState {
  readonly engine: Engine;
  readonly events: Emitter<GameEvents>;
  readonly clock: TickClock;
  readonly entities: Entities;
  readonly predictor: Predictor;
  readonly edits: Edits;
  readonly acts: Acts;
  readonly welcome: Welcome | null;
  readonly self: Self;
  /** the land around is there: the body may move */
  ready: boolean;
  /** between a Welcome and the loss of its connection */
  readonly connected: boolean;
  send(data: Uint8Array<ArrayBuffer>): boolean;
}
