// A chunk's mesh: quads in three passes and what sees what through it.

import type { Chunk, World } from './chunk';
import { meshCubes } from './cubes';
import { Padded } from './padded';
import { QUAD_BYTES, Quads } from './quads';
import { meshShapes } from './shapes';
import { KIND, Kind, OPAQUE } from './tables';
import { ALL_SEE, visibility } from './visibility';

/** A mesh as it travels to the main thread. */
export interface Mesh {
  /** solid quads, then those with holes, then water */
  data: Uint32Array;
  solid: number;
  /** how many of the solid ones face each direction, in the order of DRAW_ORDER */
  facing: number[];
  holes: number;
  water: number;
  /** pairs of faces that see each other, see visibility.ts */
  sees: number;
}

export const EMPTY_MESH: Mesh = { data: new Uint32Array(0), solid: 0, facing: [0, 0, 0, 0, 0, 0], holes: 0, water: 0, sees: ALL_SEE };

/** A Mesher keeps the scratch memory that meshing needs. */
export class Mesher {
  private readonly padded = new Padded();
  private readonly solid = new Quads();
  private readonly holes = new Quads();
  private readonly water = new Quads();

  mesh(world: World, chunk: Chunk): Mesh {
    const simple = this.uniform(chunk);
    if (simple) return simple;
    const { padded, solid, holes, water } = this;
    padded.gather(world, chunk);
    solid.clear();
    holes.clear();
    water.clear();
    const facing = meshCubes(padded, solid, holes);
    meshShapes(padded, holes, water);
    const sees = visibility(padded);
    const data = new Uint32Array(solid.length + holes.length + water.length);
    data.set(solid.words.subarray(0, solid.length));
    data.set(holes.words.subarray(0, holes.length), solid.length);
    data.set(water.words.subarray(0, water.length), solid.length + holes.length);
    return { data, solid: solid.count, facing, holes: holes.count, water: water.count, sees };
  }

  /** uniform answers for chunks that need no look: all air, or opaque within opaque ones. */
  private uniform(chunk: Chunk): Mesh | null {
    if (chunk.blocks) return null;
    if (KIND[chunk.block] === Kind.Air) return EMPTY_MESH;
    if (!OPAQUE[chunk.block]) return null;
    for (const near of chunk.near) {
      const hidden = near ? !near.blocks && OPAQUE[near.block] : chunk.y === 0;
      if (!hidden) return null;
    }
    return { ...EMPTY_MESH, sees: 0 };
  }
}

/** meshBytes is the size of a mesh on the GPU. */
export function meshBytes(m: Mesh): number {
  return (m.solid + m.holes + m.water) * QUAD_BYTES;
}
