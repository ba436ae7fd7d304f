// A texture while it is painted: 16×16 pixels, repeating, made of nothing but
// numbers, so that it comes out the same everywhere.

export const TILE = 16;

export type Rgb = readonly [number, number, number];

export function rgb(hex: number): Rgb {
  return [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255];
}

/** shade makes a colour lighter (k > 0) or darker (k < 0); ±1 is white or black. */
export function shade(c: Rgb, k: number): Rgb {
  const to = k > 0 ? 255 : 0;
  const t = Math.abs(k);
  return [c[0] + (to - c[0]) * t, c[1] + (to - c[1]) * t, c[2] + (to - c[2]) * t];
}

export function blend(a: Rgb, b: Rgb, t: number): Rgb {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

const wrap = (v: number): number => v & (TILE - 1);

export class Tile {
  readonly data = new Uint8ClampedArray(TILE * TILE * 4);
  private readonly seed: number;

  constructor(name: string) {
    let h = 2166136261;
    for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 16777619);
    this.seed = h;
  }

  set(x: number, y: number, c: Rgb, alpha = 255): void {
    const i = (wrap(y) * TILE + wrap(x)) * 4;
    this.data[i] = c[0];
    this.data[i + 1] = c[1];
    this.data[i + 2] = c[2];
    this.data[i + 3] = alpha;
  }

  get(x: number, y: number): Rgb {
    const i = (wrap(y) * TILE + wrap(x)) * 4;
    return [this.data[i], this.data[i + 1], this.data[i + 2]];
  }

  alpha(x: number, y: number): number {
    return this.data[(wrap(y) * TILE + wrap(x)) * 4 + 3];
  }

  /** random is a number in [0, 1) that belongs to a pixel and a purpose. */
  random(x: number, y: number, purpose = 0): number {
    let h = this.seed ^ Math.imul(wrap(x) + 1, 0x27d4eb2d) ^ Math.imul(wrap(y) + 1, 0x165667b1) ^ Math.imul(purpose + 1, 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
  }

  /** cloud is smooth repeating noise in [0, 1) with features of `size` pixels (a power of two). */
  cloud(x: number, y: number, size: number, purpose = 0): number {
    const fx = x / size;
    const fy = y / size;
    const [ix, iy] = [Math.floor(fx), Math.floor(fy)];
    const n = TILE / size;
    const at = (a: number, b: number): number => this.random((a % n) * size, (b % n) * size, purpose + 17);
    const ease = (t: number): number => t * t * (3 - 2 * t);
    const [u, v] = [ease(fx - ix), ease(fy - iy)];
    const top = at(ix, iy) * (1 - u) + at(ix + 1, iy) * u;
    const bottom = at(ix, iy + 1) * (1 - u) + at(ix + 1, iy + 1) * u;
    return top * (1 - v) + bottom * v;
  }

  /** each calls paint for every pixel and sets what it returns. */
  each(paint: (x: number, y: number) => Rgb | null): this {
    for (let y = 0; y < TILE; y++) {
      for (let x = 0; x < TILE; x++) {
        const c = paint(x, y);
        if (c) this.set(x, y, c);
      }
    }
    return this;
  }

  /** mottle covers the tile with shades of a colour in small clusters. */
  mottle(base: Rgb, spread: number, size = 4, grain = 0.5): this {
    return this.each((x, y) => {
      const v = this.cloud(x, y, size) * (1 - grain) + this.random(x, y) * grain;
      return shade(base, Math.round((v - 0.5) * 5) * 0.4 * spread);
    });
  }

  /** stones covers the tile with pebbles between dark joints; colours by pebble. */
  stones(count: number, joint: Rgb, colour: (pebble: number, light: number) => Rgb): this {
    const px: number[] = [];
    const py: number[] = [];
    const rows = Math.round(Math.sqrt(count));
    for (let i = 0; i < rows * rows; i++) {
      px.push(((i % rows) + 0.2 + this.random(i, 0, 3) * 0.6 + ((Math.floor(i / rows) & 1) * 0.5)) * (TILE / rows));
      py.push((Math.floor(i / rows) + 0.2 + this.random(i, 1, 3) * 0.6) * (TILE / rows));
    }
    return this.each((x, y) => {
      let first = Infinity;
      let second = Infinity;
      let best = 0;
      let lean = 0;
      for (let i = 0; i < px.length; i++) {
        const dx = ((x + 0.5 - px[i] + TILE * 1.5) % TILE) - TILE / 2;
        const dy = ((y + 0.5 - py[i] + TILE * 1.5) % TILE) - TILE / 2;
        const d = Math.hypot(dx, dy);
        if (d < first) {
          second = first;
          first = d;
          best = i;
          lean = -(dx + dy);
        } else if (d < second) second = d;
      }
      if (second - first < 0.75) return joint;
      return colour(best, Math.max(-1, Math.min(1, lean / 4)));
    });
  }

  /** line draws a straight run of pixels. */
  line(x0: number, y0: number, x1: number, y1: number, c: Rgb): this {
    const n = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1);
    for (let i = 0; i <= n; i++) this.set(Math.round(x0 + ((x1 - x0) * i) / n), Math.round(y0 + ((y1 - y0) * i) / n), c);
    return this;
  }

  rect(x: number, y: number, w: number, h: number, c: Rgb, alpha = 255): this {
    for (let j = y; j < y + h; j++) for (let i = x; i < x + w; i++) this.set(i, j, c, alpha);
    return this;
  }

  /** art draws a picture of characters; each stands for a colour, others leave the pixel alone. */
  art(rows: string[], colours: Record<string, Rgb>, x0 = 0, y0 = 0): this {
    rows.forEach((row, y) => {
      for (let x = 0; x < row.length; x++) {
        const c = colours[row[x]];
        if (c) this.set(x0 + x, y0 + y, c);
      }
    });
    return this;
  }

  copy(other: Tile): this {
    this.data.set(other.data);
    return this;
  }

  /** bleed gives the clear pixels the mean colour of the others, so that no dark seam shows when they are blended. */
  bleed(): this {
    let n = 0;
    const sum = [0, 0, 0];
    for (let i = 0; i < this.data.length; i += 4) {
      if (this.data[i + 3] < 128) continue;
      n++;
      for (let k = 0; k < 3; k++) sum[k] += this.data[i + k];
    }
    if (n === 0) return this;
    for (let i = 0; i < this.data.length; i += 4) {
      if (this.data[i + 3] >= 128) continue;
      for (let k = 0; k < 3; k++) this.data[i + k] = sum[k] / n;
    }
    return this;
  }
}
