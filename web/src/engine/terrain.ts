// The chunks that are drawn: their meshes, and which of them can be seen.

import { BufferAttribute, BufferGeometry, DoubleSide, GLSL3, Group, InterleavedBuffer, InterleavedBufferAttribute, LessDepth, Mesh, NoBlending, RawShaderMaterial, type DataArrayTexture } from 'three';
import type { ChunkMesh } from '../world/protocol';
import { DRAW_ORDER } from '../world/cubes';
import { ALL_SEE, pairBit } from '../world/visibility';
import { CHUNKS } from './bits';
import { fades } from './cover';
import type { Frustum } from './frustum';
import { CHUNK_VERTEX, HOLES_FRAGMENT, SOLID_FRAGMENT, WATER_FRAGMENT, WATER_VERTEX } from './shaders';
import { bounded } from './sphere';
import type { Shared } from './uniforms';

/** seconds that a chunk takes to appear */
const FADE = 0.6;
/** quads that indices of 16 bits reach */
const SHORT_QUADS = 16384;

interface DrawnChunk {
  readonly column: DrawnColumn;
  readonly y: number;
  mesh: Mesh | null;
  sees: number;
  quads: number;
  /** quads by pass; solid ones also by direction */
  solid: number;
  facing: number[];
  holes: number;
  water: number;
  /** directions that are drawn, as bits by place in DRAW_ORDER; −1 before the first time */
  facesDrawn: number;
  /** seconds since it appeared */
  age: number;
  readonly near: (DrawnChunk | null)[];
  /** faces through which this look has come in, and the look's number */
  entered: number;
  look: number;
}

interface DrawnColumn {
  readonly x: number;
  readonly z: number;
  readonly chunks: DrawnChunk[];
}

const key = (x: number, z: number): number => (x + 0x8000) * 0x10000 + (z + 0x8000);

export class Terrain {
  readonly group = new Group();
  drawn = 0;
  quads = 0;
  meshes = 0;
  private readonly columns = new Map<number, DrawnColumn>();
  readonly materials: RawShaderMaterial[];
  /** for chunks that fade into the far land: the same programs, drawn over what lies behind */
  private readonly fading: RawShaderMaterial[];
  private readonly shortIndex = quadIndex(SHORT_QUADS);
  private longIndex: BufferAttribute | null = null;
  private readonly queue: DrawnChunk[] = [];
  private look = 0;

  constructor(
    shared: Shared,
    blocks: DataArrayTexture,
    private readonly frustum: Frustum,
  ) {
    const uniforms = { ...shared, uBlocks: { value: blocks } };
    const base = { glslVersion: GLSL3, uniforms } as const;
    const solid = { ...base, vertexShader: CHUNK_VERTEX, fragmentShader: SOLID_FRAGMENT };
    const holes = { ...base, vertexShader: CHUNK_VERTEX, fragmentShader: HOLES_FRAGMENT, side: DoubleSide };
    const over = { transparent: true, forceSinglePass: true };
    const water = new RawShaderMaterial({ ...base, ...over, vertexShader: WATER_VERTEX, fragmentShader: WATER_FRAGMENT, side: DoubleSide, depthFunc: LessDepth });
    // Without blending three counts them as the programs of the fading ones, and compiles none twice.
    this.materials = [new RawShaderMaterial({ ...solid, blending: NoBlending }), new RawShaderMaterial({ ...holes, blending: NoBlending }), water];
    this.fading = [new RawShaderMaterial({ ...solid, ...over }), new RawShaderMaterial({ ...holes, ...over }), water];
    this.group.matrixWorldAutoUpdate = false;
  }

  get size(): number {
    return this.columns.size;
  }

  has(x: number, z: number): boolean {
    return this.columns.has(key(x, z));
  }

  /** set shows a chunk's mesh; it replaces the one before. */
  set(m: ChunkMesh): void {
    const column = this.columns.get(key(m.x, m.z)) ?? this.addColumn(m.x, m.z);
    const chunk = column.chunks[m.y];
    const before = chunk.mesh;
    this.drop(chunk);
    chunk.sees = m.sees;
    const quads = m.solid + m.holes + m.water;
    if (quads === 0) return;
    chunk.quads = quads;
    chunk.solid = m.solid;
    chunk.facing = m.facing;
    chunk.holes = m.holes;
    chunk.water = m.water;
    chunk.facesDrawn = -1;
    chunk.mesh = this.build(m, quads);
    if (!before) chunk.age = 0;
    this.meshes++;
    this.quads += quads;
  }

  private build(m: ChunkMesh, quads: number): Mesh {
    const geometry = bounded(new BufferGeometry());
    const buffer = new InterleavedBuffer(m.data, 2);
    geometry.setAttribute('corner', new InterleavedBufferAttribute(buffer, 2, 0));
    geometry.setIndex(this.indexFor(quads));
    const mesh = new Mesh(geometry, this.materials);
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    mesh.matrixWorldAutoUpdate = false;
    return mesh;
  }

  private indexFor(quads: number): BufferAttribute {
    if (quads <= SHORT_QUADS) return this.shortIndex;
    if (!this.longIndex || this.longIndex.count < quads * 6) this.longIndex = quadIndex(quads * 2);
    return this.longIndex;
  }

  private drop(chunk: DrawnChunk): void {
    if (!chunk.mesh) return;
    // The index is shared: detach it, or disposing would take it from the others.
    chunk.mesh.geometry.setIndex(null);
    chunk.mesh.geometry.dispose();
    chunk.mesh = null;
    this.meshes--;
    this.quads -= chunk.quads;
    chunk.quads = 0;
  }

  private addColumn(x: number, z: number): DrawnColumn {
    const column: DrawnColumn = { x, z, chunks: [] };
    for (let y = 0; y < CHUNKS; y++) {
      column.chunks.push({ column, y, mesh: null, sees: ALL_SEE, quads: 0, solid: 0, facing: [], holes: 0, water: 0, facesDrawn: -1, age: FADE, near: [null, null, null, null, null, null], entered: 0, look: 0 });
    }
    const sides = [this.columns.get(key(x, z - 1)), this.columns.get(key(x, z + 1)), this.columns.get(key(x - 1, z)), this.columns.get(key(x + 1, z))];
    column.chunks.forEach((chunk, y) => {
      chunk.near[0] = column.chunks[y - 1] ?? null;
      chunk.near[1] = column.chunks[y + 1] ?? null;
      sides.forEach((side, i) => {
        if (!side) return;
        chunk.near[i + 2] = side.chunks[y];
        side.chunks[y].near[(i + 2) ^ 1] = chunk;
      });
    });
    this.columns.set(key(x, z), column);
    return column;
  }

  remove(x: number, z: number): void {
    const column = this.columns.get(key(x, z));
    if (!column) return;
    this.columns.delete(key(x, z));
    for (const chunk of column.chunks) {
      this.drop(chunk);
      for (let face = 2; face < 6; face++) {
        const near = chunk.near[face];
        if (near) near.near[face ^ 1] = null;
      }
    }
  }

  clear(): void {
    for (const { x, z } of [...this.columns.values()]) this.remove(x, z);
  }

  /** cull chooses what is drawn from the eye, within `reach` metres. */
  cull(x: number, y: number, z: number, reach: number, dt: number, fade: boolean): void {
    this.look++;
    const list = this.group.children;
    list.length = 0;
    const start = this.columns.get(key(Math.floor(x / 32), Math.floor(z / 32)))?.chunks[Math.floor(y / 32)];
    const show = (chunk: DrawnChunk): void => {
      if (!chunk.mesh) return;
      chunk.age = fade ? Math.min(FADE, chunk.age + dt) : FADE;
      const e = chunk.mesh.matrixWorld.elements;
      e[0] = chunk.age / FADE;
      e[12] = chunk.column.x * 32 - x;
      e[13] = chunk.y * 32 - y;
      e[14] = chunk.column.z * 32 - z;
      chunk.mesh.material = fades(e[12], e[14], reach) ? this.fading : this.materials;
      group(chunk, facesToward(e[12], e[13], e[14]));
      list.push(chunk.mesh);
    };
    if (start) this.walk(start, x, y, z, reach, show);
    else this.scan(x, y, z, reach, show);
    this.drawn = list.length;
  }

  /** walk goes from chunk to chunk as far as the eye can see through them. */
  private walk(start: DrawnChunk, x: number, y: number, z: number, reach: number, show: (c: DrawnChunk) => void): void {
    const { queue, look } = this;
    queue.length = 0;
    start.look = look;
    start.entered = 0x3f;
    show(start);
    for (let face = 0; face < 6; face++) this.enter(start.near[face], face ^ 1, x, y, z, reach, show);
    for (let i = 0; i < queue.length; i += 1) {
      const chunk = queue[i];
      // Only the faces it was entered through since it was last taken out count.
      const from = chunk.entered & 0x3f & ~(chunk.entered >> 6);
      chunk.entered |= from << 6;
      for (let face = 0; face < 6; face++) {
        if (!leadsAway(chunk, face, x, y, z)) continue;
        for (let f = 0; f < 6; f++) {
          if ((from & (1 << f)) === 0 || f === face || (chunk.sees & pairBits[f * 6 + face]) === 0) continue;
          this.enter(chunk.near[face], face ^ 1, x, y, z, reach, show);
          break;
        }
      }
    }
  }

  private enter(chunk: DrawnChunk | null, face: number, x: number, y: number, z: number, reach: number, show: (c: DrawnChunk) => void): void {
    if (!chunk) return;
    if (chunk.look === this.look) {
      if (chunk.entered & (1 << face)) return;
      chunk.entered |= 1 << face;
      this.queue.push(chunk);
      return;
    }
    if (!this.inSight(chunk, x, y, z, reach)) return;
    chunk.look = this.look;
    chunk.entered = 1 << face;
    show(chunk);
    this.queue.push(chunk);
  }

  /** scan takes all chunks in sight: for an eye outside the known world. */
  private scan(x: number, y: number, z: number, reach: number, show: (c: DrawnChunk) => void): void {
    for (const column of this.columns.values()) {
      for (const chunk of column.chunks) if (chunk.mesh && this.inSight(chunk, x, y, z, reach)) show(chunk);
    }
  }

  private inSight(chunk: DrawnChunk, x: number, y: number, z: number, reach: number): boolean {
    const cx = chunk.column.x * 32 + 16 - x;
    const cy = chunk.y * 32 + 16 - y;
    const cz = chunk.column.z * 32 + 16 - z;
    const dx = Math.max(0, Math.abs(cx) - 16);
    const dz = Math.max(0, Math.abs(cz) - 16);
    if (dx * dx + dz * dz > reach * reach) return false;
    return this.frustum.shows(cx, cy, cz, 16, 16, 16);
  }
}

/** chunks with fewer solid quads are drawn whole: more calls would cost more than they spare */
const WORTH_PARTING = 400;

/** facesToward tells which directions can face the eye in a chunk whose corner is at (x, y, z) from it. */
function facesToward(x: number, y: number, z: number): number {
  const faces = [y > -32, y < 0, z > -32, z < 0, x > -32, x < 0];
  let bits = 0;
  DRAW_ORDER.forEach((face, i) => {
    if (faces[face]) bits |= 1 << i;
  });
  return bits;
}

/** group lets a chunk draw its solid quads of some directions, and all others. */
function group(chunk: DrawnChunk, facing: number): void {
  if (chunk.solid < WORTH_PARTING) facing = 0x3f;
  if (!chunk.mesh || chunk.facesDrawn === facing) return;
  chunk.facesDrawn = facing;
  const { geometry } = chunk.mesh;
  geometry.clearGroups();
  let at = 0;
  let from = 0;
  chunk.facing.forEach((n, i) => {
    if ((facing & (1 << i)) === 0) {
      if (at > from) geometry.addGroup(from * 6, (at - from) * 6, 0);
      from = at + n;
    }
    at += n;
  });
  if (at > from) geometry.addGroup(from * 6, (at - from) * 6, 0);
  if (chunk.holes > 0) geometry.addGroup(at * 6, chunk.holes * 6, 1);
  if (chunk.water > 0) geometry.addGroup((at + chunk.holes) * 6, chunk.water * 6, 2);
}

/** pairBits is pairBit as a table, 0 for a face and itself. */
const pairBits = new Int32Array(36);
for (let a = 0; a < 6; a++) for (let b = 0; b < 6; b++) if (a !== b) pairBits[a * 6 + b] = pairBit(a, b);

/** leadsAway tells whether a face of a chunk leads away from the eye: a straight look never turns back. */
function leadsAway(chunk: DrawnChunk, face: number, x: number, y: number, z: number): boolean {
  switch (face) {
    case 0:
      return chunk.y * 32 <= y;
    case 1:
      return chunk.y * 32 + 32 >= y;
    case 2:
      return chunk.column.z * 32 <= z;
    case 3:
      return chunk.column.z * 32 + 32 >= z;
    case 4:
      return chunk.column.x * 32 <= x;
    default:
      return chunk.column.x * 32 + 32 >= x;
  }
}

/** quadIndex makes the indices of n quads: two triangles each. */
function quadIndex(n: number): BufferAttribute {
  const index = n <= SHORT_QUADS ? new Uint16Array(n * 6) : new Uint32Array(n * 6);
  for (let q = 0; q < n; q++) index.set([q * 4, q * 4 + 1, q * 4 + 2, q * 4, q * 4 + 2, q * 4 + 3], q * 6);
  return new BufferAttribute(index, 1);
}
