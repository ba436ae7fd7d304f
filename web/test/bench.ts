// Speed of meshing in Node: `node web/.build/test/bench.mjs` prints it as JSON.
// In the browser window.vpBench.mesh() does the same with the world it shows.

import { measureMeshes } from '../src/world/measure';
import { litWorld } from './scene';

console.log(JSON.stringify(measureMeshes(litWorld(4).world, () => performance.now())));
