import assert from 'node:assert/strict';
import { test } from 'node:test';

const block = (id: number, name: string, texture: string): object => ({
  id, name, title: 'Marble', class: 'cube', solid: true, opaque: true, replaceable: false, gravity: false, climbable: false, item: true,
  light: 0, dim: 15, fluid: 0, hardness: 30, drop: id, tall: 4096, support: 'none', sound: 'stone', top: texture, side: texture, bottom: 'stone', color: 0xffffff, food: 3,
});

// The tables are made when their module is loaded: before that this is a worker of a world with packs.
(globalThis as { self?: object }).self = {
  name: JSON.stringify({
    limit: 1024, blocks: [block(512, 'marble', 'marble'), block(513, 'slate', 'stone')], mobs: [{ kind: 65, name: 'hare', title: 'Hare', model: 'rabbit', half: 0.2, height: 0.6 }],
    recipes: [{ out: [512, 1], in: [[513, 2]] }], textures: {}, texts: {},
  }),
};

test('what packs bring is behind the base pack', async () => {
  const { blocks, BLOCK_COUNT, recipes, textureNames } = await import('../src/gen/blocks');
  const { mobs } = await import('../src/gen/mobs');
  const { mobOf } = await import('../src/game/mobs');
  assert.equal(BLOCK_COUNT, 1024);
  assert.equal(blocks.length, 514);
  assert.ok(blocks.every((b, id) => b.id === id));
  assert.ok(blocks.slice(200, 512).every((b) => b.name === '' && !b.item && b.hardness === -1));
  assert.equal(blocks[512]!.name, 'marble');
  assert.equal(blocks[512]!.food, 3);
  assert.deepEqual(recipes.at(-1), { out: [512, 1], in: [[513, 2]] });
  assert.equal(textureNames.at(-1), 'marble');
  assert.equal(new Set(textureNames).size, textureNames.length);
  assert.equal(mobs.length, 65);
  assert.equal(mobOf(65)?.name, 'hare');
  assert.equal(mobOf(60), undefined);
});

test('blocks with greater ids than a byte are lit and meshed', async () => {
  const { Block, textureNames } = await import('../src/gen/blocks');
  const { Mesher } = await import('../src/world/mesher');
  const { LAYER } = await import('../src/world/tables');
  const { Scene } = await import('./scene');
  const meshOf = (b: number): { layers: Set<number>; quads: number } => {
    const { world } = new Scene().floor(1, 64, Block.Grass).put(5, 65, 5, b).lit();
    const chunk = world.column(0, 0)!.chunks[2]!;
    assert.equal(chunk.blockAt((1 << 10) | (5 << 5) | 5), b);
    const mesh = new Mesher().mesh(world, chunk);
    const quads = mesh.solid + mesh.holes + mesh.water;
    const layers = new Set<number>();
    for (let q = 0; q < quads; q++) layers.add(mesh.data[q * 8 + 1]! & 1023);
    return { layers, quads };
  };
  const stone = meshOf(Block.Stone);
  const marble = meshOf(512);
  assert.equal(marble.quads, stone.quads);
  assert.equal(LAYER[512 * 6 + 1], textureNames.indexOf('marble'));
  assert.ok(marble.layers.has(textureNames.indexOf('marble')));
  assert.ok(!stone.layers.has(textureNames.indexOf('marble')));
});
