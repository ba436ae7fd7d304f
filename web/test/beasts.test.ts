/// <reference types="node" />
import assert from 'node:assert/strict';
import test from 'node:test';
import { Matrix4, Vector3 } from 'three';
import { MODELS } from '../src/engine/beasts';
import { coloursOf, placePart, type Pose } from '../src/engine/figure';
import { paintSkins } from '../src/engine/textures/skins';
import { mobs } from '../src/gen/mobs';

const still: Pose = { yaw: 0, pitch: 0, stride: Math.PI / 2, swing: 0, strike: 0, lift: 0, sneak: false, swim: false, time: 0 };
const figures = Object.entries(MODELS).filter(([, m]) => m.parts.length > 0);

/** corners of all boxes of a figure in a pose */
function corners(name: string, pose: Partial<Pose>): Vector3[] {
  const m = new Matrix4();
  return MODELS[name].parts.flatMap((part) => {
    placePart(m, new Matrix4(), part, MODELS[name], { ...still, ...pose });
    return [-0.5, 0.5].flatMap((x) => [-0.5, 0.5].flatMap((y) => [-0.5, 0.5].map((z) => new Vector3(x, y, z).applyMatrix4(m))));
  });
}

test('there are eight animals and eight monsters, and every mob has its model', () => {
  for (const name of ['sheep', 'cow', 'pig', 'chicken', 'duck', 'rabbit', 'wolf', 'fox', 'goat', 'deer']) assert.ok(MODELS[name], name);
  for (const name of ['stalker', 'walker', 'archer', 'spider', 'slime', 'bat', 'burster', 'diver', 'burrower', 'brute']) assert.ok(MODELS[name], name);
  for (const m of mobs) assert.ok(MODELS[m.model], m.name);
});

test('boxes have skins and colours that are there', () => {
  const layers = paintSkins().length;
  for (const [name, m] of figures) {
    for (const p of m.parts) {
      for (const layer of p.skin) assert.ok(layer < layers, `${name}: skin ${layer}`);
      const all = name === 'player' ? [coloursOf('player', 'Ada', 1)] : m.colours;
      for (const c of all) assert.ok(p.colours[0] < c.length, `${name}: colour ${p.colours[0]}`);
    }
  }
});

test('a figure stands on the ground and is about as large as what one aims at', () => {
  for (const [name, m] of figures) {
    const ys = corners(name, {}).map((c) => c.y);
    const [low, high] = [Math.min(...ys), Math.max(...ys)];
    if (!m.flies) assert.ok(Math.abs(low) < 0.13, `${name} begins at ${low}`);
    assert.ok(high > m.height * 0.75 && high < m.height + 0.5, `${name} is ${high} high, aimed at as ${m.height}`);
  }
});

test('figures move: legs walk, wings beat, slimes leap, arms strike', () => {
  const moved = (name: string, pose: Partial<Pose>): boolean => {
    const [a, b] = [corners(name, {}), corners(name, pose)];
    return a.some((c, i) => c.distanceTo(b[i]) > 0.02);
  };
  for (const [name] of figures) if (!['slime', 'bat'].includes(name)) assert.ok(moved(name, { stride: 0, swing: 0.9 }), `${name} walks`);
  assert.ok(moved('bat', { time: 0.05 }));
  assert.ok(moved('slime', { lift: 1 }));
  for (const name of ['player', 'walker', 'archer', 'brute', 'burster']) assert.ok(moved(name, { strike: 0.3 }), `${name} strikes`);
});

test('one of a kind always looks the same, and not all look alike', () => {
  assert.deepEqual(coloursOf('cow', '', 7), coloursOf('cow', '', 7));
  assert.ok(new Set(Array.from({ length: 40 }, (_, i) => coloursOf('cow', '', i).join())).size > 1);
});
