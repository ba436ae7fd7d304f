// What walks about besides players, by its kind on the wire (internal/game/world/mob.go).
import { type MobInfo, mobs } from '../gen/mobs';

/** mobOf is a mob by its kind. */
export function mobOf(kind: number): MobInfo | undefined {
  const mob = mobs[kind - 1];
  return mob?.name ? mob : undefined;
}
