// Many boxes in one draw call: figures and what they hold.

import { BufferAttribute, DynamicDrawUsage, GLSL3, InstancedBufferGeometry, InstancedInterleavedBuffer, InterleavedBufferAttribute, Mesh, RawShaderMaterial, type DataArrayTexture, type Matrix4 } from 'three';
import { bounded } from './sphere';
import { COMMON, type Shared } from './uniforms';

const FLOATS = 16;

const VERTEX = COMMON + /* glsl */ `
in vec3 position;
in vec3 side; // texture place and face: 0 front, 1 other side, 2 top and bottom
in vec4 row0, row1, row2;
in vec4 look; // packed layers, sky, lamp, hurt
in uvec2 colours;
uniform mat4 viewMatrix, projectionMatrix;
uniform vec3 normals[6];
out vec3 vTexture;
out vec3 vLight;
out vec4 vFog;
flat out vec3 vA;
flat out vec3 vB;
out float vHurt;

vec3 unpack(uint c) { return vec3((c >> 16) & 255u, (c >> 8) & 255u, c & 255u) / 255.0; }

void main() {
  vec4 p = vec4(position, 1.0);
  vec3 rel = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
  uint layers = uint(look.x);
#ifdef IMAGE
  uint layer = layers + uint(gl_VertexID / 4);
#else
  uint layer = side.z < 0.5 ? layers & 255u : side.z < 1.5 ? (layers >> 8) & 255u : layers >> 16;
#endif
  vTexture = vec3(side.xy, float(layer));
  vec3 n = normals[gl_VertexID / 4];
  n = normalize(vec3(dot(row0.xyz, n), dot(row1.xyz, n), dot(row2.xyz, n)) + 1e-6);
  float shade = 0.78 + 0.22 * n.y - 0.08 * abs(n.x) + 0.1 * dot(n, uSun) * (1.0 - uNight);
  vLight = max(lightOf(look.y, look.z), torchLight(rel)) * shade;
  vFog = fogAt(rel, uFog.xy);
  vA = unpack(colours.x);
  vB = unpack(colours.y);
  vHurt = look.w;
  gl_Position = projectionMatrix * viewMatrix * vec4(rel, 1.0);
}
`;

/** a skin's pixels say how much of two colours and of white they are; alpha above a half shines */
const SKIN = /* glsl */ `
  vec3 c = min(t.r * vA + t.g * vB + vec3(t.b), vec3(1.0));
  vec3 light = t.a > 0.5 ? vec3(1.0) : vLight;
`;
const BLOCK = /* glsl */ `
  if (t.a < 0.5) discard;
  vec3 c = t.rgb;
  vec3 light = vLight;
`;

const IMAGE = /* glsl */ `
  vec3 c = t.rgb;
  vec3 light = vLight;
`;

const fragment = (kind: string): string => COMMON + /* glsl */ `
precision highp sampler2DArray;
uniform sampler2DArray uTexture;
in vec3 vTexture;
in vec3 vLight;
in vec4 vFog;
flat in vec3 vA;
flat in vec3 vB;
in float vHurt;
out vec4 colour;

void main() {
  vec4 t = texture(uTexture, vTexture);
  ${kind}
  c = mix(c * light, vec3(0.9, 0.12, 0.08), vHurt * 0.55);
  colour = vec4(toneMap(mix(c, vFog.rgb, vFog.a)), 1.0);
}
`;

/** front (−z), back, left, right, top, bottom: corner signs by face, counter-clockwise */
const CORNERS = [
  [[1, -1, -1], [-1, -1, -1], [-1, 1, -1], [1, 1, -1]],
  [[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]],
  [[-1, -1, -1], [-1, -1, 1], [-1, 1, 1], [-1, 1, -1]],
  [[1, -1, 1], [1, -1, -1], [1, 1, -1], [1, 1, 1]],
  [[-1, 1, 1], [1, 1, 1], [1, 1, -1], [-1, 1, -1]],
  [[-1, -1, -1], [1, -1, -1], [1, -1, 1], [-1, -1, 1]],
];
const NORMALS = [[0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0]];

export class Boxes {
  readonly mesh: Mesh;
  private readonly geometry = bounded(new InstancedBufferGeometry());
  private floats!: InstancedInterleavedBuffer;
  private words!: InstancedInterleavedBuffer;
  private capacity = 0;
  private count = 0;

  constructor(shared: Shared, texture: DataArrayTexture, kind: 'skin' | 'block' | 'image') {
    this.cube();
    this.resize(256);
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      uniforms: { ...shared, uTexture: { value: texture }, normals: { value: NORMALS.flat() } },
      defines: kind === 'image' ? { IMAGE: '' } : {},
      vertexShader: VERTEX,
      fragmentShader: fragment(kind === 'skin' ? SKIN : kind === 'block' ? BLOCK : IMAGE),
    });
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
  }

  private cube(): void {
    const position: number[] = [];
    const side: number[] = [];
    const index: number[] = [];
    const uv = [[0, 1], [1, 1], [1, 0], [0, 0]];
    CORNERS.forEach((corners, face) => {
      corners.forEach((c, i) => {
        position.push(c[0] / 2, c[1] / 2, c[2] / 2);
        side.push(uv[i][0] * 0.999, uv[i][1] * 0.999, face === 0 ? 0 : face < 4 ? 1 : 2);
      });
      index.push(...[0, 1, 2, 0, 2, 3].map((i) => face * 4 + i));
    });
    this.geometry.setAttribute('position', new BufferAttribute(new Float32Array(position), 3));
    this.geometry.setAttribute('side', new BufferAttribute(new Float32Array(side), 3));
    this.geometry.setIndex(index);
  }

  private resize(capacity: number): void {
    const floats = new Float32Array(capacity * FLOATS);
    const words = new Uint32Array(capacity * 2);
    if (this.capacity > 0) {
      floats.set(this.floats.array);
      words.set(this.words.array);
      this.geometry.dispose(); // its buffers on the GPU have the old size
    }
    this.capacity = capacity;
    this.floats = new InstancedInterleavedBuffer(floats, FLOATS);
    this.words = new InstancedInterleavedBuffer(words, 2);
    this.floats.setUsage(DynamicDrawUsage);
    this.words.setUsage(DynamicDrawUsage);
    ['row0', 'row1', 'row2', 'look'].forEach((name, i) => this.geometry.setAttribute(name, new InterleavedBufferAttribute(this.floats, 4, i * 4)));
    this.geometry.setAttribute('colours', new InterleavedBufferAttribute(this.words, 2, 0));
  }

  begin(): void {
    this.count = 0;
  }

  /** add places a unit cube by a matrix; layers are those of its front, its other sides and its top. */
  add(m: Matrix4, layers: readonly [number, number, number], a: number, b: number, sky: number, lamp: number, hurt = 0): void {
    if (this.count === this.capacity) this.resize(this.capacity * 2);
    const e = m.elements;
    const f = this.floats.array as Float32Array;
    const at = this.count * FLOATS;
    for (let row = 0; row < 3; row++) for (let k = 0; k < 4; k++) f[at + row * 4 + k] = e[k * 4 + row];
    f[at + 12] = layers[0] | (layers[1] << 8) | (layers[2] << 16);
    f[at + 13] = sky;
    f[at + 14] = lamp;
    f[at + 15] = hurt;
    this.words.array[this.count * 2] = a;
    this.words.array[this.count * 2 + 1] = b;
    this.count++;
  }

  /** addImage places a unit cube whose faces have six layers from the first on. */
  addImage(m: Matrix4, first: number, sky: number, lamp: number, hurt: number): void {
    this.add(m, [first, 0, 0], 0, 0, sky, lamp, hurt);
  }

  end(): void {
    this.geometry.instanceCount = this.count;
    this.mesh.visible = this.count > 0;
    for (const [buffer, stride] of [[this.floats, FLOATS], [this.words, 2]] as const) {
      buffer.clearUpdateRanges();
      buffer.addUpdateRange(0, this.count * stride);
      buffer.needsUpdate = true;
    }
  }
}
