import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rain } from '../src/engine/rain';
import { makeShared } from '../src/engine/uniforms';
import { Block } from '../src/gen/blocks';

/** The drops that are shown around an eye at a height, as rain and as snow. */
function drops(ground: number, eyeY: number, block = (_x: number, y: number): number => (y < 60 ? ground : Block.Air)): { rain: number; snow: number; lowest: number } {
  const rain = new Rain(makeShared());
  rain.wet = 1;
  rain.update({ x: 0.5, y: eyeY, z: 0.5 }, 0, 3, block);
  const at = rain.mesh.geometry.getAttribute('position');
  const out = { rain: 0, snow: 0, lowest: Infinity };
  for (let i = 0; i < at.count; i += 4) {
    if (at.getY(i) < -1000) continue;
    out[at.getW(i) ? 'snow' : 'rain']++;
    out.lowest = Math.min(out.lowest, at.getY(i) + eyeY);
  }
  return out;
}

test('rain falls on grass, snow on snow, nothing on sand', () => {
  const wet = drops(Block.Grass, 62);
  assert.ok(wet.rain > 200 && wet.snow === 0 && wet.lowest > 60);
  const cold = drops(Block.SnowyGrass, 62);
  assert.ok(cold.snow > 200 && cold.rain === 0);
  assert.deepEqual(drops(Block.Sand, 62), { rain: 0, snow: 0, lowest: Infinity });
});

test('no rain falls through a roof', () => {
  const under = drops(Block.Grass, 62, (_x, y) => (y < 60 || y === 70 ? Block.Stone : Block.Air));
  assert.ok(under.lowest > 71);
});

test('nothing is drawn in fair weather', () => {
  const rain = new Rain(makeShared());
  rain.update({ x: 0, y: 62, z: 0 }, 0, 3, () => Block.Air);
  assert.equal(rain.mesh.visible, false);
});
