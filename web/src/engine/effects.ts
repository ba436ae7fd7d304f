// The frame around a block, cracks in it, and pieces that fly off.

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, GLSL3, Group, InstancedBufferGeometry, InstancedInterleavedBuffer, InterleavedBufferAttribute, LineSegments, Mesh, RawShaderMaterial, type DataArrayTexture } from 'three';
import { blocks } from '../gen/blocks';
import { boxEdges, type Box } from '../world/edges';
import { formOf } from '../world/forms';
import { FLUID, KIND, Kind, LAYER, SOLID } from '../world/tables';
import { CRACK_LAYER, CRACK_STAGES } from './textures/atlas';
import { bounded } from './sphere';
import { COMMON, type Shared } from './uniforms';

/** boxOf is the box around a block within its cell: x, y, z from and to. */
export function boxOf(b: number): Box {
  switch (KIND[b]) {
    case Kind.Slab:
      return [0, 0, 0, 1, 0.5, 1];
    case Kind.Cross:
      return [0.12, 0, 0.12, 0.88, 0.85, 0.88];
    case Kind.Cactus:
      return [0.06, 0, 0.06, 0.94, 1, 0.94];
    case Kind.Form: {
      const all = formOf(b)!;
      return [0, 1, 2, 3, 4, 5].map((i) => (i < 3 ? Math.min : Math.max)(...all.map((box) => box[i])) / 16) as unknown as Box;
    }
    default:
      return [0, 0, 0, 1, 1, 1];
  }
}

/** boxesOf is the boxes that a block is made of. */
const boxesOf = (b: number): Box[] => (KIND[b] === Kind.Form ? formOf(b)!.map((box) => box.map((v) => v / 16) as unknown as Box) : [boxOf(b)]);

const PLACE = /* glsl */ `
in vec3 position;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
uniform vec3 from, to;
vec4 place(float grow) {
  vec3 p = mix(from - grow, to + grow, position);
  return viewMatrix * vec4(p + modelMatrix[3].xyz, 1.0);
}
`;

/** Outline is the frame around the block that is looked at, or around a box. */
export class Outline {
  readonly lines: LineSegments;
  private at: { x: number; y: number; z: number } | null = null;
  private size: readonly number[] | null = null;
  private readonly geometry = bounded(new BufferGeometry());
  /** what the lines are of: a block, or a size */
  private drawn = '';

  constructor(colour = '0.02, 0.02, 0.03, 0.65') {
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      transparent: true,
      depthWrite: false,
      vertexShader: 'precision highp float;\nin vec3 position;\nuniform mat4 modelMatrix, viewMatrix, projectionMatrix;\nvoid main() { vec4 p = viewMatrix * vec4(position + modelMatrix[3].xyz, 1.0); p.xyz *= 0.9985; gl_Position = projectionMatrix * p; }',
      fragmentShader: `precision highp float;\nout vec4 colour;\nvoid main() { colour = vec4(${colour}); }`,
    });
    this.lines = new LineSegments(this.geometry, material);
    this.lines.frustumCulled = false;
    this.lines.matrixAutoUpdate = false;
    this.lines.matrixWorldAutoUpdate = false;
    this.lines.renderOrder = 20;
    this.lines.visible = false;
  }

  /** without a size it is that of the block */
  set(at: { x: number; y: number; z: number } | null, size: readonly number[] | null = null): void {
    this.at = at;
    this.size = size;
  }

  update(eye: { x: number; y: number; z: number }, block: (x: number, y: number, z: number) => number): void {
    const { at, lines } = this;
    lines.visible = at !== null;
    if (!at) return;
    const b = Math.max(0, block(at.x, at.y, at.z));
    const what = this.size?.join() ?? `${b}`;
    if (what !== this.drawn) {
      this.drawn = what;
      this.geometry.dispose(); // the lines before
      const points = boxEdges(this.size ? [[0, 0, 0, this.size[0], this.size[1], this.size[2]]] : boxesOf(b), 0.003);
      this.geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    }
    lines.matrixWorld.setPosition(at.x - eye.x, at.y - eye.y, at.z - eye.z);
  }
}

/** Cracks are the broken faces of blocks that somebody is digging at. */
export class Cracks {
  readonly group = new Group();
  private readonly all = new Map<string, { x: number; y: number; z: number; mesh: Mesh<BufferGeometry, RawShaderMaterial> }>();
  private readonly cube = bounded(new BufferGeometry());

  constructor(
    private readonly shared: Shared,
    private readonly textures: DataArrayTexture,
  ) {
    const faces = [[2, 1, 0], [2, 0, 1], [0, 1, 2]];
    const position: number[] = [];
    const uv: number[] = [];
    const index: number[] = [];
    faces.forEach(([u, v, n]) => {
      for (const side of [0, 1]) {
        const first = position.length / 3;
        for (const [a, b] of [[0, 0], [1, 0], [1, 1], [0, 1]]) {
          const p = [0, 0, 0];
          p[u] = a;
          p[v] = b;
          p[n] = side;
          position.push(...p);
          uv.push(a, b);
        }
        index.push(...[0, 1, 2, 0, 2, 3].map((i) => first + i));
      }
    });
    this.cube.setAttribute('position', new BufferAttribute(new Float32Array(position), 3));
    this.cube.setAttribute('uv', new BufferAttribute(new Float32Array(uv), 2));
    this.cube.setIndex(index);
  }

  set(x: number, y: number, z: number, stage: number): void {
    const key = `${x},${y},${z}`;
    const known = this.all.get(key);
    if (stage < 0 || stage >= CRACK_STAGES) {
      if (!known) return;
      this.group.remove(known.mesh);
      known.mesh.material.dispose();
      this.all.delete(key);
      return;
    }
    const mesh = known?.mesh ?? this.make();
    mesh.material.uniforms.layer.value = CRACK_LAYER + stage;
    if (!known) {
      this.all.set(key, { x, y, z, mesh });
      this.group.add(mesh);
    }
  }

  private make(): Mesh<BufferGeometry, RawShaderMaterial> {
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      transparent: true,
      depthWrite: false,
      polygonOffset: true,
      polygonOffsetFactor: -2,
      polygonOffsetUnits: -4,
      uniforms: { ...this.shared, uBlocks: { value: this.textures }, layer: { value: 0 }, from: { value: [0, 0, 0] }, to: { value: [1, 1, 1] } },
      side: 2,
      vertexShader: `${COMMON}${PLACE}\nin vec2 uv;\nout vec2 vAt;\nvoid main() { vAt = uv; gl_Position = projectionMatrix * place(0.002); }`,
      fragmentShader: `${COMMON}precision highp sampler2DArray;\nuniform sampler2DArray uBlocks;\nuniform float layer;\nin vec2 vAt;\nout vec4 colour;\nvoid main() { colour = texture(uBlocks, vec3(vAt, layer)); if (colour.a < 0.1) discard; }`,
    });
    const mesh = new Mesh(this.cube, material);
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    mesh.matrixWorldAutoUpdate = false;
    mesh.renderOrder = 15;
    return mesh;
  }

  update(eye: { x: number; y: number; z: number }, block: (x: number, y: number, z: number) => number): void {
    for (const { x, y, z, mesh } of this.all.values()) {
      const b = boxOf(Math.max(0, block(x, y, z)));
      mesh.material.uniforms.from.value = b.slice(0, 3);
      mesh.material.uniforms.to.value = b.slice(3);
      mesh.matrixWorld.setPosition(x - eye.x, y - eye.y, z - eye.z);
    }
  }

  clear(): void {
    for (const { x, y, z } of [...this.all.values()]) this.set(x, y, z, CRACK_STAGES);
  }
}

const MOST = 512;
const STRIDE = 8;
/** metres a second, each second */
const GRAVITY = 14;

interface Piece {
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
  life: number;
  size: number;
  layer: number;
  u: number;
  v: number;
}

/** Particles are small squares of a block's texture that fall and come to rest. */
export class Particles {
  readonly mesh: Mesh;
  private readonly pieces: Piece[] = [];
  private readonly geometry = bounded(new InstancedBufferGeometry());
  private readonly data = new InstancedInterleavedBuffer(new Float32Array(MOST * STRIDE), STRIDE);

  constructor(shared: Shared, textures: DataArrayTexture) {
    this.data.setUsage(DynamicDrawUsage);
    this.geometry.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), 2));
    this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.geometry.setAttribute('place', new InterleavedBufferAttribute(this.data, 4, 0));
    this.geometry.setAttribute('look', new InterleavedBufferAttribute(this.data, 4, 4));
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      uniforms: { ...shared, uBlocks: { value: textures } },
      vertexShader: `${COMMON}
in vec2 position;
in vec4 place, look;
uniform mat4 viewMatrix, projectionMatrix;
out vec3 vTexture;
out vec4 vFog;
out vec3 vLight;
void main() {
  vec4 p = viewMatrix * vec4(place.xyz, 1.0);
  p.xy += position * place.w;
  vTexture = vec3(look.yz + (position * 0.5 + 0.5) * 0.1875, look.x);
  float light = floor(look.w);
  vLight = max(lightOf(floor(light / 16.0) / 15.0, mod(light, 16.0) / 15.0), torchLight(place.xyz)) * 0.9;
  vFog = fogAt(place.xyz, uFog.xy);
  gl_Position = projectionMatrix * p;
}`,
      fragmentShader: `${COMMON}precision highp sampler2DArray;
uniform sampler2DArray uBlocks;
in vec3 vTexture;
in vec4 vFog;
in vec3 vLight;
out vec4 colour;
void main() {
  vec4 t = texture(uBlocks, vTexture);
  if (t.a < 0.3) discard;
  colour = vec4(toneMap(mix(t.rgb * vLight, vFog.rgb, vFog.a)), 1.0);
}`,
    });
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 3;
  }

  /** burst throws pieces of a block about: many of a whole one, a few while it is being hit. */
  burst(block: number, x: number, y: number, z: number, few: boolean): void {
    if (block <= 0 || FLUID[block] > 0 || !blocks[block]) return;
    const [x0, y0, z0, x1, y1, z1] = boxOf(block);
    const n = few ? 3 : 26;
    for (let i = 0; i < n; i++) {
      if (this.pieces.length >= MOST) this.pieces.shift();
      const r = (a: number, b: number): number => a + Math.random() * (b - a);
      const [px, py, pz] = [r(x0, x1), r(y0, y1), r(z0, z1)];
      const force = few ? 1.2 : 2.4;
      this.pieces.push({
        x: x + px, y: y + py, z: z + pz,
        vx: (px - 0.5) * force + r(-0.5, 0.5), vy: r(0.5, few ? 1.6 : 3.2), vz: (pz - 0.5) * force + r(-0.5, 0.5),
        life: r(0.45, few ? 0.7 : 1.1), size: r(0.04, 0.075), layer: LAYER[block * 6 + 2],
        u: Math.floor(r(0, 13)) / 16, v: Math.floor(r(0, 13)) / 16,
      });
    }
  }

  update(dt: number, eye: { x: number; y: number; z: number }, light: number, block: (x: number, y: number, z: number) => number): void {
    const out = this.data.array as Float32Array;
    let n = 0;
    for (let i = this.pieces.length - 1; i >= 0; i--) {
      const p = this.pieces[i];
      p.life -= dt;
      if (p.life <= 0) {
        this.pieces.splice(i, 1);
        continue;
      }
      fly(p, dt, block);
      const size = p.size * Math.min(1, p.life * 5);
      out.set([p.x - eye.x, p.y - eye.y, p.z - eye.z, size, p.layer, p.u, p.v, light], n * STRIDE);
      n++;
    }
    this.geometry.instanceCount = n;
    this.mesh.visible = n > 0;
    if (n > 0) this.data.needsUpdate = true;
  }

  clear(): void {
    this.pieces.length = 0;
  }
}

/** fly moves a piece; solid blocks stop it, each axis for itself. */
function fly(p: Piece, dt: number, block: (x: number, y: number, z: number) => number): void {
  const solid = (x: number, y: number, z: number): boolean => SOLID[Math.max(0, block(Math.floor(x), Math.floor(y), Math.floor(z)))] === 1;
  p.vy -= GRAVITY * dt;
  if (solid(p.x, p.y + p.vy * dt, p.z)) {
    p.vy = 0;
    p.vx *= 0.6;
    p.vz *= 0.6;
  } else p.y += p.vy * dt;
  if (solid(p.x + p.vx * dt, p.y, p.z)) p.vx = 0;
  else p.x += p.vx * dt;
  if (solid(p.x, p.y, p.z + p.vz * dt)) p.vz = 0;
  else p.z += p.vz * dt;
}
