// Pictures of blocks for slots: a cube seen from a corner, or the plant as it is.
// They are drawn in memory and not by the GPU: reading one back from there waits
// for everything that the GPU has to do, and at the start that is a second.

import { blocks } from '../gen/blocks';
import { flat, LAYER, PICTURE } from '../world/tables';
import { TILE, type Tile } from './textures/tile';

/** the boxes of what is no picture: from the corner that is farthest, right, up and left */
const CUBE = [[0, 0, 0, 1, 1, 1]];
const LOW = [[0, 0, 0, 1, 0.5, 1]];
const STEPS = [[0, 0, 0, 1, 0.5, 1], [0, 0.5, 0, 0.5, 1, 1]];

export class Icons {
  private readonly cache = new Map<string, HTMLCanvasElement>();
  private readonly sheets = new Map<number, HTMLCanvasElement>();

  constructor(private readonly tiles: Tile[]) {}

  icon(block: number, size: number): HTMLCanvasElement {
    const key = `${block}/${size}`;
    const known = this.cache.get(key);
    if (known) return known;
    const icon = document.createElement('canvas');
    icon.width = icon.height = size;
    const pen = icon.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
    pen.imageSmoothingEnabled = false;
    if (block > 0 && blocks[block]) this.draw(pen, block, size);
    this.cache.set(key, icon);
    return icon;
  }

  private draw(pen: CanvasRenderingContext2D, block: number, size: number): void {
    const { class: kind } = blocks[block];
    const side = this.sheet(PICTURE[block]);
    if (kind === 'torch') return this.torch(pen, side, size);
    if (flat(block)) {
      pen.drawImage(side, size * 0.06, size * 0.06, size * 0.88, size * 0.88);
      return;
    }
    const top = this.sheet(LAYER[block * 6 + 1]);
    for (const box of kind === 'slab' ? LOW : kind === 'stairs' ? STEPS : CUBE) this.box(pen, top, side, box, size, kind === 'slab');
  }

  /** box draws the three sides of a box within a cube that are seen; it is part of a picture of some size. */
  private box(pen: CanvasRenderingContext2D, top: HTMLCanvasElement, side: HTMLCanvasElement, [a0, y0, b0, a1, y1, b1]: number[], size: number, low: boolean): void {
    // The cube's corners in the picture: half its width, a quarter for the slant.
    const w = size * 0.46;
    const slant = w / 2;
    const high = size * 0.52;
    const first = size / 2 - slant - high / 2 - (low ? size * 0.09 : 0);
    const [aw, as, h] = [w / TILE, slant / TILE, high / TILE];
    const x = (a: number, b: number): number => size / 2 + (a - b) * w;
    const y = (a: number, b: number, up: number): number => first + (a + b) * slant + (1 - up) * high;
    const part = (a: number, b: number, wide: number, tall: number): number[] => [a * TILE, b * TILE, wide * TILE, tall * TILE];
    this.face(pen, top, 1, part(a0, b0, a1 - a0, b1 - b0), [aw, as, -aw, as, x(a0, b0), y(a0, b0, y1)]);
    this.face(pen, side, 0.8, part(a0, 1 - y1, a1 - a0, y1 - y0), [aw, as, 0, h, x(a0, b1), y(a0, b1, y1)]);
    this.face(pen, side, 0.6, part(1 - b1, 1 - y1, b1 - b0, y1 - y0), [aw, -as, 0, h, x(a1, b1), y(a1, b1, y1)]);
  }

  /**
   * torch draws a thin thing as large as it can be, left of the middle: the number of a
   * stack is at the right below and would hide most of it.
   */
  private torch(pen: CanvasRenderingContext2D, sheet: HTMLCanvasElement, size: number): void {
    const { data } = sheet.getContext('2d')!.getImageData(0, 0, TILE, TILE);
    let [x0, y0, x1, y1] = [TILE, TILE, 0, 0];
    for (let i = 0; i < TILE * TILE; i++) {
      if (data[i * 4 + 3] === 0) continue;
      const [x, y] = [i % TILE, Math.floor(i / TILE)];
      [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x + 1), Math.max(y1, y + 1)];
    }
    const [w, h] = [x1 - x0, y1 - y0];
    if (w <= 0 || h <= 0) return;
    const scale = (size * 0.9) / h;
    const wide = Math.max(w * scale, size * 0.2);
    pen.drawImage(sheet, x0, y0, w, h, size * 0.34 - wide / 2, size * 0.04, wide, h * scale);
  }

  /** face draws a part of a texture through an affine map, darkened by shade. */
  private face(pen: CanvasRenderingContext2D, sheet: HTMLCanvasElement, shade: number, [u, v, wide, tall]: number[], m: [number, number, number, number, number, number]): void {
    pen.save();
    pen.setTransform(...m);
    pen.drawImage(sheet, u, v, wide, tall, 0, 0, wide, tall);
    if (shade < 1) {
      pen.globalCompositeOperation = 'source-atop';
      pen.fillStyle = `rgba(0, 0, 0, ${1 - shade})`;
      pen.fillRect(0, 0, wide, tall);
    }
    pen.restore();
  }

  private sheet(layer: number): HTMLCanvasElement {
    const known = this.sheets.get(layer);
    if (known) return known;
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = TILE;
    const pen = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
    pen.putImageData(new ImageData(new Uint8ClampedArray(this.tiles[layer].data), TILE, TILE), 0, 0);
    this.sheets.set(layer, canvas);
    return canvas;
  }
}
