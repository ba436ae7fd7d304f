/// <reference types="node" />
import assert from 'node:assert/strict';
import test from 'node:test';
import { Acts } from '../src/game/acts';
import { Container, CONTAINER } from '../src/game/container';
import { NOT_PRESSED, type Press } from '../src/game/controls';
import { Edits } from '../src/game/edits';
import { Emitter } from '../src/game/emitter';
import { Hands, type Target } from '../src/game/hands';
import { Inventory } from '../src/game/inventory';
import { newBody } from '../src/game/physics/body';
import type { GameEvents, GameState } from '../src/game/state';
import { Block } from '../src/gen/blocks';
import { readAct } from '../src/net/codec';
import { type Act, ActKind, Mode } from '../src/net/types';

/** Hands before a chest that stands on stone. */
function stage() {
  const blocks = new Map<string, number>([['0,10,-2', Block.Chest]]);
  const world = {
    block: (x: number, y: number, z: number) => blocks.get(`${x},${y},${z}`) ?? (y < 10 ? Block.Stone : Block.Air),
    setBlock: (x: number, y: number, z: number, b: number) => void blocks.set(`${x},${y},${z}`, b),
  };
  const sent: Act[] = [];
  const acts = new Acts((data) => sent.push(readAct(data)) > 0);
  const inventory = new Inventory();
  inventory.apply([{ slot: 0, block: Block.Stone, count: 9 }], 0);
  const body = newBody(2048, 40960, 2048);
  const nothing = (): void => undefined;
  const events = new Emitter<GameEvents>();
  const container = new Container({ acts, events } as unknown as GameState);
  const hands = new Hands({
    world, edits: new Edits(world), acts, inventory, mode: () => Mode.Survival, body: () => body, others: () => [],
    crack: nothing, broke: nothing, placed: nothing, digging: nothing, swing: nothing, select: nothing, turned: nothing,
    open: (x, y, z) => container.open(x, y, z), write: nothing, lieDown: nothing,
  });
  const at = (x: number, y: number, z: number): Target => ({ hit: { x, y, z, face: 1, block: world.block(x, y, z), upper: false, distance: 2 }, entity: null });
  return { hands, sent, body, acts, events, container, chest: at(0, 10, -2), floor: at(2, 9, -2), world, inventory };
}

const FRESH: Press = { down: true, fresh: true };
const HELD: Press = { down: true, fresh: false };

test('a press on a chest opens it and does nothing else until it is let go', () => {
  const { hands, sent, chest, floor } = stage();
  hands.step(chest, NOT_PRESSED, FRESH);
  for (let i = 0; i < 20; i++) hands.step(chest, NOT_PRESSED, HELD);
  for (let i = 0; i < 20; i++) hands.step(floor, NOT_PRESSED, HELD);
  assert.deepEqual(sent.map((a) => [a.kind, a.x, a.y, a.z]), [[ActKind.Open, 0, 10, -2]]);
  hands.step(floor, NOT_PRESSED, NOT_PRESSED);
  hands.step(floor, NOT_PRESSED, FRESH);
  assert.equal(sent.at(-1)!.kind, ActKind.Place);
});

test('who places blocks with the button held does not open the chest in the way', () => {
  const { hands, sent, chest, floor } = stage();
  hands.step(floor, NOT_PRESSED, FRESH);
  for (let i = 0; i < 20; i++) hands.step(chest, NOT_PRESSED, HELD);
  assert.deepEqual(sent.map((a) => a.kind), [ActKind.Place]);
});

test('a click between two steps counts as one, also right after another', () => {
  const { hands, sent, chest } = stage();
  hands.step(chest, NOT_PRESSED, FRESH);
  hands.step(chest, NOT_PRESSED, FRESH); // let go and pressed again in between
  assert.deepEqual(sent.map((a) => a.kind), [ActKind.Open, ActKind.Open]);
});

test('sneaking places a block on a chest', () => {
  const { hands, sent, body, chest } = stage();
  body.sneaking = true;
  hands.step(chest, NOT_PRESSED, FRESH);
  assert.deepEqual(sent.map((a) => a.kind), [ActKind.Place]);
});

test('a container shows what the node tells of it, and of no other', () => {
  const { container, events, acts, sent } = stage();
  let told = 0;
  events.on('container', () => told++);
  container.open(0, 10, -2);
  const message = { type: 'container', x: 0, y: 10, z: -2, size: 27, slots: [{ slot: 3, block: Block.Stone, count: 5 }, { slot: 99, block: 1, count: 1 }], heat: 0, work: 0 } as const;
  container.arrived({ ...message, x: 1, slots: [] });
  assert.equal(told, 0);
  container.arrived({ ...message, slots: [...message.slots] });
  assert.deepEqual([told, container.slots.length, container.slots[3]], [1, 27, { block: Block.Stone, count: 5 }]);
  container.move(CONTAINER + 3, 7, 2);
  container.send(1);
  assert.deepEqual(sent.slice(-2).map((a) => [a.kind, a.x, a.a, a.b]), [[ActKind.Store, 0, 67, 519], [ActKind.Store, 0, 1, 255]]);
  container.refresh();
  acts.answered({ seq: sent.length, ok: false, reason: 'too-far', text: '' });
  assert.equal(container.at, null, 'a refusal closes it');
  container.open(0, 10, -2);
  container.arrived({ ...message, slots: [] });
  container.arrived({ ...message, size: 0, slots: [] });
  assert.equal(container.at, null, 'it is gone');
});

test('a door takes two blocks, across the way, and both halves turn', () => {
  const { hands, sent, world, inventory, floor } = stage();
  inventory.apply([{ slot: 0, block: Block.OakDoor, count: 2 }], 0);
  hands.step(floor, NOT_PRESSED, FRESH);
  assert.deepEqual([world.block(2, 10, -2), world.block(2, 11, -2)], [Block.OakDoor, Block.OakDoorUpper], 'as far along x as along z');
  const door: Target = { hit: { x: 2, y: 11, z: -2, face: 3, block: Block.OakDoorUpper, upper: false, distance: 2 }, entity: null };
  hands.step(door, NOT_PRESSED, FRESH);
  assert.deepEqual([world.block(2, 10, -2), world.block(2, 11, -2)], [Block.OakDoorOpen, Block.OakDoorOpenUpper]);
  for (let i = 0; i < 20; i++) hands.step(door, NOT_PRESSED, HELD);
  assert.deepEqual(sent.map((a) => a.kind), [ActKind.Place, ActKind.Open]);
  world.setBlock(5, 11, -2, Block.Stone);
  for (let i = 0; i < 9; i++) hands.step(floor);
  hands.step({ hit: { x: 5, y: 9, z: -2, face: 1, block: Block.Stone, upper: false, distance: 2 }, entity: null }, NOT_PRESSED, FRESH);
  assert.equal(sent.length, 2, 'no room above');
});

test('a hoe makes a field at once, and nothing of stone', () => {
  const { hands, sent, world, inventory, floor } = stage();
  inventory.apply([{ slot: 0, block: Block.WoodenHoe, count: 99 }], 0);
  hands.step(floor, NOT_PRESSED, FRESH);
  assert.equal(sent.length, 0);
  world.setBlock(2, 9, -2, Block.Dirt);
  hands.step({ hit: { ...floor.hit!, block: Block.Dirt }, entity: null }, NOT_PRESSED, FRESH);
  assert.equal(world.block(2, 9, -2), Block.Farmland);
  assert.deepEqual(sent.map((a) => [a.kind, a.x, a.y, a.z]), [[ActKind.Place, 2, 9, -2]]);
});

test('an animal is fed with what some animal eats, once for each press', () => {
  const { hands, sent, inventory } = stage();
  const cow: Target = { hit: null, entity: 7 };
  hands.step(cow, NOT_PRESSED, FRESH);
  assert.equal(sent.length, 0);
  inventory.apply([{ slot: 0, block: Block.Wheat, count: 2 }], 0);
  hands.step(cow, NOT_PRESSED, FRESH);
  hands.step(cow, NOT_PRESSED, HELD);
  assert.deepEqual(sent.map((a) => [a.kind, a.a]), [[ActKind.Use, 7]]);
});

test('a bed takes two blocks, and is lain in by a press', () => {
  const { hands, sent, world, inventory, floor } = stage();
  inventory.apply([{ slot: 0, block: Block.RedBed, count: 1 }], 0);
  hands.step({ hit: { ...floor.hit!, x: 2, z: 0 }, entity: null }, NOT_PRESSED, FRESH);
  assert.deepEqual([world.block(2, 10, 0), world.block(3, 10, 0)], [Block.RedBedEast, Block.RedBedEastHead]);
  hands.step(floor, NOT_PRESSED, NOT_PRESSED);
  hands.step({ hit: { x: 3, y: 10, z: 0, face: 1, block: Block.RedBedEastHead, upper: false, distance: 2 }, entity: null }, NOT_PRESSED, FRESH);
  assert.deepEqual(sent.map((a) => [a.kind, a.x, a.y, a.z]), [[ActKind.Place, 2, 9, 0], [ActKind.Open, 3, 10, 0]]);
});

test('slabs, stairs and signs are placed as the half of the side and the way say', () => {
  const { hands, sent, world, inventory } = stage();
  const wall = (upper: boolean): Target => ({ hit: { x: 2, y: 9, z: 0, face: 1, block: world.block(2, 9, 0), upper, distance: 2 }, entity: null });
  const put = (block: number, face: number, upper: boolean): number => {
    world.setBlock(2, 10, 0, 0);
    world.setBlock(1, 9, 0, 0);
    inventory.apply([{ slot: 0, block, count: 9 }], 0);
    for (let i = 0; i < 10; i++) hands.step({ hit: null, entity: null }, NOT_PRESSED, NOT_PRESSED);
    const target = wall(upper);
    hands.step({ ...target, hit: { ...target.hit!, face } }, NOT_PRESSED, FRESH);
    return face === 1 ? world.block(2, 10, 0) : world.block(1, 9, 0);
  };
  assert.equal(put(Block.OakStairs, 1, true), Block.OakStairsEast);
  assert.equal(put(Block.OakStairs, 4, true), Block.OakStairsUpperEast);
  assert.equal(put(Block.StoneSlab, 4, true), Block.StoneSlabUpper);
  assert.equal(put(Block.StoneSlab, 4, false), Block.StoneSlab);
  assert.equal(put(Block.OakSign, 1, false), Block.OakSignWest);
  assert.equal(put(Block.OakSign, 4, false), Block.OakSignUpperWest);
  assert.deepEqual(sent.map((a) => a.b), [1, 1, 1, 0, 0, 0]);
});
