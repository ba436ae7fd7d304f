// What the engine decides about the picture before the GPU draws it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cover, coverOf, FADE_OUT, fades } from '../src/engine/cover';
import { farColours, paintAll } from '../src/engine/textures/atlas';
import { MOST_TORCHES, torches } from '../src/engine/torches';
import { Block } from '../src/gen/blocks';
import { random } from './scene';

test('between near and far terrain there is neither a gap nor an edge', () => {
  const next = random(5);
  const reach = 160;
  for (let i = 0; i < 20; i++) {
    const [x, z] = [next(6400) / 100, next(6400) / 100];
    for (let cz = -8; cz <= 9; cz++) {
      for (let cx = -8; cx <= 9; cx++) {
        const cover = coverOf(() => true, cx, cz, x, z, reach);
        const [nearest, farthest] = distances(cx * 32 - x, cz * 32 - z);
        const fading = fades(cx * 32 - x, cz * 32 - z, reach);
        // Near terrain that does not fade is drawn without blending: all of it must be opaque.
        assert.equal(fading, farthest > reach - FADE_OUT);
        // The far land lies under everything that lets it through ...
        if (fading) assert.notEqual(cover, Cover.Full, `column ${cx},${cz} from ${x},${z}`);
        // ... and alone where nothing near is drawn; not where the eye may yet see near land.
        if (nearest > reach + 12) assert.equal(cover, Cover.None);
        if (farthest < reach - FADE_OUT - 12) assert.equal(cover, Cover.Full);
      }
    }
  }
});

test('the far land fills the cracks beside near columns that are still missing', () => {
  const has = (x: number, z: number): boolean => !(x === 1 && z === 0);
  assert.equal(coverOf(has, 1, 0, 16, 16, 300), Cover.None);
  assert.equal(coverOf(has, 0, 1, 16, 16, 300), Cover.Edge);
  assert.equal(coverOf(has, -1, 0, 16, 16, 300), Cover.Full);
});

/** distances is how far the nearest and the farthest point of a column are, by trying. */
function distances(x: number, z: number): [number, number] {
  const clamp = (v: number): number => Math.max(v, Math.min(v + 32, 0));
  const all = [[x, z], [x + 32, z], [x, z + 32], [x + 32, z + 32]].map(([a, b]) => Math.hypot(a, b));
  return [Math.hypot(clamp(x), clamp(z)), Math.max(...all)];
}

test('a torch in the own hand is a light at the eye', () => {
  const out = new Float32Array(MOST_TORCHES * 4);
  const eye = { x: 100, y: 60, z: -20 };
  assert.equal(torches(out, eye, Block.Stone, []), 0);
  assert.equal(torches(out, eye, 0, []), 0);
  assert.equal(torches(out, eye, Block.Torch, []), 1);
  assert.deepEqual([...out.slice(0, 3)], [0, 0, 0]);
  assert.ok(Math.abs(out[3] - 14 / 15) < 1e-6);
});

test('of the torches of others the nearest count, after the own one', () => {
  const out = new Float32Array(MOST_TORCHES * 4);
  const eye = { x: 0, y: 60, z: 0 };
  const others = [50, 3, 90, 20, 7, 30].map((x) => ({ x, y: 60, z: 0, held: Block.Torch as number }));
  others.push({ x: 1, y: 60, z: 0, held: Block.Dirt });
  assert.equal(torches(out, eye, Block.Torch, others), MOST_TORCHES);
  assert.deepEqual([0, 1, 2, 3].map((i) => out[i * 4]), [0, 3, 7, 20]);
  assert.equal(torches(out, eye, 0, [others[2]]), 0, 'too far away');
});

test('far land has the colours of the textures that near land shows', () => {
  const colours = farColours(paintAll());
  const [r, g, b] = [16, 8, 0].map((shift) => (colours[Block.Grass] >> shift) & 255);
  assert.ok(g > r && r > b, `grass is ${r}, ${g}, ${b}`);
  const leaves = colours[Block.OakLeaves];
  assert.ok(((leaves >> 8) & 255) > 60, 'the holes between leaves do not count');
});
