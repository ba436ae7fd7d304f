// Which boxes lie in the picture. The eye is the origin.

import type { Matrix4 } from 'three';

export class Frustum {
  /** a, b, c, d of the left, right, bottom and top plane */
  private readonly planes = new Float64Array(16);

  /** take reads the planes from projection × rotation. */
  take(view: Matrix4): void {
    const e = view.elements;
    for (let i = 0; i < 4; i++) {
      const axis = i >> 1;
      const sign = i & 1 ? -1 : 1;
      for (let k = 0; k < 4; k++) this.planes[i * 4 + k] = e[3 + k * 4] + sign * e[axis + k * 4];
    }
  }

  /** shows tells whether a box around (x, y, z) with half its edges hx, hy, hz may be in the picture. */
  shows(x: number, y: number, z: number, hx: number, hy: number, hz: number): boolean {
    const p = this.planes;
    for (let i = 0; i < 16; i += 4) {
      const reach = Math.abs(p[i]) * hx + Math.abs(p[i + 1]) * hy + Math.abs(p[i + 2]) * hz;
      if (p[i] * x + p[i + 1] * y + p[i + 2] * z + p[i + 3] < -reach) return false;
    }
    return true;
  }
}
