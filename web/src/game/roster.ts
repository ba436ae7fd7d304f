import type { PlayerEntry } from '../net/types';

/** Who is in the world. */
export class Roster {
  private readonly byEntity = new Map<number, PlayerEntry>();

  apply(full: boolean, players: readonly PlayerEntry[]): void {
    if (full) this.byEntity.clear();
    for (const p of players) {
      if (p.present) this.byEntity.set(p.entity, p);
      else this.byEntity.delete(p.entity);
    }
  }

  get(entity: number): PlayerEntry | undefined {
    return this.byEntity.get(entity);
  }

  /** By name. */
  get list(): PlayerEntry[] {
    return [...this.byEntity.values()].sort((a, b) => a.name.localeCompare(b.name));
  }
}
