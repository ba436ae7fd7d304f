import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'fflate';
import { Block, textureNames } from '../src/gen/blocks';
import type { FromWorker } from '../src/world/protocol';
import { WorldServer } from '../src/world/server';
import { unpainted } from '../src/engine/textures/atlas';
import { demoColumn, pack } from '../demo/terrain';

interface Bench {
  server: WorldServer;
  sent: FromWorker[];
  load(x: number, z: number, generation?: number): void;
  run(): void;
}

function bench(): Bench {
  const sent: FromWorker[] = [];
  const server = new WorldServer((m) => sent.push(m), () => 0);
  return {
    server,
    sent,
    load: (x, z, generation = 1) => {
      const { mask, raw } = pack(demoColumn(x, z));
      server.receive({ t: 'column', x, z, generation, mask, deflated: deflateSync(raw) });
    },
    run: () => {
      while (server.step());
    },
  };
}

type Meshes = Extract<FromWorker, { t: 'meshes' }>;
const meshes = (b: Bench): Meshes[] => b.sent.filter((m): m is Meshes => m.t === 'meshes');

function square(b: Bench, r: number): void {
  for (let z = -r; z <= r; z++) for (let x = -r; x <= r; x++) b.load(x, z);
}

test('a column is meshed once all around it is there, all its chunks in one message', () => {
  const b = bench();
  square(b, 1);
  b.run();
  const all = meshes(b);
  assert.equal(all.length, 1);
  assert.deepEqual(all[0].meshes.map((m) => [m.x, m.y, m.z]), [0, 1, 2, 3, 4, 5, 6, 7].map((y) => [0, y, 0]));
});

test('the nearest column comes first', () => {
  const b = bench();
  square(b, 3);
  b.server.receive({ t: 'eye', x: 70, z: -10 });
  b.run();
  assert.deepEqual([meshes(b)[0].meshes[0].x, meshes(b)[0].meshes[0].z], [2, -1]);
  assert.equal(meshes(b).length, 25);
});

test('an edit brings the chunks that look different now, and only those, in one message', () => {
  const b = bench();
  square(b, 2);
  b.run();
  b.sent.length = 0;
  // deep in the rock: nothing around can see it
  b.server.receive({ t: 'edits', list: Int32Array.of(5, 10, 5, Block.IronOre) });
  assert.deepEqual(meshes(b).map((m) => m.meshes.length), [1]);
  b.sent.length = 0;
  b.server.receive({ t: 'edits', list: Int32Array.of(0, 200, 0, Block.Lamp) });
  const [again] = meshes(b);
  assert.ok(again.meshes.some((m) => m.x === -1 && m.z === -1 && m.y === 6), 'the lamp shines into the columns beside it');
  assert.equal(meshes(b).length, 1);
});

test('edits of columns that are gone, or outside the world, do nothing', () => {
  const b = bench();
  square(b, 1);
  b.run();
  b.server.receive({ t: 'unload', x: 0, z: 0 });
  b.sent.length = 0;
  b.server.receive({ t: 'edits', list: Int32Array.of(5, 70, 5, 1, 5, 300, 5, 1, 5, -1, 5, 1) });
  assert.equal(b.sent.length, 0);
});

test('a column that is unloaded before its turn is not meshed; one that comes back is', () => {
  const b = bench();
  square(b, 1);
  b.server.receive({ t: 'unload', x: 1, z: 1 });
  b.run();
  assert.equal(meshes(b).length, 0);
  b.load(1, 1, 2);
  b.run();
  assert.equal(meshes(b).length, 1);
});

test('a column that cannot be read is reported and changes nothing', () => {
  const b = bench();
  b.server.receive({ t: 'column', x: 4, z: 4, generation: 1, mask: 255, deflated: Uint8Array.of(1, 2, 3) });
  b.server.receive({ t: 'far', x: 4, z: 4, deflated: deflateSync(new Uint8Array(10)) });
  assert.deepEqual(b.sent.map((m) => m.t), ['bad', 'bad']);
});

test('probe tells the light at places', () => {
  const b = bench();
  b.load(0, 0);
  b.sent.length = 0;
  b.server.receive({ t: 'probe', places: Int32Array.of(5, 250, 5, 5, 0, 5, 900, 0, 0) });
  const [m] = b.sent;
  assert.equal(m.t, 'light');
  assert.deepEqual([...(m as Extract<FromWorker, { t: 'light' }>).light], [0xf0, 0, 0xf0]);
});

test('far tiles are split into heights and tops', () => {
  const b = bench();
  const raw = new Uint8Array(1024 * 3);
  raw[33] = 77;
  raw[1024 + 66] = 0x34;
  raw[1024 + 67] = 0x12;
  b.server.receive({ t: 'far', x: -1, z: 2, deflated: deflateSync(raw) });
  const m = b.sent[0] as Extract<FromWorker, { t: 'far' }>;
  assert.deepEqual([m.x, m.z, m.heights[33], m.tops[33]], [-1, 2, 77, 0x1234]);
});

test('every texture of the block table has a painter of its own', () => {
  assert.ok(textureNames.length > 60);
  assert.deepEqual(unpainted(), []);
});
