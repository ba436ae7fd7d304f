// The engine's vocabulary: what the rest of the client hands in and gets back.
// Positions are metres in world coordinates, angles radians, y is up.

/** A point or a direction in the world. */
export interface Vec3 {
  x: number;
  y: number;
  z: number;
}

export type Quality = 'auto' | 'low' | 'medium' | 'high';

/** What a person may choose; see Engine.setOptions. */
export interface EngineOptions {
  /** columns drawn in full detail around the camera, 2 to 16 */
  viewDistance: number;
  /** regions of far terrain beyond that, 0 to 8 */
  farDistance: number;
  /** auto lowers resolution and distance while frames are slow */
  quality: Quality;
  /** no swaying plants, no view bobbing, no chunk fade-in */
  reducedMotion: boolean;
  clouds: boolean;
  /** 0 (true night) to 1 (night is as bright as dusk) */
  brightness: number;
  /** draw the hand and the held block */
  hand: boolean;
}

/** Where the eye is and how it looks; see Engine.camera. */
export interface CameraState {
  /** the eye */
  x: number;
  y: number;
  z: number;
  /** 0 looks towards −z, grows clockwise seen from above (π/2 looks towards +x) */
  yaw: number;
  /** up is positive */
  pitch: number;
  /** vertical field of view in degrees */
  fov: number;
  /** metres walked, for the bobbing of the view and the hand; leave it alone to stand still */
  walked?: number;
}

/** How an entity looks now; interpolation over time is the caller's. */
export interface EntityState {
  /** the middle of the feet */
  x: number;
  y: number;
  z: number;
  /** where it looks, as in CameraState; the body follows on its own */
  yaw: number;
  pitch: number;
  sneaking: boolean;
  swimming: boolean;
  flying: boolean;
  dead: boolean;
  burning: boolean;
  /** sleeps here, the feet's end on a bed, with the head that way */
  lies?: { x: number; y: number; z: number; headX: number; headZ: number } | null;
  /** armour from head to feet, 0 for none */
  worn: readonly number[];
  /** how large it is, 1 for its model's size */
  scale: number;
  /** block in the hand, 0 for none; of an item, what it is */
  held: number;
  /** of an item, how many */
  count: number;
}

/** What an entity does for a moment; see Engine.entityEvent. */
export type EntityEvent = 'swing' | 'hurt' | 'eat' | 'call';

/** Numbers for the debug screen and for tests. */
export interface EngineStats {
  fps: number;
  /** milliseconds of main-thread work in a frame, smoothed */
  cpuMs: number;
  columns: number;
  /** columns whose chunks all have their mesh */
  meshedColumns: number;
  /** chunks that have a mesh / that were drawn in the last frame */
  chunks: number;
  chunksDrawn: number;
  drawCalls: number;
  triangles: number;
  entities: number;
  farTiles: number;
  /** chunks waiting for the worker */
  queue: number;
  /** median milliseconds that the worker needed for a chunk's mesh, light for a column */
  meshMs: number;
  lightMs: number;
  /** megabytes of mesh data on the GPU */
  meshMb: number;
  /** share of the full resolution that is drawn, 0.5 to 1 */
  scale: number;
  /** columns that are really drawn, less than asked while frames are slow */
  viewDistance: number;
  /** sky and lamp light at the eye, 0 to 15 */
  sky: number;
  lamp: number;
  /** name of the GPU, if the browser tells */
  gpu: string;
}
