// The land beyond what is loaded: a coarse relief for each region, in the
// colours that its top blocks have from above. It fills exactly what the
// columns leave open; in the outermost drawn columns it lies a little below
// them, so that no gap shows.

import { BufferAttribute, BufferGeometry, DataTexture, DoubleSide, GLSL3, Group, Mesh, NearestFilter, RawShaderMaterial, RedFormat, RepeatWrapping, UnsignedByteType } from 'three';
import { FAR_SIZE, FAR_STEP } from '../world/far';
import { FLUID } from '../world/tables';
import { FADE_OUT, type Cover } from './cover';
import type { Frustum } from './frustum';
import { bounded } from './sphere';
import { COMMON, type Shared } from './uniforms';

const REGION = FAR_SIZE * FAR_STEP;
/** columns that the mask remembers in each direction, modulo */
const MASK = 128;
const POINTS = FAR_SIZE + 1;
/** milliseconds of a frame for making meshes: more would be felt */
const BUDGET = 2.5;
/** metres that the land can be high */
const HIGH = 256;

const VERTEX = COMMON + /* glsl */ `
in vec3 position;
in vec4 tint; // colour, 1 for water
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
out vec3 vRel;
out vec4 vTint;
out vec4 vFog;
void main() {
  vRel = position + modelMatrix[3].xyz;
  vTint = tint;
  vFog = fogAt(vRel, uFog.zw);
  vec3 drawn = vRel;
  drawn.y -= 1.2 * smoothstep(uReach + 32.0, uReach, length(vRel.xz));
  gl_Position = projectionMatrix * viewMatrix * vec4(drawn, 1.0);
}
`;

const FRAGMENT = COMMON + /* glsl */ `
uniform sampler2D uMask;
uniform vec2 uCorner; // the eye's place modulo the mask, in columns
in vec3 vRel;
in vec4 vTint;
in vec4 vFog;
out vec4 colour;

// The light of a slope with this normal as if it had steps of a metre, as near
// terrain has: treads and risers as one sees them from here, lit like the faces
// of blocks. Steps smaller than a pixel are drawn as their mean.
float terraces(vec3 n) {
  vec2 down = normalize(n.xz + 1e-5);
  float steep = length(n.xz) / max(n.y, 0.02);
  vec3 dir = normalize(vRel);
  float riser = steep * max(-dot(dir.xz, down), 0.0);
  float share = riser / (riser + max(-dir.y, 0.0) + 1e-4);
  float y = vRel.y + uEye.y + 0.5; // level ground has whole heights: keep it in the middle of a step
  float pixel = fwidth(y);
  float edge = smoothstep(share - pixel, share + pixel, fract(y));
  float isRiser = mix(1.0 - edge, share, smoothstep(0.25, 0.7, pixel));
  float day = 0.14 * (1.0 - uNight);
  float tread = (1.0 + day * uSun.y) * (1.0 - 0.16 * min(steep, 1.0));
  float across = abs(down.x) / (abs(down.x) + abs(down.y));
  return mix(tread, mix(0.82, 0.68, across) * (1.0 + day * dot(down, uSun.xz)), isRiser);
}

void main() {
  vec2 column = uCorner + vRel.xz / 32.0;
  float cover = texture(uMask, column / ${MASK}.0).r;
  bool within = length(vRel.xz) < uReach - ${(FADE_OUT + 1).toFixed(1)};
  if (cover > 0.9 || (within && cover > (vTint.w > 0.5 ? 0.25 : 0.6))) discard;
  vec3 n = normalize(cross(dFdx(vRel), dFdy(vRel)));
  n *= sign(n.y);
  vec3 c = vTint.rgb * uSkyLight * terraces(n);
  if (vTint.w > 0.5) {
    float facing = abs(normalize(vRel).y);
    vec3 dir = normalize(vec3(vRel.x, abs(vRel.y) + 1.0, vRel.z));
    c = mix(vec3(0.09, 0.27, 0.52) * uSkyLight, skyColour(dir), 0.04 + 0.8 * pow(1.0 - facing, 4.0));
  }
  colour = vec4(toneMap(mix(c, vFog.rgb, vFog.a)), 1.0);
}
`;

interface Tile {
  x: number;
  z: number;
  heights: Uint8Array;
  tops: Uint16Array;
  mesh: Mesh | null;
  /** its neighbours changed: build it again */
  stale: boolean;
}

const key = (x: number, z: number): number => (x + 0x8000) * 0x10000 + (z + 0x8000);

export class FarTerrain {
  readonly group = new Group();
  private readonly tiles = new Map<number, Tile>();
  private readonly mask = new Uint8Array(MASK * MASK);
  private readonly maskTexture: DataTexture;
  private readonly material: RawShaderMaterial;
  /** draw every other point only, a quarter of the triangles */
  coarse = false;

  constructor(
    shared: Shared,
    private readonly frustum: Frustum,
    /** how the top of each block looks from far away */
    private readonly colours: Uint32Array,
  ) {
    this.maskTexture = new DataTexture(this.mask, MASK, MASK, RedFormat, UnsignedByteType);
    this.maskTexture.wrapS = this.maskTexture.wrapT = RepeatWrapping;
    this.maskTexture.minFilter = this.maskTexture.magFilter = NearestFilter;
    this.maskTexture.needsUpdate = true;
    this.material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, side: DoubleSide,
      uniforms: { ...shared, uMask: { value: this.maskTexture }, uCorner: { value: [0, 0] } },
    });
    this.group.matrixWorldAutoUpdate = false;
  }

  get size(): number {
    return this.tiles.size;
  }

  has(x: number, z: number): boolean {
    return this.tiles.has(key(x, z));
  }

  add(x: number, z: number, heights: Uint8Array, tops: Uint16Array): void {
    const mesh = this.tiles.get(key(x, z))?.mesh ?? null;
    this.tiles.set(key(x, z), { x, z, heights, tops, mesh, stale: true });
    for (const [dx, dz] of [[-1, 0], [0, -1], [-1, -1], [1, 0], [0, 1], [1, 1], [1, -1], [-1, 1]]) {
      const near = this.tiles.get(key(x + dx, z + dz));
      if (near) near.stale = true;
    }
  }

  /** cover notes for each column how much the near terrain hides of the far one there. */
  cover(covered: (x: number, z: number) => Cover, columnX: number, columnZ: number, reach: number): void {
    this.mask.fill(0);
    const r = Math.min(MASK / 2 - 1, reach);
    for (let z = columnZ - r; z <= columnZ + r; z++) {
      for (let x = columnX - r; x <= columnX + r; x++) {
        this.mask[(z & (MASK - 1)) * MASK + (x & (MASK - 1))] = covered(x, z);
      }
    }
    this.maskTexture.needsUpdate = true;
  }

  /** update draws the tiles within `regions` of the eye and forgets those far beyond. */
  update(eye: { x: number; y: number; z: number }, regions: number): void {
    const list = this.group.children;
    list.length = 0;
    const [rx, rz] = [Math.floor(eye.x / REGION), Math.floor(eye.z / REGION)];
    const corner = (v: number): number => v / 32 - Math.floor(v / 32 / MASK) * MASK;
    this.material.uniforms.uCorner.value = [corner(eye.x), corner(eye.z)];
    this.buildSome(rx, rz, regions);
    for (const tile of this.tiles.values()) {
      const distance = Math.max(Math.abs(tile.x - rx), Math.abs(tile.z - rz));
      if (distance > regions + 3) {
        dispose(tile);
        this.tiles.delete(key(tile.x, tile.z));
        continue;
      }
      if (distance > regions) continue;
      if (!tile.mesh) continue;
      const [x, z] = [tile.x * REGION - eye.x, tile.z * REGION - eye.z];
      if (!this.frustum.shows(x + REGION / 2, HIGH / 2 - eye.y, z + REGION / 2, REGION / 2, HIGH / 2, REGION / 2)) continue;
      tile.mesh.geometry.setIndex(this.coarse ? coarseIndex : fineIndex);
      tile.mesh.matrixWorld.setPosition(x, -eye.y, z);
      list.push(tile.mesh);
    }
  }

  /** buildSome makes meshes for a few milliseconds: of new tiles first, then of those whose neighbours came; the nearest first. */
  private buildSome(rx: number, rz: number, regions: number): void {
    const start = performance.now();
    while (performance.now() - start < BUDGET) {
      let best: Tile | null = null;
      let least = Infinity;
      for (const tile of this.tiles.values()) {
        if (!tile.stale) continue;
        const distance = Math.max(Math.abs(tile.x - rx), Math.abs(tile.z - rz));
        const rank = tile.mesh ? distance + 1000 : distance;
        if (distance > regions || rank >= least) continue;
        best = tile;
        least = rank;
      }
      if (!best) return;
      this.build(best);
    }
  }

  private build(tile: Tile): void {
    tile.stale = false;
    dispose(tile);
    const around: (Tile | undefined)[] = [];
    for (let dz = -1; dz <= 1; dz++) for (let dx = -1; dx <= 1; dx++) around.push(this.tiles.get(key(tile.x + dx, tile.z + dz)));
    const position = new Float32Array(POINTS * POINTS * 3);
    const tint = new Uint8Array(POINTS * POINTS * 4);
    for (let z = 0, i = 0; z < POINTS; z++) {
      for (let x = 0; x < POINTS; x++, i++) {
        position[i * 3] = x * FAR_STEP;
        position[i * 3 + 1] = corner(around, x, z, this.colours, tint, i * 4);
        position[i * 3 + 2] = z * FAR_STEP;
      }
    }
    const geometry = bounded(new BufferGeometry());
    geometry.setAttribute('position', new BufferAttribute(position, 3));
    geometry.setAttribute('tint', new BufferAttribute(tint, 4, true));
    geometry.setIndex(coarseIndex);
    const mesh = new Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    mesh.matrixWorldAutoUpdate = false;
    mesh.renderOrder = 5;
    tile.mesh = mesh;
  }

  clear(): void {
    for (const tile of this.tiles.values()) dispose(tile);
    this.tiles.clear();
    this.group.children.length = 0;
  }
}

/** gridIndex joins every step-th point of a tile to triangles. */
function gridIndex(step: number): BufferAttribute {
  const index: number[] = [];
  for (let z = 0; z < FAR_SIZE; z += step) {
    for (let x = 0; x < FAR_SIZE; x += step) {
      const a = z * POINTS + x;
      const b = a + step * POINTS;
      index.push(a, b, a + step, a + step, b, b + step);
    }
  }
  return new BufferAttribute(new Uint16Array(index), 1);
}

const fineIndex = gridIndex(1);
const coarseIndex = gridIndex(2);

/** dispose frees a tile's buffers; the indices are shared and stay. */
function dispose(tile: Tile): void {
  tile.mesh?.geometry.setIndex(null);
  tile.mesh?.geometry.dispose();
}

/**
 * corner blends the up to four cells that meet at a point of a tile: returns
 * the height, writes the colour. around is the tile (in the middle) and its
 * eight neighbours, row by row.
 */
function corner(around: (Tile | undefined)[], x: number, z: number, colours: Uint32Array, tint: Uint8Array, at: number): number {
  let height = 0;
  let n = 0;
  let water = 0;
  let red = 0;
  let green = 0;
  let blue = 0;
  for (let k = 0; k < 4; k++) {
    const cx = x - (k & 1);
    const cz = z - (k >> 1);
    const from = around[((cz >> 5) + 1) * 3 + (cx >> 5) + 1];
    if (!from) continue;
    const i = (cz & (FAR_SIZE - 1)) * FAR_SIZE + (cx & (FAR_SIZE - 1));
    const top = from.tops[i];
    const colour = colours[top];
    n++;
    height += from.heights[i] + 1;
    if (FLUID[top] > 0) water++;
    red += colour >> 16;
    green += (colour >> 8) & 255;
    blue += colour & 255;
  }
  tint[at] = red / n;
  tint[at + 1] = green / n;
  tint[at + 2] = blue / n;
  tint[at + 3] = water * 2 > n ? 255 : 0;
  return height / n - (water === n ? 0.1 : 0);
}
