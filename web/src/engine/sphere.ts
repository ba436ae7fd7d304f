// The renderer wants a bounding sphere of whatever it sorts and would work one
// out from positions that mean something else here.

import { Sphere, Vector3, type BufferGeometry } from 'three';

const chunk = new Sphere(new Vector3(16, 16, 16), 28);

/** bounded gives a geometry a sphere that spares the renderer the search. */
export function bounded<T extends BufferGeometry>(geometry: T): T {
  geometry.boundingSphere = chunk;
  return geometry;
}
