import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxEdges } from '../src/world/edges';

test('a box has twelve edges', () => {
  const points = boxEdges([[0, 0, 0, 1, 0.5, 1]], 0);
  assert.equal(points.length, 12 * 6);
  assert.equal(Math.max(...points.filter((_, i) => i % 3 === 1)), 0.5);
});

test('flat joints of two boxes are no edges', () => {
  // Steps: the profile has six corners, so six lines along x and twelve across; the three sides
  // where the upper box continues the lower one are cut in two by its plane.
  const stairs = boxEdges([[0, 0, 0, 1, 0.5, 1], [0, 0.5, 0, 1, 1, 0.5]], 0);
  const lines = new Set<string>();
  let length = 0;
  for (let i = 0; i < stairs.length; i += 6) {
    const [a, b] = [stairs.slice(i, i + 3), stairs.slice(i + 3, i + 6)];
    lines.add(`${a}-${b}`);
    length += Math.hypot(b[0]! - a[0]!, b[1]! - a[1]!, b[2]! - a[2]!);
  }
  assert.equal(length, 6 * 1 + 2 * 4); // six along x, the outline of an L on both sides
  assert.ok(!lines.has('0,0.5,0-1,0.5,0'), 'the back has no line in its middle');
  assert.equal(lines.size * 6, stairs.length);
});
