import { blocks } from '../gen/blocks';
import type { Game } from '../game/game';
import type { Tile } from '../game/far';
import { fluidLevel } from '../game/physics/blocks';

const SIDE = 32;
const FRESH_MS = 12_000;

/** Pictures of the land from above: loaded columns block by block, the rest from far tiles. */
export class MapTiles {
  private readonly columns = new Map<string, { image: HTMLCanvasElement; at: number }>();
  private readonly regions = new Map<string, { image: HTMLCanvasElement; tile: Tile }>();

  constructor(private readonly game: Game) {}

  /** The picture of a column, 32×32; `budget` says whether a new one may be made now. */
  column(x: number, z: number, now: number, budget: () => boolean): HTMLCanvasElement | null {
    const key = `${x},${z}`;
    const have = this.columns.get(key);
    if (have && now - have.at < FRESH_MS) return have.image;
    if (!this.game.frames.loaded.has(key)) return have?.image ?? null;
    if (!budget()) return have?.image ?? null;
    const image = this.paint((px, pz) => this.top(x * SIDE + px, z * SIDE + pz));
    this.columns.set(key, { image, at: now });
    return image;
  }

  /** The picture of a region from its far tile, 32×32 for 128 m. */
  region(x: number, z: number): HTMLCanvasElement | null {
    const key = `${x},${z}`;
    const tile = this.game.far.tiles.get(key);
    if (!tile) return null;
    const have = this.regions.get(key);
    if (have?.tile === tile) return have.image;
    const image = this.paint((px, pz) => {
      const i = pz * SIDE + px;
      return { block: tile.blocks[i]!, height: tile.heights[i]!, depth: 3 };
    });
    this.regions.set(key, { image, tile });
    return image;
  }

  private top(x: number, z: number): { block: number; height: number; depth: number } {
    const { engine } = this.game;
    let y = 255;
    let block = 0;
    while (y > 0 && (block = engine.block(x, y, z)) <= 0) y--;
    let depth = 0;
    if (fluidLevel(block) > 0) while (y - depth > 0 && depth < 12 && fluidLevel(engine.block(x, y - depth, z)) > 0) depth++;
    return { block, height: y, depth };
  }

  /** Colours with the light from the north-west, so that hills are seen. */
  private paint(at: (x: number, z: number) => { block: number; height: number; depth: number }): HTMLCanvasElement {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = SIDE;
    const ctx = canvas.getContext('2d')!;
    const image = ctx.createImageData(SIDE, SIDE);
    const cells = Array.from({ length: SIDE * SIDE }, (_, i) => at(i % SIDE, i >> 5));
    cells.forEach((c, i) => {
      const x = i % SIDE;
      const z = i >> 5;
      const nw = cells[Math.max(z - 1, 0) * SIDE + Math.max(x - 1, 0)]!.height;
      const slope = Math.max(-4, Math.min(4, c.height - nw));
      const water = fluidLevel(c.block) > 0;
      const light = water ? 1.08 - c.depth * 0.025 : (0.8 + c.height / 500) * (1 + slope * 0.07);
      const color = blocks[c.block]?.color ?? 0;
      image.data[i * 4] = ((color >> 16) & 255) * light;
      image.data[i * 4 + 1] = ((color >> 8) & 255) * light;
      image.data[i * 4 + 2] = (color & 255) * light;
      image.data[i * 4 + 3] = 255;
    });
    ctx.putImageData(image, 0, 0);
    return canvas;
  }
}
