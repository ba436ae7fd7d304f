import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Block } from '../src/gen/blocks';
import { Light } from '../src/world/light';
import { World, type Chunk } from '../src/world/chunk';
import { litWorld, random, Scene, type Lit } from './scene';

function chunkOf(l: Lit, x: number, y: number, z: number): { chunk: Chunk; index: number } {
  const column = l.world.column(x >> 5, z >> 5);
  assert.ok(column);
  return { chunk: column.chunks[y >> 5], index: ((y & 31) << 10) | ((z & 31) << 5) | (x & 31) };
}

function lightAt(l: Lit, x: number, y: number, z: number): [sky: number, lamp: number] {
  const { chunk, index } = chunkOf(l, x, y, z);
  const v = chunk.lightAt(index);
  return [v >> 4, v & 15];
}

function edit(l: Lit, x: number, y: number, z: number, b: number): void {
  const { chunk, index } = chunkOf(l, x, y, z);
  l.light.edit(chunk, index, b);
}

test('sunlight is full in the open and dark under a roof, fading from its edge', () => {
  const l = new Scene().floor(1, 10, Block.Stone).floor(0, 20, Block.Stone).lit();
  assert.deepEqual(lightAt(l, 10, 21, 10), [15, 0]);
  assert.deepEqual(lightAt(l, 40, 11, 10), [15, 0]);
  assert.deepEqual(lightAt(l, 31, 15, 16), [14, 0]);
  assert.deepEqual(lightAt(l, 16, 15, 16), [0, 0]);
  assert.deepEqual(lightAt(l, 28, 15, 16), [11, 0]);
});

test('a lamp lights 15 cells around it, across columns', () => {
  const l = new Scene().put(31, 40, 5, Block.Lamp).lit();
  assert.equal(lightAt(l, 32, 40, 5)[1], 14);
  assert.equal(lightAt(l, 40, 40, 5)[1], 6);
  assert.equal(lightAt(l, 31, 35, 1)[1], 6);
  assert.equal(lightAt(l, 47, 40, 5)[1], 0);
});

test('water and leaves dim the light below them', () => {
  const scene = new Scene().floor(1, 10, Block.Stone);
  for (let y = 11; y <= 20; y++) scene.floor(1, y, Block.Water);
  const l = scene.lit();
  assert.deepEqual(lightAt(l, 0, 20, 0), [14, 0]);
  assert.deepEqual(lightAt(l, 0, 15, 0), [9, 0]);
});

test('a torch that is taken away leaves no light behind', () => {
  const l = new Scene().floor(1, 10, Block.Stone).put(0, 11, 0, Block.Torch).lit();
  assert.equal(lightAt(l, 0, 12, 0)[1], 13);
  edit(l, 0, 11, 0, Block.Air);
  for (let x = -16; x <= 16; x++) assert.equal(lightAt(l, x, 11, 0)[1], 0);
});

function bytes(l: Lit): string[] {
  const out: string[] = [];
  for (const column of l.world.all()) {
    for (const chunk of column.chunks) {
      for (let i = 0; i < 32768; i++) out.push(String(chunk.lightAt(i)));
    }
  }
  return out;
}

/** anew lights a copy of a world from nothing, its columns in another order. */
function anew(l: Lit): Lit {
  const world = new World();
  const light = new Light(world);
  for (const column of [...l.world.all()].reverse()) {
    const copy = world.add(column.x, column.z, Array.from({ length: 8 }, () => null));
    column.chunks.forEach((chunk, i) => {
      copy.chunks[i].block = chunk.block;
      if (chunk.blocks) copy.chunks[i].ownBlocks().set(chunk.blocks);
    });
    light.add(copy);
  }
  return { world, light };
}

function compare(a: Lit, b: Lit, seed: number): void {
  for (const column of a.world.all()) {
    const other = b.world.column(column.x, column.z);
    assert.ok(other);
    for (const chunk of column.chunks) {
      for (let i = 0; i < 32768; i++) {
        if (chunk.lightAt(i) === other.chunks[chunk.y].lightAt(i)) continue;
        const at = [column.x * 32 + (i & 31), chunk.y * 32 + (i >> 10), column.z * 32 + ((i >> 5) & 31)];
        assert.fail(`seed ${seed}: light at ${at} is ${chunk.lightAt(i)}, anew ${other.chunks[chunk.y].lightAt(i)}`);
      }
    }
    assert.deepEqual(column.heights, other.heights, `seed ${seed}: heights of ${column.x},${column.z}`);
  }
}

const kinds = [Block.Air, Block.Air, Block.Stone, Block.Lamp, Block.Torch, Block.Water, Block.OakLeaves, Block.Glass, Block.CrystalOre, Block.Ice];

for (const seed of [1, 2, 3]) {
  test(`edits leave the light as lighting anew would, seed ${seed}`, () => {
    const l = litWorld(1);
    const next = random(seed);
    for (let i = 0; i < 400; i++) {
      edit(l, next(40) - 20, 40 + next(60), next(40) - 20, kinds[next(kinds.length)]);
    }
    for (let i = 0; i < 40; i++) edit(l, next(20), 255 - next(3), next(20), kinds[next(kinds.length)]);
    compare(l, anew(l), seed);
  });
}

test('the order in which columns come does not matter', () => {
  const l = litWorld(1);
  assert.equal(bytes(l).length, 9 * 8 * 32768);
  compare(l, anew(l), 0);
});
