/** Tells those who listen; nothing more. */
export class Emitter<Events extends object> {
  private readonly on_ = new Map<keyof Events, Set<(e: never) => void>>();

  on<K extends keyof Events>(name: K, f: (e: Events[K]) => void): void {
    let set = this.on_.get(name);
    if (!set) this.on_.set(name, (set = new Set()));
    set.add(f as (e: never) => void);
  }

  emit<K extends keyof Events>(name: K, e: Events[K]): void {
    for (const f of this.on_.get(name) ?? []) (f as (e: Events[K]) => void)(e);
  }
}
