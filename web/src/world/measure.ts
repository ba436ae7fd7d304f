// How long meshes take.

import type { World } from './chunk';
import { Mesher } from './mesher';

/** Milliseconds for the mesh of a chunk with ambient occlusion. */
export interface Measured {
  chunks: number;
  quads: number;
  median: number;
  p95: number;
  mean: number;
}

/** measureMeshes meshes every chunk that is not uniform and whose column is surrounded, after a first round that warms up. */
export function measureMeshes(world: World, now: () => number): Measured {
  const mesher = new Mesher();
  const times: number[] = [];
  let quads = 0;
  for (let round = 0; round < 3; round++) {
    for (const column of world.all()) {
      if (!world.surrounded(column.x, column.z)) continue;
      for (const chunk of column.chunks) {
        if (!chunk.blocks) continue;
        const start = now();
        const mesh = mesher.mesh(world, chunk);
        if (round === 0) continue;
        times.push(now() - start);
        quads += mesh.solid + mesh.holes + mesh.water;
      }
    }
  }
  const mean = times.reduce((a, b) => a + b, 0) / Math.max(1, times.length);
  return { chunks: times.length, quads, median: percentile(times, 0.5), p95: percentile(times, 0.95), mean };
}

/** percentile returns a percentile of numbers, 0 for none. */
export function percentile(values: number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * p)] ?? 0;
}
