// What walks about besides players, by its kind on the wire (internal/game/world/mob.go).
import { EntityKind } from '../net/types';

/** A kind of mob. */
export interface MobInfo {
  readonly kind: number;
  readonly name: string;
  readonly title: string;
  /** an entry of engine/beasts.ts */
  readonly model: string;
}

export const mobs: readonly MobInfo[] = [
  { kind: EntityKind.Sheep, name: 'sheep', title: 'Sheep', model: 'sheep' },
  { kind: EntityKind.Stalker, name: 'stalker', title: 'Stalker', model: 'stalker' },
];

/** mobOf is a mob by its kind. */
export const mobOf = (kind: number): MobInfo | undefined => mobs.find((m) => m.kind === kind);
