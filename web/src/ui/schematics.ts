// Schematics (.schem) from the player's disk and onto it; the node reads and writes them.
import type { Game } from '../game/game';
import { up } from '../net/codec';
import { h } from './dom';

/** Bytes of a file, and of a part of it, as in internal/game/wire/schematic.go. */
const MOST = 256 << 10;
const PART = 3 << 10;
/** between two parts: a node takes 32 kB a second of a client, with what it says besides */
const PAUSE = 150;

export class Schematics {
  private parts: Uint8Array[] = [];

  constructor(private readonly game: Game, private readonly tooLarge: () => void) {
    game.events.on('schematic', ({ data, more }) => this.arrived(data, more));
    game.events.on('welcome', () => { this.parts = []; });
  }

  /** Lets the player choose a file, and sends it. */
  open(): void {
    const input = h('input', { attr: { type: 'file', accept: '.schem' } });
    input.addEventListener('change', () => { if (input.files?.[0]) void this.send(input.files[0]); });
    input.click();
  }

  /** Asks for what is copied; it is saved when it comes. */
  save(): void {
    this.game.send(up.putSchematic(new Uint8Array(), false));
  }

  async send(file: Blob): Promise<void> {
    if (file.size > MOST || file.size === 0) return this.tooLarge();
    const all = new Uint8Array(await file.arrayBuffer());
    for (let at = 0; at < all.length; at += PART) {
      if (at > 0) await new Promise((go) => setTimeout(go, PAUSE));
      this.game.send(up.putSchematic(all.subarray(at, at + PART), at + PART < all.length));
    }
  }

  private arrived(data: Uint8Array, more: boolean): void {
    this.parts.push(data);
    if (more) return;
    const url = URL.createObjectURL(new Blob(this.parts as BlobPart[], { type: 'application/octet-stream' }));
    this.parts = [];
    h('a', { attr: { href: url, download: 'copy.schem' } }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }
}
