// What walks about besides players, by its kind on the wire (internal/game/world/mob.go).
import { EntityKind } from '../net/types';

/** A kind of mob. */
export interface MobInfo {
  readonly kind: number;
  readonly name: string;
  readonly title: string;
  /** an entry of engine/beasts.ts */
  readonly model: string;
  /** of its body, in metres: half its width, and its height */
  readonly half: number;
  readonly height: number;
}

export const mobs: readonly MobInfo[] = [
  { kind: EntityKind.Sheep, name: 'sheep', title: 'Sheep', model: 'sheep', half: 0.4, height: 1.3 },
  { kind: EntityKind.Stalker, name: 'stalker', title: 'Stalker', model: 'stalker', half: 0.3, height: 1.9 },
];

/** mobOf is a mob by its kind. */
export const mobOf = (kind: number): MobInfo | undefined => mobs.find((m) => m.kind === kind);
