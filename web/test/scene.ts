// Worlds for the tests.

import { parseChunks } from '../src/engine/bits';
import { Light } from '../src/world/light';
import { World } from '../src/world/chunk';
import { demoColumn, pack } from '../demo/terrain';

export interface Lit {
  world: World;
  light: Light;
}

/** litWorld loads and lights the columns from −r to r; blocks come from make. */
export function litWorld(r: number, make: (x: number, z: number) => Uint16Array = demoColumn): Lit {
  const world = new World();
  const light = new Light(world);
  for (let z = -r; z <= r; z++) {
    for (let x = -r; x <= r; x++) {
      const { mask, raw } = pack(make(x, z));
      light.add(world.add(x, z, parseChunks(mask, raw)));
    }
  }
  return { world, light };
}

/** scene makes a column of air with the blocks that put sets; coordinates may lie in any column. */
export class Scene {
  private readonly columns = new Map<string, Uint16Array>();

  put(x: number, y: number, z: number, b: number): this {
    const key = `${x >> 5},${z >> 5}`;
    const column = this.columns.get(key) ?? new Uint16Array(32 * 32 * 256);
    column[(y << 10) | ((z & 31) << 5) | (x & 31)] = b;
    this.columns.set(key, column);
    return this;
  }

  /** floor fills a layer of all columns from −r to r. */
  floor(r: number, y: number, b: number): this {
    for (let z = -r * 32; z < (r + 1) * 32; z++) for (let x = -r * 32; x < (r + 1) * 32; x++) this.put(x, y, z, b);
    return this;
  }

  lit(r = 1): Lit {
    return litWorld(r, (x, z) => this.columns.get(`${x},${z}`) ?? new Uint16Array(32 * 32 * 256));
  }
}

/** random is a small seeded generator of integers below n. */
export function random(seed: number): (n: number) => number {
  let s = seed >>> 0;
  return (n) => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return Math.floor((s / 4294967296) * n);
  };
}
