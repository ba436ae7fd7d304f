/// <reference types="node" />
import assert from 'node:assert/strict';
import test from 'node:test';
import { collect, MAX_STACK } from '../src/game/inventory';
import { lackingTool } from '../src/game/rules';
import { Block } from '../src/gen/blocks';
import { facts } from '../src/ui/tip';

const stack = (block: number, count: number) => ({ block, count });

test('a double click gathers the smallest stacks first, no more than fit', () => {
  const all = [stack(Block.Stone, 90), stack(Block.Stone, 7), stack(Block.Dirt, 5), undefined, stack(Block.Stone, 4)];
  assert.deepEqual(collect(all, 0), [{ from: 4, count: 4 }, { from: 1, count: 5 }]);
  assert.deepEqual(collect(all, 1), [{ from: 4, count: 4 }, { from: 0, count: 88 }]);
  assert.deepEqual(collect(all, 2), []);
  assert.equal(collect(Array.from({ length: 60 }, () => stack(Block.Stone, 1)), 0).length, 24, 'no more than a region takes at once');
  assert.deepEqual(collect([stack(Block.StoneAxe, 40), stack(Block.StoneAxe, MAX_STACK)], 0), [], 'tools are not gathered');
});

test('a block that nothing would be left of names the least tool for it', () => {
  assert.equal(lackingTool(Block.IronOre, stack(0, 0)), Block.StonePickaxe);
  assert.equal(lackingTool(Block.IronOre, stack(Block.WoodenPickaxe, 99)), Block.StonePickaxe);
  assert.equal(lackingTool(Block.IronOre, stack(Block.IronPickaxe, 99)), 0);
  assert.equal(lackingTool(Block.IronOre, stack(Block.IronAxe, 99)), Block.StonePickaxe);
  assert.equal(lackingTool(Block.Dirt, stack(0, 0)), 0);
});

test('a tip says what a thing is for', () => {
  assert.match(facts(Block.StonePickaxe, 50).join('|'), /3 times as fast\|51 % left/);
  assert.match(facts(Block.Mutton, 3).join(), /Food: 4/);
  assert.match(facts(Block.IronOre, 1).join(), /Stone Pickaxe/);
  assert.deepEqual(facts(Block.Dirt, 1), []);
});
