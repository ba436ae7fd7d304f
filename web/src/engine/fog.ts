// What hides the distance: fog, darkness in caves, and the colour of what the eye is in.

import { EMIT, FLUID } from '../world/tables';
import type { Shared } from './uniforms';

interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export class Fog {
  private end = 0;

  constructor(private readonly shared: Shared, private readonly blockAt: (x: number, y: number, z: number) => number) {}

  /**
   * update follows what there is to see: up to the far land's end, or the columns' if it is not
   * there. light is that at the eye; probed: it is known, and changes gradually.
   */
  update(dt: number, at: Place, reach: number, land: number, light: number, probed: boolean): void {
    const { shared } = this;
    shared.uReach.value = reach;
    const sky = light >> 4;
    const goal = Math.max(reach, land);
    this.end = this.end === 0 ? goal : this.end + (goal - this.end) * Math.min(1, dt * 1.5);
    const begin = this.end * (land > reach ? 0.3 : 0.6);
    shared.uFog.value.set(begin, this.end, begin, this.end);
    const outside = 0.05 + 0.95 * Math.min(1, sky / 8);
    const step = probed ? Math.min(1, dt * 2.5) : 1;
    shared.uOutside.value += (outside - shared.uOutside.value) * step;
    this.under(at, Math.max(0.12, (sky / 15) ** 1.2));
  }

  /** under colours what is seen from within water or lava. */
  private under({ x, y, z }: Place, bright: number): void {
    const { shared } = this;
    const here = Math.max(0, this.blockAt(Math.floor(x), Math.floor(y), Math.floor(z)));
    const level = FLUID[here];
    const above = FLUID[Math.max(0, this.blockAt(Math.floor(x), Math.floor(y) + 1, Math.floor(z)))];
    const inside = level > 0 && (above > 0 || y - Math.floor(y) < (level / 8) * 0.875);
    const day = shared.uSkyLight.value;
    if (EMIT[here]) shared.uUnder.value.set(0.85, 0.3, 0.04, inside ? 1 : 0); // lava
    else shared.uUnder.value.set(0.07 * day.x * bright, 0.26 * day.y * bright, 0.46 * day.z * bright, inside ? 1 : 0);
  }
}
