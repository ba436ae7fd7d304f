/// <reference types="node" />
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MODELS } from '../src/engine/beasts';
import { voiceOf } from '../src/audio/voices';
import { MOST_WAYPOINTS, Waypoints } from '../src/game/waypoints';
import { bearing } from '../src/ui/compass';

function memory(): Storage {
  const kept = new Map<string, string>();
  return { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v) } as Storage;
}

test('marked places are kept for each world', () => {
  const store = memory();
  const a = new Waypoints(store);
  a.enter('home 7');
  const w = a.add('Mine', 10.7, 64.2, -3.1);
  assert.deepEqual(w, { name: 'Mine', x: 10, y: 64, z: -4 });
  a.rename(w, 'Iron');
  const b = new Waypoints(store);
  b.enter('other 7');
  assert.deepEqual(b.list, []);
  b.add('There', 0, 0, 0);
  const c = new Waypoints(store);
  c.enter('home 7');
  assert.deepEqual(c.list.map((o) => o.name), ['Iron']);
  c.remove(c.list[0]);
  const d = new Waypoints(store);
  d.enter('home 7');
  assert.deepEqual(d.list, []);
});

test('there are never too many, and what is broken is left out', () => {
  const store = memory();
  const a = new Waypoints(store);
  a.enter('w');
  for (let i = 0; i < MOST_WAYPOINTS + 5; i++) a.add(`p${i}`, i, 0, 0);
  assert.equal(a.list.length, MOST_WAYPOINTS);
  assert.equal(a.list[0].name, 'p5');
  store.setItem('voxelpopuli.waypoints', JSON.stringify({ w: [{ name: 1 }, null, { name: 'ok', x: 1, y: 2, z: 3 }], v: 5 }));
  a.enter('w');
  assert.deepEqual(a.list.map((o) => o.name), ['ok']);
  a.enter('v');
  assert.deepEqual(a.list, []);
  store.setItem('voxelpopuli.waypoints', '{');
  a.enter('w');
  assert.deepEqual(a.list, []);
});

test('the compass says on which side a place lies', () => {
  const here = { x: 0, z: 0 };
  const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
  near(bearing(here, 0, { x: 0, z: -10 }), 0);
  near(bearing(here, 0, { x: 10, z: 0 }), Math.PI / 2);
  near(bearing(here, Math.PI / 2, { x: 0, z: -10 }), -Math.PI / 2);
  near(bearing(here, 6.2, { x: 0, z: -10 }), 2 * Math.PI - 6.2);
});

test('every mob has a voice of its own', () => {
  const names = Object.keys(MODELS).filter((m) => !['player', 'item', 'stalker'].includes(m));
  assert.equal(new Set(names.map(voiceOf)).size, names.length);
});

test('each palette sets the colours that mean something', () => {
  const css = readFileSync('static/style.css', 'utf8');
  for (const palette of ['redGreen', 'blueYellow', 'contrast']) {
    const rule = new RegExp(`data-palette="${palette}"\\] \\{([^}]*)`).exec(css)?.[1] ?? '';
    for (const name of ['--good', '--bad', '--life', '--meal']) assert.match(rule, new RegExp(name), palette);
  }
});
