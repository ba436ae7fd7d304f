// Water: a surface whose corners follow the levels around them.

import { Block } from '../gen/blocks';
import { corners, OPEN, sampleFace } from './cubes';
import { PX, PY, PZ, type Padded } from './padded';
import { rest, type Quads } from './quads';
import { FLUID, LAYER, OPAQUE } from './tables';

/** height of the surface of a source, in 1/16 m */
const FULL = 14;

/** A rectangle of level water: cells x0 to x1 and z0 to z1, exclusive at the end. */
interface Level {
  x0: number;
  x1: number;
  y: number;
  z0: number;
  z1: number;
  light: number;
}

/** Surface joins level water of the same light to rectangles; cells come in the order y, z, x. */
export class Surface {
  private readonly done: Level[] = [];
  /** rectangles that end at the last row or the one before, and can still grow */
  private open: Level[] = [];
  private run: Level | null = null;

  add(x: number, y: number, z: number, light: number): void {
    const { run } = this;
    if (run && run.y === y && run.z0 === z && run.x1 === x && run.light === light) {
      run.x1++;
      return;
    }
    this.endRun();
    this.run = { x0: x, x1: x + 1, y, z0: z, z1: z + 1, light };
  }

  private endRun(): void {
    const { run } = this;
    this.run = null;
    if (!run) return;
    const keep: Level[] = [];
    let grown = false;
    for (const o of this.open) {
      if (o.y === run.y && o.z1 === run.z0 && o.x0 === run.x0 && o.x1 === run.x1 && o.light === run.light) {
        o.z1++;
        grown = true;
      }
      if (o.y === run.y && o.z1 >= run.z0) keep.push(o);
      else this.done.push(o);
    }
    if (!grown) keep.push(run);
    this.open = keep;
  }

  /** end adds all rectangles to out and starts anew. */
  end(out: Quads): void {
    this.endRun();
    const look = rest(LAYER[Block.Water * 6], 1);
    for (const { x0, x1, y, z0, z1, light } of this.done.concat(this.open)) {
      const top = y * 16 + FULL;
      out.room();
      out.vertex(x0 * 16, top, z0 * 16, light, look);
      out.vertex(x0 * 16, top, z1 * 16, light, look);
      out.vertex(x1 * 16, top, z1 * 16, light, look);
      out.vertex(x1 * 16, top, z0 * 16, light, look);
    }
    this.done.length = this.open.length = 0;
  }
}

/** meshFluid adds the faces of the water or lava at a place that border on something else; level ones of water go to the surface. */
export function meshFluid(p: Padded, place: number, x: number, y: number, z: number, surface: Surface | null, out: Quads): void {
  const b = p.block(place);
  const above = FLUID[p.block(place + PY)] > 0;
  const h00 = above ? 16 : cornerHeight(p, place, -PX, -PZ);
  const h10 = above ? 16 : cornerHeight(p, place, PX, -PZ);
  const h01 = above ? 16 : cornerHeight(p, place, -PX, PZ);
  const h11 = above ? 16 : cornerHeight(p, place, PX, PZ);
  const [x0, y0, z0, x1, z1] = [x * 16, y * 16, z * 16, x * 16 + 16, z * 16 + 16];
  const layer = LAYER[b * 6];
  if (!above && !(OPAQUE[p.block(place + PY)] && allFull(h00, h10, h01, h11))) {
    sampleFace(p.cells, place + PY, PX, PZ);
    if (OPAQUE[p.block(place + PY)]) flat(p.cells[place]);
    for (let i = 0; i < 4; i++) corners[i] |= OPEN;
    const even = corners[0] === corners[1] && corners[0] === corners[2] && corners[0] === corners[3];
    if (surface && even && h00 === FULL && h10 === FULL && h01 === FULL && h11 === FULL) surface.add(x, y, z, corners[0]);
    else {
      out.room();
      const look = rest(layer, 1);
      out.vertex(x0, y0 + h00, z0, corners[0], look);
      out.vertex(x0, y0 + h01, z1, corners[2], look);
      out.vertex(x1, y0 + h11, z1, corners[3], look);
      out.vertex(x1, y0 + h10, z0, corners[1], look);
    }
  }
  if (open(p.block(place - PY))) {
    flat(p.cells[place - PY]);
    out.room();
    const look = rest(layer, 0);
    out.vertex(x0, y0, z0, corners[0], look);
    out.vertex(x1, y0, z0, corners[0], look);
    out.vertex(x1, y0, z1, corners[0], look);
    out.vertex(x0, y0, z1, corners[0], look);
  }
  if (open(p.block(place - PZ))) side(p, place - PZ, 2, layer, y0, x1, z0, h10, x0, z0, h00, out);
  if (open(p.block(place + PZ))) side(p, place + PZ, 3, layer, y0, x0, z1, h01, x1, z1, h11, out);
  if (open(p.block(place - PX))) side(p, place - PX, 4, layer, y0, x0, z0, h00, x0, z1, h01, out);
  if (open(p.block(place + PX))) side(p, place + PX, 5, layer, y0, x1, z1, h11, x1, z0, h10, out);
}

function open(b: number): boolean {
  return FLUID[b] === 0 && OPAQUE[b] === 0;
}

function allFull(a: number, b: number, c: number, d: number): boolean {
  return Math.min(a, b, c, d) >= 16;
}

/** side adds an upright face from (xa, za) to (xb, zb), counter-clockwise from outside. */
function side(
  p: Padded, front: number, face: number, layer: number, y0: number,
  xa: number, za: number, ha: number, xb: number, zb: number, hb: number, out: Quads,
): void {
  flat(p.cells[front]);
  out.room();
  const look = rest(layer, face);
  const light = corners[0];
  out.vertex(xa, y0, za, light, look);
  out.vertex(xb, y0, zb, light, look);
  out.vertex(xb, y0 + hb, zb, light, look);
  out.vertex(xa, y0 + ha, za, light, look);
}

function flat(cell: number): void {
  corners.fill(OPEN | (((cell >> 4) & 15) << 4) | ((cell & 15) << 10));
}

/** cornerHeight is the height of the surface at a corner: full under water, else the mean of the levels that meet there. */
function cornerHeight(p: Padded, place: number, dx: number, dz: number): number {
  let sum = 0;
  let n = 0;
  for (let k = 0; k < 4; k++) {
    const at = place + (k & 1 ? dx : 0) + (k & 2 ? dz : 0);
    if (FLUID[p.block(at + PY)] > 0 && FLUID[p.block(at)] > 0) return 16;
    const level = FLUID[p.block(at)];
    if (level === 8) {
      // Sources weigh more: a lake stays level up to its outflow.
      sum += FULL * 10;
      n += 10;
    } else if (level > 0) {
      sum += (FULL * level) / 8;
      n++;
    } else if (OPAQUE[p.block(at)] === 0) {
      n++;
    }
  }
  return Math.max(1, Math.round(sum / n));
}
