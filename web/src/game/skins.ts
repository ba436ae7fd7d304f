// What players look like (internal/game/wire, skin.go): by their name, a built-in look, or pixels
// that the owner's browser has made of a picture.

import { up } from '../net/codec';
import { EntityKind } from '../net/types';
import { validSkin } from '../world/skin';
import type { Entities } from './entities';
import type { Roster } from './roster';
import type { Settings } from './settings';

const BUILT_IN = 256;
const ASK_MS = 5000;
/** skins that are remembered */
const MOST = 128;

/** The skin that the settings name. */
export function chosenSkin({ skin, ownSkin }: Settings): Uint8Array {
  const n = Number(skin);
  if (skin !== 'own') return n > 0 && n < BUILT_IN ? Uint8Array.of(n) : new Uint8Array();
  try {
    const b = Uint8Array.from(atob(ownSkin), (c) => c.charCodeAt(0));
    return validSkin(b) ? b : new Uint8Array();
  } catch {
    return new Uint8Array();
  }
}

/** What is needed of the game to know others' skins. */
interface SkinGame {
  readonly entities: Entities;
  readonly roster: Roster;
  readonly settings: { readonly now: Settings };
  readonly engine: { skin(entity: number, skin: Uint8Array): void };
  send(data: Uint8Array<ArrayBuffer>): boolean;
}

/** The skins of those in sight: asked for once each. */
export class Skins {
  /** by their ids on the list of players */
  private readonly known = new Map<number, Uint8Array>();
  private readonly asked = new Map<number, number>();
  private readonly shown = new Map<number, number>();

  constructor(private readonly game: SkinGame) {}

  /** Tells the node what the own player looks like. */
  tell(): void {
    this.game.send(up.skin(chosenSkin(this.game.settings.now)));
  }

  clear(): void {
    this.asked.clear();
    this.shown.clear();
  }

  arrived(entity: number, skin: Uint8Array): void {
    const id = this.game.roster.get(entity)?.skin ?? 0;
    if (id < BUILT_IN || !validSkin(skin)) return;
    if (this.known.size >= MOST) this.known.clear();
    this.known.set(id, skin.slice());
    this.look();
  }

  /** Dresses who is in sight, and asks for what is not known; to be called now and then. */
  look(): void {
    const { entities, roster, settings, engine } = this.game;
    const now = performance.now();
    for (const { entity, kind } of entities.all.values()) {
      if (kind !== EntityKind.Player) continue;
      let id = roster.get(entity)?.skin ?? 0;
      if (id >= BUILT_IN && !settings.now.othersSkins) id = 0;
      if (this.shown.get(entity) === id) continue;
      const skin = id === 0 ? new Uint8Array() : id < BUILT_IN ? Uint8Array.of(id) : this.known.get(id);
      if (skin) {
        this.shown.set(entity, id);
        engine.skin(entity, skin);
      } else if (now - (this.asked.get(entity) ?? -Infinity) > ASK_MS) {
        this.asked.set(entity, now);
        this.game.send(up.askSkin(entity));
      }
    }
    for (const entity of this.shown.keys()) if (!entities.all.has(entity)) this.shown.delete(entity);
  }
}
