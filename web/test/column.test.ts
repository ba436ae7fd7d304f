import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inflateSync } from 'fflate';
import { blockAt, indexBits, MalformedColumn, parseChunks, VOLUME, type PackedChunk } from '../src/engine/bits';
import { BlockStore, UNKNOWN } from '../src/engine/store';
import { Block } from '../src/gen/blocks';
import { World } from '../src/world/chunk';

interface Golden {
  name: string;
  x: number;
  z: number;
  mask: number;
  deflated: string;
  blocks: number;
}

const golden = JSON.parse(readFileSync(new URL('../../../internal/game/wire/testdata/columns.json', import.meta.url), 'utf8')) as Golden[];

/** fnv hashes blocks as the Go side does. */
function fnv(at: (index: number, chunk: number) => number): number {
  let h = 2166136261;
  for (let chunk = 0; chunk < 8; chunk++) {
    for (let i = 0; i < VOLUME; i++) {
      const b = at(i, chunk);
      h = Math.imul(h ^ (b & 255), 16777619);
      h = Math.imul(h ^ (b >> 8), 16777619);
    }
  }
  return h >>> 0;
}

for (const g of golden) {
  const chunks = (): (PackedChunk | null)[] => parseChunks(g.mask, inflateSync(Buffer.from(g.deflated, 'base64')));
  test(`golden column: ${g.name}`, () => {
    const packed = chunks();
    assert.equal(fnv((i, c) => (packed[c] ? blockAt(packed[c], i) : 0)), g.blocks);
  });
  test(`golden column in the store: ${g.name}`, () => {
    const store = new BlockStore();
    store.set(g.x, g.z, chunks());
    assert.equal(fnv((i, c) => store.block(g.x * 32 + (i & 31), c * 32 + (i >> 10), g.z * 32 + ((i >> 5) & 31), 9)), g.blocks);
  });
  test(`golden column in the worker: ${g.name}`, () => {
    const column = new World().add(g.x, g.z, chunks());
    assert.equal(fnv((i, c) => column.chunks[c].blockAt(i)), g.blocks);
  });
}

test('index widths', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 16, 17, 256, 257, 32768].map(indexBits), [0, 1, 2, 2, 4, 4, 8, 8, 16, 16]);
});

test('16-bit indices', () => {
  const palette = Array.from({ length: 300 }, (_, i) => i % 60);
  const raw: number[] = [300 & 127 | 128, 300 >> 7, ...palette];
  for (let i = 0; i < VOLUME; i++) raw.push((i % 300) & 255, (i % 300) >> 8);
  const [chunk] = parseChunks(1, Uint8Array.from(raw));
  assert.ok(chunk);
  for (const i of [0, 1, 299, 300, 32767]) assert.equal(blockAt(chunk, i), (i % 300) % 60);
  const column = new World().add(0, 0, [chunk, ...Array.from({ length: 7 }, () => null)]);
  assert.equal(column.chunks[0].blockAt(299), 59);
});

test('what is cut off or nonsense is an error, never a wrong world', () => {
  const whole = inflateSync(Buffer.from(golden[1].deflated, 'base64'));
  for (const n of [0, 1, 5, whole.length - 1]) assert.throws(() => parseChunks(golden[1].mask, whole.subarray(0, n)), MalformedColumn);
  assert.throws(() => parseChunks(1, Uint8Array.of(0)), MalformedColumn);
  assert.throws(() => parseChunks(1, Uint8Array.of(255, 255, 255, 255, 255, 255)), MalformedColumn);
});

test('the store: edits, edges of the world, what is not loaded', () => {
  const store = new BlockStore();
  assert.equal(store.block(5, 5, 5, 9), UNKNOWN);
  assert.equal(store.setBlock(5, 5, 5, 1), false);
  store.set(-1, 0, Array.from({ length: 8 }, () => null));
  assert.equal(store.block(-1, 5, 0, 9), Block.Air);
  assert.ok(store.setBlock(-1, 5, 0, Block.Lamp));
  assert.equal(store.block(-1, 5, 0, 9), Block.Lamp);
  assert.equal(store.block(-2, 5, 0, 9), Block.Air);
  assert.equal(store.block(-1, -1, 0, 9), 9);
  assert.equal(store.block(-1, 256, 0, 9), Block.Air);
  store.delete(-1, 0);
  assert.equal(store.block(-1, 5, 0, 9), UNKNOWN);
});
