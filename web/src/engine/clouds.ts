// Clouds: flat boxes over the world that drift eastwards, the same ones for
// everybody at the same time of day.

import { BufferAttribute, BufferGeometry, Group, GLSL3, LessDepth, Mesh, RawShaderMaterial } from 'three';
import { bounded } from './sphere';
import { COMMON, type Shared } from './uniforms';

/** cells of the pattern, metres of a cell, height of the clouds and how thick they are */
const CELLS = 64;
const CELL = 16;
const SPAN = CELLS * CELL;
const BOTTOM = 208;
const THICK = 5;
const HAIR = 0.06;
/** metres a second */
const SPEED = 1.1;

const VERTEX = COMMON + /* glsl */ `
in vec4 position; // w: brightness of the face
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
out float vShade;
out float vThin;
out vec4 vFog;
void main() {
  vec3 rel = position.xyz + modelMatrix[3].xyz;
  vShade = position.w;
  float far = length(rel.xz);
  vFog = vec4(skyColour(normalize(rel)), smoothstep(380.0, 820.0, far));
  vThin = smoothstep(820.0, 640.0, far);
  gl_Position = projectionMatrix * viewMatrix * vec4(rel, 1.0);
}
`;
const FRAGMENT = COMMON + /* glsl */ `
in float vShade;
in float vThin;
in vec4 vFog;
out vec4 colour;
void main() {
  vec3 lit = mix(vec3(1.0), uHorizon * 1.1 + uGlow * 0.6, 0.35) * (uSkyLight * 0.9 + 0.06) * vShade;
  // Some of the sky's colour, but nothing that stands in it: neither stars nor peaks shine through.
  vec3 c = mix(vFog.rgb, lit, 0.82 * (1.0 - vFog.a));
  colour = vec4(toneMap(c), vThin * step(uUnder.w, 0.5));
}
`;

function cellHash(x: number, z: number): number {
  let h = Math.imul((x & (CELLS - 1)) + 11, 0x27d4eb2d) ^ Math.imul((z & (CELLS - 1)) + 7, 0x165667b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}

/** cloudy tells whether a cell of the repeating pattern holds cloud. */
export function cloudy(x: number, z: number): boolean {
  let v = 0;
  for (const [size, weight] of [[8, 0.55], [4, 0.3], [2, 0.15]]) {
    const fx = x / size;
    const fz = z / size;
    const ix = Math.floor(fx);
    const iz = Math.floor(fz);
    const n = CELLS / size;
    const at = (a: number, b: number): number => cellHash((((a % n) + n) % n) * size, (((b % n) + n) % n) * size + size);
    const [u, w] = [fx - ix, fz - iz];
    v += weight * ((at(ix, iz) * (1 - u) + at(ix + 1, iz) * u) * (1 - w) + (at(ix, iz + 1) * (1 - u) + at(ix + 1, iz + 1) * u) * w);
  }
  return v > 0.56;
}

export class Clouds {
  readonly group = new Group();
  private readonly copies: Mesh[] = [];

  constructor(shared: Shared) {
    const geometry = cloudGeometry();
    const material = new RawShaderMaterial({ glslVersion: GLSL3, uniforms: shared, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthFunc: LessDepth });
    for (let i = 0; i < 4; i++) {
      const mesh = new Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.matrixAutoUpdate = false;
      mesh.matrixWorldAutoUpdate = false;
      mesh.renderOrder = 12;
      this.copies.push(mesh);
      this.group.add(mesh);
    }
  }

  /** update puts the four nearest copies of the pattern around the eye; seconds drives the drift. */
  update(eye: { x: number; y: number; z: number }, seconds: number): void {
    const drift = seconds * SPEED;
    const x0 = Math.round((eye.x - drift) / SPAN) * SPAN + drift;
    const z0 = Math.round(eye.z / SPAN) * SPAN;
    this.copies.forEach((mesh, i) => {
      mesh.matrixWorld.setPosition(x0 - (i & 1 ? SPAN : 0) - eye.x, BOTTOM - eye.y, z0 - (i & 2 ? SPAN : 0) - eye.z);
    });
  }
}

function cloudGeometry(): BufferGeometry {
  const points: number[] = [];
  const index: number[] = [];
  const face = (shade: number, ...corners: number[][]): void => {
    const first = points.length / 4;
    for (const c of corners) points.push(...c, shade);
    index.push(first, first + 1, first + 2, first, first + 2, first + 3);
  };
  for (let z = 0; z < CELLS; z++) {
    for (let x = 0; x < CELLS; ) {
      if (!cloudy(x, z)) {
        x++;
        continue;
      }
      let end = x;
      while (end < CELLS && cloudy(end, z)) end++;
      // A hair of overlap: rows of different length would sparkle where they meet.
      const [x0, x1, z0, z1] = [x * CELL - HAIR, end * CELL + HAIR, z * CELL - HAIR, (z + 1) * CELL + HAIR];
      face(1, [x0, THICK, z0], [x0, THICK, z1], [x1, THICK, z1], [x1, THICK, z0]);
      face(0.8, [x0, 0, z0], [x1, 0, z0], [x1, 0, z1], [x0, 0, z1]);
      if (!cloudy(x - 1, z)) face(0.88, [x0, 0, z0], [x0, 0, z1], [x0, THICK, z1], [x0, THICK, z0]);
      if (!cloudy(end, z)) face(0.88, [x1, 0, z1], [x1, 0, z0], [x1, THICK, z0], [x1, THICK, z1]);
      for (let k = x; k < end; k++) {
        const [a, b] = [k * CELL, (k + 1) * CELL];
        if (!cloudy(k, z - 1)) face(0.92, [b, 0, z0], [a, 0, z0], [a, THICK, z0], [b, THICK, z0]);
        if (!cloudy(k, z + 1)) face(0.92, [a, 0, z1], [b, 0, z1], [b, THICK, z1], [a, THICK, z1]);
      }
      x = end;
    }
  }
  const geometry = bounded(new BufferGeometry());
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 4));
  geometry.setIndex(index);
  return geometry;
}
