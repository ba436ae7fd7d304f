import { inflateSync } from 'fflate';
import { up } from '../net/codec';
import type { GameState } from './state';

/** A region seen from far: 32×32 cells of 4 m, x fastest. */
export interface Tile {
  heights: Uint8Array;
  blocks: Uint16Array;
}

const CELLS = 32 * 32;
const ASK_MS = 700;
/** Tiles in one question; the page allows 16. */
const AT_ONCE = 16;
const AGAIN_MS = 15_000;

/** Asks for the land beyond what is loaded, nearest first, and keeps it for the map. */
export class Far {
  readonly tiles = new Map<string, Tile>();
  private readonly asked = new Map<string, number>();
  private last = 0;

  constructor(private readonly game: GameState) {}

  begin(): void {
    this.asked.clear();
  }

  arrived(x: number, z: number, tile: Uint8Array): void {
    let raw: Uint8Array;
    try {
      raw = inflateSync(tile);
    } catch {
      return; // asked for again later
    }
    if (raw.length !== CELLS * 3) return;
    const blocks = new Uint16Array(CELLS);
    for (let i = 0; i < CELLS; i++) blocks[i] = raw[CELLS + 2 * i]! | (raw[CELLS + 2 * i + 1]! << 8);
    this.tiles.set(`${x},${z}`, { heights: raw.slice(0, CELLS), blocks });
    this.game.engine.farTile(x, z, tile);
  }

  /** To be called often; asks now and then. `radius` is in regions. */
  ask(now: number, radius: number): void {
    if (radius <= 0 || now - this.last < ASK_MS || !this.game.ready) return;
    this.last = now;
    const { x, z } = this.game.predictor.body;
    const rx = Math.floor(x / 4096) >> 7;
    const rz = Math.floor(z / 4096) >> 7;
    const want: [number, number, number][] = [];
    for (let dz = -radius; dz <= radius; dz++) {
      for (let dx = -radius; dx <= radius; dx++) {
        const key = `${rx + dx},${rz + dz}`;
        const far = dx * dx + dz * dz;
        if (far > (radius + 0.5) ** 2 || this.tiles.has(key) || now - (this.asked.get(key) ?? -Infinity) < AGAIN_MS) continue;
        want.push([far, rx + dx, rz + dz]);
      }
    }
    if (want.length === 0) return;
    const regions = want.sort((a, b) => a[0] - b[0]).slice(0, AT_ONCE).map(([, a, b]) => [a, b] as const);
    if (this.game.send(up.far(regions))) for (const [a, b] of regions) this.asked.set(`${a},${b}`, now);
  }
}
