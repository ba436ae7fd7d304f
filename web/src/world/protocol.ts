// What the main thread and the world worker say to each other.

import type { Mesh } from './mesher';
import type { Measured } from './measure';

/** A column's generation tells its reloads apart: answers to an old one are dropped. */
export type ToWorker =
  | { t: 'column'; x: number; z: number; generation: number; mask: number; deflated: Uint8Array }
  | { t: 'unload'; x: number; z: number }
  /** x, y, z, block for each edit */
  | { t: 'edits'; list: Int32Array }
  /** the block that holds the eye; the nearest columns are meshed first */
  | { t: 'eye'; x: number; z: number }
  /** asks for the light at places: x, y, z for each */
  | { t: 'probe'; places: Int32Array }
  | { t: 'far'; x: number; z: number; deflated: Uint8Array }
  | { t: 'measure' }
  | { t: 'clear' };

export interface ChunkMesh extends Mesh {
  x: number;
  y: number;
  z: number;
  generation: number;
}

export type FromWorker =
  /** its scripts are there: messages sent before may have gone to a worker that never began */
  | { t: 'begun' }
  /** the inflated payload, for the main thread's own copy of the blocks */
  | { t: 'column'; x: number; z: number; generation: number; mask: number; raw: Uint8Array }
  /** meshes that belong together: they are to be shown in the same frame */
  | { t: 'meshes'; meshes: ChunkMesh[]; queue: number; meshMs: number; lightMs: number }
  | { t: 'light'; light: Uint8Array }
  | { t: 'far'; x: number; z: number; heights: Uint8Array; tops: Uint16Array }
  | { t: 'measured'; result: Measured }
  | { t: 'bad'; what: string; x: number; z: number };
