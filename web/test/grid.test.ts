// The crafting grid: what lies in it, and what can be made of that.

import assert from 'node:assert/strict';
import test from 'node:test';
import { blocks, recipes } from '../src/gen/blocks';
import { Grid } from '../src/game/grid';

const id = (name: string): number => blocks.find((b) => b.name === name)!.id;
const made = (g: Grid): string[] => g.results().map(({ recipe }) => blocks.find((b) => b.id === recipes[recipe]!.out[0])!.name);

function grid(things: Record<string, number>): { g: Grid; has: Map<number, number>; lay: (name: string, ...cells: number[]) => boolean[] } {
  const has = new Map(Object.entries(things).map(([name, n]) => [id(name), n]));
  const g = new Grid((b) => has.get(b) ?? 0);
  return { g, has, lay: (name, ...cells) => cells.map((c) => g.lay(c, id(name))) };
}

test('a recipe is found by what lies in the grid, wherever it lies', () => {
  const { g, lay } = grid({ cobblestone: 7, stick: 9 });
  lay('cobblestone', 0, 4, 8);
  assert.deepEqual(made(g), []);
  lay('stick', 1);
  assert.ok(!made(g).includes('stone_pickaxe'));
  lay('stick', 6);
  assert.deepEqual(made(g).sort(), ['stone_axe', 'stone_pickaxe']);
  assert.equal(g.results()[0]!.times, 2);
  lay('stick', 7);
  assert.deepEqual(made(g), [], 'one thing too many');
  g.clear(7);
  g.clear(1);
  lay('stick', 2);
  assert.ok(made(g).includes('stone_pickaxe'), 'without a shape');
});

test('where several recipes take the same, all of them are offered; furnaces make none', () => {
  const { g, lay } = grid({ oak_planks: 6, sand: 1 });
  lay('oak_planks', 0, 1, 2, 3, 4, 5);
  assert.deepEqual(made(g).sort(), ['oak_door', 'oak_stairs']);
  g.clearAll();
  lay('sand', 4);
  for (const { recipe } of g.results()) assert.ok(!recipes[recipe]!.ticks);
});

test('no more lies in the grid than the player has, also later', () => {
  const { g, has, lay } = grid({ oak_planks: 2, wooden_pickaxe: 99 });
  assert.deepEqual(lay('oak_planks', 0, 1, 2), [true, true, false]);
  assert.deepEqual(lay('wooden_pickaxe', 3), [false], 'nothing is made of tools');
  has.set(id('oak_planks'), 1);
  g.trim();
  assert.equal(g.laid(id('oak_planks')), 1);
  has.set(id('oak_planks'), 0);
  g.trim();
  assert.deepEqual(g.results(), []);
  assert.equal(g.laid(id('oak_planks')), 0);
});

test('every recipe that is made by hand fits into the grid', () => {
  for (const r of recipes) {
    if (r.ticks) continue;
    const things = r.in.flatMap(([b, n]) => Array.from({ length: n }, () => b));
    assert.ok(things.length <= 9, `recipe for ${r.out[0]} takes ${things.length} things`);
    const g = new Grid((b) => things.filter((x) => x === b).length);
    things.forEach((b, cell) => assert.ok(g.lay(cell, b)));
    assert.ok(g.results().some((f) => recipes[f.recipe]! === r), `recipe for ${r.out[0]}`);
  }
});
