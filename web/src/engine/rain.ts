// Rain and snow around the eye: drops that fall on whatever is the highest block of their place.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, GLSL3, Mesh, RawShaderMaterial } from 'three';
import { Block, blocks } from '../gen/blocks';
import { KIND, Kind } from '../world/tables';
import { bounded } from './sphere';
import type { Vec3 } from './types';
import { COMMON, type Shared } from './uniforms';

/** places to each side of the eye, drops on each, metres over and under the eye */
const AROUND = 11;
const SIDE = 2 * AROUND + 1;
const DROPS = 4;
const HIGH = 12;
const LOW = 14;
const FALL = HIGH + LOW;
/** places looked at again in each frame */
const AGAIN = 24;

const DRY = new Set<number>([Block.Sand, Block.Sandstone, Block.Cactus]);
const COLD = new Set(blocks.filter((b) => /snow|ice/.test(b.name)).map((b) => b.id));

/** what falls on a place, and how high it ends */
interface Roof {
  x: number;
  z: number;
  y: number;
  falls: 'rain' | 'snow' | null;
}

const VERTEX = COMMON + /* glsl */ `
in vec4 position; // w: 1 for snow
uniform mat4 viewMatrix, projectionMatrix;
out float vSnow;
void main() {
  vSnow = position.w;
  gl_Position = projectionMatrix * viewMatrix * vec4(position.xyz, 1.0);
}
`;
const FRAGMENT = COMMON + /* glsl */ `
in float vSnow;
uniform float wet;
out vec4 colour;
void main() {
  vec3 c = mix(vec3(0.6, 0.7, 0.92), vec3(1.0), vSnow) * (uSkyLight * 0.85 + 0.1);
  colour = vec4(toneMap(c), mix(0.55, 0.9, vSnow) * wet);
}
`;

export class Rain {
  readonly mesh: Mesh;
  /** how hard it rains, 0 to 1 */
  wet = 0;
  private readonly roofs: Roof[] = Array.from({ length: SIDE * SIDE }, () => ({ x: NaN, z: NaN, y: 0, falls: null }));
  private readonly corners = new Float32Array(SIDE * SIDE * DROPS * 16);
  private readonly place: BufferAttribute;
  private next = 0;

  constructor(shared: Shared) {
    const geometry = bounded(new BufferGeometry());
    this.place = new BufferAttribute(this.corners, 4).setUsage(DynamicDrawUsage);
    geometry.setAttribute('position', this.place);
    const index = new Uint16Array(SIDE * SIDE * DROPS * 6);
    for (let i = 0; i < SIDE * SIDE * DROPS; i++) index.set([0, 1, 2, 0, 2, 3].map((k) => i * 4 + k), i * 6);
    geometry.setIndex(new BufferAttribute(index, 1));
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, uniforms: { ...shared, wet: { value: 0 } }, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
    });
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 15;
    this.mesh.visible = false;
  }

  update(eye: Vec3, yaw: number, time: number, block: (x: number, y: number, z: number) => number): void {
    this.mesh.visible = this.wet > 0;
    if (!this.mesh.visible) return;
    (this.mesh.material as RawShaderMaterial).uniforms.wet.value = this.wet;
    const [ex, ez] = [Math.floor(eye.x), Math.floor(eye.z)];
    for (let i = 0; i < AGAIN; i++) this.roofs[(this.next = (this.next + 1) % this.roofs.length)]!.x = NaN;
    let at = 0;
    const right = [Math.cos(yaw), Math.sin(yaw)];
    for (let x = ex - AROUND; x <= ex + AROUND; x++) {
      for (let z = ez - AROUND; z <= ez + AROUND; z++) {
        const roof = this.roof(x, z, Math.floor(eye.y), block);
        for (let k = 0; k < DROPS; k++, at += 16) this.drop(at, roof, k, eye, right, time);
      }
    }
    this.place.needsUpdate = true;
  }

  /** The highest block of a place near the height of the eye, as it was when it was looked at. */
  private roof(x: number, z: number, y: number, block: (x: number, y: number, z: number) => number): Roof {
    const r = this.roofs[(((x % SIDE) + SIDE) % SIDE) * SIDE + (((z % SIDE) + SIDE) % SIDE)]!;
    if (r.x === x && r.z === z) return r;
    let top = Math.min(255, y + 2 * HIGH);
    let b = 0;
    while (top > y - LOW && ((b = block(x, top, z)) <= 0 || KIND[b] === Kind.Cross)) top--;
    return Object.assign(r, { x, z, y: top + 1, falls: b < 0 || DRY.has(b) ? null : COLD.has(b) ? 'snow' : 'rain' });
  }

  private drop(at: number, roof: Roof, k: number, eye: Vec3, right: number[], time: number): void {
    const h = Math.imul(roof.x * 31 + k * 7 + 3, 0x27d4eb2d) ^ Math.imul(roof.z + 11, 0x165667b1);
    const [u, v, w] = [(h >>> 4) & 255, (h >>> 12) & 255, (h >>> 20) & 1023];
    const snow = roof.falls === 'snow';
    const y = eye.y + HIGH - ((time * (snow ? 1.7 : 15 + (u & 3)) + (w / 1024) * FALL) % FALL);
    const shown = roof.falls && y > roof.y;
    const sway = snow ? Math.sin(time * 1.3 + w) * 0.25 : 0;
    const cx = roof.x + u / 256 + sway - eye.x;
    const cz = roof.z + v / 256 - eye.z;
    const [half, tall] = snow ? [0.035, 0.07] : [0.018, 0.9];
    for (let c = 0; c < 4; c++) {
      const side = c === 1 || c === 2 ? half : -half;
      this.corners[at + c * 4] = cx + side * right[0];
      this.corners[at + c * 4 + 1] = shown ? y - eye.y + (c > 1 ? tall : 0) : -9999;
      this.corners[at + c * 4 + 2] = cz + side * right[1];
      this.corners[at + c * 4 + 3] = snow ? 1 : 0;
    }
  }
}
