import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataArrayTexture, Matrix4, PerspectiveCamera } from 'three';
import { coloursOf } from '../src/engine/figure';
import { Frustum } from '../src/engine/frustum';
import { Governor } from '../src/engine/quality';
import { Terrain } from '../src/engine/terrain';
import { makeShared } from '../src/engine/uniforms';
import type { ChunkMesh } from '../src/world/protocol';
import { ALL_SEE } from '../src/world/visibility';

/** a chunk with one solid quad that faces up */
function chunk(x: number, y: number, z: number, sees = ALL_SEE, solid = 1): ChunkMesh {
  return { x, y, z, generation: 1, data: new Uint32Array(8 * solid), solid, facing: [0, solid, 0, 0, 0, 0], holes: 0, water: 0, sees };
}

interface Look {
  terrain: Terrain;
  /** places that are drawn for an eye in the middle of chunk (0, 3, 0), looking towards −z */
  drawn(reach?: number): string[];
}

function look(make: (x: number, y: number, z: number) => ChunkMesh, r = 3): Look {
  const frustum = new Frustum();
  const terrain = new Terrain(makeShared(), new DataArrayTexture(), frustum);
  for (let x = -r; x <= r; x++) for (let z = -r; z <= r; z++) for (let y = 0; y < 8; y++) terrain.set(make(x, y, z));
  const camera = new PerspectiveCamera(70, 16 / 9, 0.05, 1000);
  camera.updateMatrixWorld();
  const view = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  return {
    terrain,
    drawn: (reach = 1000) => {
      frustum.take(view);
      terrain.cull(16, 112, 16, reach, 0, false);
      return terrain.group.children.map((m) => {
        const e = m.matrixWorld.elements;
        return [(e[12] + 16) / 32, (e[13] + 112) / 32, (e[14] + 16) / 32].join();
      });
    },
  };
}

test('what lies behind the eye is not drawn, what lies before it is', () => {
  const all = look(chunk).drawn();
  assert.ok(all.includes('0,3,-1') && all.includes('0,3,-3') && all.includes('0,3,0'));
  assert.ok(!all.includes('0,3,2') && !all.includes('-3,3,1'));
});

test('nothing beyond the reach', () => {
  const all = look(chunk).drawn(40);
  assert.ok(all.includes('0,3,-1') && !all.includes('0,3,-3'));
});

test('a wall that nothing is seen through hides what is behind it', () => {
  const walled = look((x, y, z) => chunk(x, y, z, z === -1 ? 0 : ALL_SEE)).drawn();
  assert.ok(walled.includes('0,3,-1'));
  assert.ok(!walled.some((k) => k.endsWith('-2') || k.endsWith('-3')));
});

test('a gap in the wall lets the look through', () => {
  const gap = look((x, y, z) => chunk(x, y, z, z === -1 && x !== 1 ? 0 : ALL_SEE)).drawn();
  assert.ok(gap.includes('1,3,-2'));
});

test('quads that face away are left out of large chunks', () => {
  const l = look((x, y, z) => chunk(x, y, z, ALL_SEE, 500));
  l.drawn();
  for (const child of l.terrain.group.children) {
    const { geometry, matrixWorld } = child as unknown as { geometry: { groups: unknown[] }; matrixWorld: Matrix4 };
    // tops are seen from above only
    assert.equal(geometry.groups.length, matrixWorld.elements[13] < 0 ? 1 : 0);
  }
});

test('removing columns and replacing meshes keeps count', () => {
  const { terrain } = look(chunk);
  assert.equal(terrain.meshes, 7 * 7 * 8);
  terrain.set(chunk(0, 0, 0, ALL_SEE, 0));
  assert.equal(terrain.meshes, 7 * 7 * 8 - 1);
  terrain.remove(1, 1);
  assert.equal(terrain.size, 48);
  terrain.clear();
  assert.deepEqual([terrain.size, terrain.meshes, terrain.quads], [0, 0, 0]);
});

test('slow frames lower the quality step by step, fast ones raise it again', () => {
  const g = new Governor();
  const run = (seconds: number, dt: number): void => {
    for (let t = 0; t < seconds; t += dt) g.frame(dt);
  };
  assert.equal(g.now.scale, 1);
  run(4, 1 / 20);
  assert.ok(g.now.scale < 1);
  run(30, 1 / 10);
  assert.equal(g.now.scale, 0.4);
  run(200, 1 / 60);
  assert.equal(g.now.scale, 1);
  g.quality = 'low';
  assert.equal(g.now.scale, 0.6);
  assert.equal(g.frame(1), false);
});

test('a figure has the same colours each time, others have others', () => {
  assert.deepEqual(coloursOf('player', 'Ada', 1), coloursOf('player', 'Ada', 99));
  assert.notDeepEqual(coloursOf('player', 'Ada', 1), coloursOf('player', 'Grace', 1));
  assert.equal(new Set(Array.from({ length: 40 }, (_, i) => coloursOf('player', `p${i}`, 0).join())).size > 30, true);
});
