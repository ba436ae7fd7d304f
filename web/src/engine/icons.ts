// Pictures of blocks for slots: a cube seen from a corner, or the plant as it is.
// They are drawn in memory and not by the GPU: reading one back from there waits
// for everything that the GPU has to do, and at the start that is a second.

import { blocks } from '../gen/blocks';
import { flat, LAYER, PICTURE } from '../world/tables';
import { TILE, type Tile } from './textures/tile';

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
    const tall = kind === 'slab' ? 0.5 : 1;
    // The cube's corners in the picture: half its width, a quarter for the slant.
    const w = size * 0.46;
    const slant = w / 2;
    const high = size * 0.52 * tall;
    const cx = size / 2;
    const topY = size / 2 - slant - high / 2 + (1 - tall) * size * 0.08;
    const cut = TILE * (1 - tall);
    this.face(pen, top, 1, 0, [w / TILE, slant / TILE, -w / TILE, slant / TILE, cx, topY]);
    this.face(pen, side, 0.8, cut, [w / TILE, slant / TILE, 0, high / (TILE - cut), cx - w, topY + slant]);
    this.face(pen, side, 0.6, cut, [w / TILE, -slant / TILE, 0, high / (TILE - cut), cx, topY + slant * 2]);
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

  /** face draws a texture's lower part through an affine map, darkened by shade. */
  private face(pen: CanvasRenderingContext2D, sheet: HTMLCanvasElement, shade: number, cut: number, m: [number, number, number, number, number, number]): void {
    pen.save();
    pen.setTransform(...m);
    pen.drawImage(sheet, 0, cut, TILE, TILE - cut, 0, 0, TILE, TILE - cut);
    if (shade < 1) {
      pen.globalCompositeOperation = 'source-atop';
      pen.fillStyle = `rgba(0, 0, 0, ${1 - shade})`;
      pen.fillRect(0, 0, TILE, TILE - cut);
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
