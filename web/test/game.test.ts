/// <reference types="node" />
import assert from 'node:assert/strict';
import test from 'node:test';
import { Block } from '../src/gen/blocks';
import { TickClock } from '../src/game/clock';
import { Edits } from '../src/game/edits';
import { Entities, type EntityNews } from '../src/game/entities';
import { Inventory } from '../src/game/inventory';
import { Look, through } from '../src/game/look';
import { Predictor } from '../src/game/predictor';
import { direction, pickEntity, raycast } from '../src/game/raycast';
import { digTicks, occupied } from '../src/game/rules';
import { supported } from '../src/game/support';
import { Track } from '../src/game/track';
import { newBody } from '../src/game/physics/body';
import type { Cell, Frame } from '../src/net/frame';
import { Button, Mode } from '../src/net/types';
import { complete } from '../src/ui/complete';

/** Stone below y = 10 and whatever is put. */
class Land {
  readonly put = new Map<string, number>();
  block(x: number, y: number, z: number): number {
    return this.put.get(`${x},${y},${z}`) ?? (y < 10 ? Block.Stone : Block.Air);
  }
  setBlock(x: number, y: number, z: number, b: number): void {
    this.put.set(`${x},${y},${z}`, b);
  }
}

const cell = (more: Partial<Cell>): Cell => ({
  index: 0, keyframe: false, enters: [], moves: [], leaves: [], states: [], blocks: [], events: [], cracks: [], wears: [], ...more,
});
const frame = (tick: number, ...cells: Cell[]): Frame => ({ regionX: 0, regionZ: 0, tick, ack: -1, correction: null, number: -1, cells });
const enter = (handle: number, entity: number, x: number): Cell['enters'][0] => ({
  handle, entity, kind: 0, x: x * 64, y: 640, z: 64, dx: 0, dz: 0, yaw: 0, pitch: 0, pose: 0, held: 0, name: 'Ada',
});
const silent: EntityNews = { event: () => undefined, removed: () => undefined };

test('a ray finds the nearest block and the face it comes by', () => {
  const land = new Land();
  land.setBlock(0, 11, -3, Block.Stone);
  const ahead = raycast(land, 0.5, 11.5, 0.5, direction(0, 0), 5);
  assert.deepEqual([ahead?.x, ahead?.y, ahead?.z, ahead?.face], [0, 11, -3, 3]);
  assert.ok(Math.abs(ahead!.distance - 2.5) < 1e-9);
  assert.equal(raycast(land, 0.5, 11.5, 0.5, direction(0, 0), 2.4), null);
  const down = raycast(land, 0.5, 11.6, 0.5, direction(1, -Math.PI / 2), 5);
  assert.deepEqual([down?.x, down?.y, down?.z, down?.face], [0, 9, 0, 1]);
});

test('a ray goes past what does not fill its cell, and through water', () => {
  const land = new Land();
  land.setBlock(0, 11, -2, Block.Torch);
  land.setBlock(0, 11, -3, Block.Water);
  land.setBlock(0, 11, -4, Block.Glass);
  assert.equal(raycast(land, 0.1, 11.9, 0.5, direction(0, 0), 6)?.block, Block.Glass);
  assert.equal(raycast(land, 0.5, 11.4, 0.5, direction(0, 0), 6)?.block, Block.Torch);
});

test('the middle of the view is where one looks', () => {
  const a = through(1.2, -0.4, 75, 16 / 9, 0, 0);
  direction(1.2, -0.4).forEach((v, i) => assert.ok(Math.abs(v - a[i]!) < 1e-9));
  const right = through(0, 0, 90, 1, 1, 0); // at 90° the right edge is 45° off
  assert.ok(Math.abs(Math.atan2(right[0], -right[2]) - Math.PI / 4) < 1e-9);
});

test('the nearest entity in the way is picked', () => {
  const at = (id: number, z: number): { id: number; x: number; y: number; z: number; halfWidth: number; height: number } => ({ id, x: 0.5, y: 10, z, halfWidth: 0.3, height: 1.8 });
  assert.equal(pickEntity([at(1, -3), at(2, -1.5)], [0.5, 11.6, 0.5], direction(0, 0), 3.5)?.id, 2);
  assert.equal(pickEntity([at(1, -3)], [0.5, 11.6, 0.5], direction(Math.PI, 0), 3.5), null);
});

test('a body around the eye comes last', () => {
  const self = { id: 1, x: 0.5, y: 10, z: 0.5, halfWidth: 0.3, height: 1.8 };
  const eye: [number, number, number] = [0.5, 11.6, 0.5];
  assert.equal(pickEntity([self, { ...self, id: 2, z: -1.5 }], eye, direction(0, 0), 3.5)?.id, 2);
  assert.deepEqual(pickEntity([self], eye, direction(0, 0), 3.5), { id: 1, distance: Infinity });
});

test('a look survives the wire', () => {
  const look = new Look();
  look.setWire(16384, -8192);
  assert.deepEqual(look.wire, { yaw: 16384, pitch: -8192 });
  look.turn(0, -100000, 1, false);
  assert.ok(look.pitch < Math.PI / 2 && look.wire.pitch <= 16384);
});

test('a refused edit is taken back, an agreed one stays', () => {
  const land = new Land();
  const edits = new Edits(land);
  edits.guess(1, 0, 10, 0, Block.Stone, 0);
  edits.guess(2, 1, 10, 0, Block.Glass, 0);
  assert.equal(land.block(0, 10, 0), Block.Stone);
  edits.settle(1, false);
  assert.equal(land.block(0, 10, 0), Block.Air);
  assert.equal(edits.confirm(1, 10, 0, Block.Glass), false);
  edits.settle(2, true);
  assert.equal(land.block(1, 10, 0), Block.Glass);
});

test('what the node said meanwhile is what a refused edit goes back to', () => {
  const land = new Land();
  const edits = new Edits(land);
  edits.guess(1, 0, 10, 0, Block.Stone, 0);
  edits.confirm(0, 10, 0, Block.Sand); // somebody else was faster
  assert.equal(land.block(0, 10, 0), Block.Stone);
  edits.settle(1, false);
  assert.equal(land.block(0, 10, 0), Block.Sand);
});

test('an edit that is never answered is given up', () => {
  const land = new Land();
  const edits = new Edits(land);
  edits.guess(1, 0, 9, 0, Block.Air, 0);
  edits.expire(5000);
  assert.equal(land.block(0, 9, 0), Block.Air);
  edits.expire(7000);
  assert.equal(land.block(0, 9, 0), Block.Stone);
});

test('a correction and the steps after it give the node\'s own result', () => {
  const land = new Land();
  const here = new Predictor(land);
  const there = new Predictor(land);
  for (const p of [here, there]) p.reset(2048, 40960, 2048);
  there.body.x += 300; // the node knows better
  const at: { x: number; y: number; z: number; vx: number; vy: number; vz: number; flags: number }[] = [];
  for (let i = 0; i < 20; i++) {
    here.step(Button.Forward, i * 500, 0, Mode.Survival);
    there.step(Button.Forward, i * 500, 0, Mode.Survival);
    const b = there.body;
    at.push({ x: b.x, y: b.y, z: b.z, vx: b.vx, vy: b.vy, vz: b.vz, flags: b.onGround ? 1 : 0 });
  }
  assert.notEqual(here.body.x, there.body.x);
  const before = here.view(1, 0);
  assert.equal(here.correct(at[9]!, 10, Mode.Survival), false);
  assert.deepEqual([here.body.x, here.body.y, here.body.z], [there.body.x, there.body.y, there.body.z]);
  assert.equal(here.waiting, 10);
  assert.deepEqual(here.unacknowledged(3).map((s) => s.seq), [18, 19, 20]);
  assert.equal(here.unacknowledged(40)[0]?.seq, 11);
  const after = here.view(1, 0);
  assert.ok(Math.hypot(after.x - before.x, after.z - before.z) < 0.001, 'the view does not jump');
  const later = here.view(1, 2);
  assert.ok(Math.abs(later.x - there.body.x / 4096) < 0.001, 'and glides to the truth');
});

test('a far correction is a jump', () => {
  const p = new Predictor(new Land());
  p.reset(0, 40960, 0);
  assert.equal(p.correct({ x: 4096 * 100, y: 40960, z: 0, vx: 0, vy: 0, vz: 0, flags: 1 }, 0, Mode.Survival), true);
  assert.equal(p.view(1, 0).x, 100);
});

test('between two samples something is drawn in between; it stands before it began to move', () => {
  const t = new Track();
  const at = (tick: number, x: number) => ({ tick, x, y: 0, z: 0, yaw: 0, pitch: 0 });
  t.add(at(10, 0));
  t.add(at(11, 1));
  assert.equal(t.at(10.5).x, 0.5);
  assert.equal(t.at(20).x, 1);
  t.add(at(100, 2)); // stood still for long
  assert.equal(t.at(60).x, 1);
  assert.equal(t.at(99.5).x, 1.5);
  t.add(at(101, 50)); // a jump
  assert.equal(t.at(100.5).x, 50);
});

test('angles turn the short way', () => {
  const t = new Track();
  t.add({ tick: 1, x: 0, y: 0, z: 0, yaw: 6.2, pitch: 0 });
  t.add({ tick: 2, x: 0, y: 0, z: 0, yaw: 0.1, pitch: 0 });
  assert.ok(t.at(1.5).yaw > 6.2);
});

test('a body that crosses a cell stays the same body', () => {
  const e = new Entities();
  const gone: number[] = [];
  e.apply(frame(1, cell({ enters: [enter(0, 7, 31)] })), 99, 0, silent);
  e.apply(frame(2, cell({ leaves: [{ handle: 0, reason: 0 }] })), 99, 50, silent);
  e.expire(100, (id) => gone.push(id));
  e.apply(frame(3, cell({ index: 1, enters: [enter(4, 7, 32)] })), 99, 100, silent);
  e.expire(2000, (id) => gone.push(id));
  assert.equal(gone.length, 0);
  assert.equal(e.all.get(7)?.track.last.x, 32);
  e.apply(frame(4, cell({ index: 1, leaves: [{ handle: 4, reason: 0 }] })), 99, 2000, silent);
  e.expire(2600, (id) => gone.push(id));
  assert.deepEqual(gone, [7]);
});

test('the own body is not among the others, but what it does is told', () => {
  const e = new Entities();
  const seen: number[] = [];
  e.apply(frame(1, cell({ enters: [enter(0, 99, 1)], events: [{ handle: 0, event: 2 }] })), 99, 0, { ...silent, event: (id) => seen.push(id) });
  assert.equal(e.all.size, 0);
  assert.deepEqual(seen, [99]);
});

test('the clock follows the fastest arrivals', () => {
  const c = new TickClock();
  for (let i = 0; i < 100; i++) c.arrived(1000 + i, 5000 + i * 50 + (i % 10 === 0 ? 0 : 30));
  assert.ok(Math.abs(c.tick(5000 + 99 * 50) - 1099) < 0.2);
  assert.ok(c.jitter >= 29 && c.jitter <= 31);
});

test('things move between slots as on the node', () => {
  const v = new Inventory();
  v.apply([{ slot: 0, block: 5, count: 90 }, { slot: 1, block: 5, count: 20 }, { slot: 2, block: 7, count: 3 }], 0);
  assert.equal(v.move(1, 0, 0), true);
  assert.deepEqual([v.slots[0]!.count, v.slots[1]!.count], [99, 11]);
  assert.equal(v.move(0, 2, 5), false, 'part of a stack cannot change places');
  assert.equal(v.move(0, 2, 0), true);
  assert.deepEqual([v.slots[0], v.slots[2]], [{ block: 7, count: 3 }, { block: 5, count: 99 }]);
  assert.equal(v.move(3, 4, 0), false);
});

test('rules: what takes how long, and who stands in the way', () => {
  assert.equal(digTicks(Block.Bedrock, Mode.Creative, 0), null);
  assert.equal(digTicks(Block.Stone, Mode.Creative, 0), 0);
  assert.equal(digTicks(Block.Stone, Mode.Survival, 0), 24);
  assert.equal(digTicks(Block.Stone, Mode.Survival, Block.IronAxe), 24);
  assert.equal(digTicks(Block.Stone, Mode.Survival, Block.WoodenPickaxe), 12);
  assert.equal(digTicks(Block.Stone, Mode.Survival, Block.IronPickaxe), 5);
  const b = newBody(2048, 40960, 2048);
  assert.equal(occupied(0, 11, 0, Block.Stone, b, []), true);
  assert.equal(occupied(0, 11, 0, Block.Torch, b, []), false);
  assert.equal(occupied(0, 12, 0, Block.Stone, b, []), false);
  assert.equal(occupied(3, 10, 0, Block.Stone, b, [{ x: 3.5, y: 10, z: 0.5 }]), true);
});

test('commands are completed: all of them, forms, players with spaces, blocks, places', () => {
  const commands = [
    ...Array.from({ length: 12 }, (_, i) => ({ name: `z${i}`, args: [], help: '' })),
    { name: 'gamemode', args: ['survival|creative', '<player>'], help: '' },
    { name: 'give', args: ['<player>', '<block>', '<number>'], help: '' },
    { name: 'time', args: ['query'], help: '' },
    { name: 'time', args: ['set', 'noon|night|<number>'], help: '' },
    { name: 'tp', args: ['<player>', '<x>', '<y>', '<z>'], help: '' },
    { name: 'tp', args: ['<x>', '<y>', '<z>'], help: '' },
    { name: 'help', args: ['<command>'], help: '' },
  ];
  const found = (line: string) => complete(line, commands, { players: ['Ada', 'Quick Robin'], at: [12, 64, -5] });
  const texts = (line: string): string[] => found(line).map((c) => c.text);
  assert.equal(texts('/').length, 17, 'each command once');
  assert.deepEqual(texts('/g'), ['/gamemode', '/give']);
  assert.deepEqual(found('/gamemode').map((c) => c.more), [true]);
  assert.deepEqual(texts('/gamemode '), ['/gamemode survival', '/gamemode creative']);
  assert.deepEqual(texts('/gamemode c'), ['/gamemode creative']);
  assert.deepEqual(texts('/gamemode creative Q'), ['/gamemode creative "Quick Robin"']);
  assert.deepEqual(found('/gamemode creative A').map((c) => c.more), [false]);
  assert.deepEqual(texts('/give "Quick Robin" oak_p'), ['/give "Quick Robin" oak_planks']);
  assert.ok(texts('/give Ada plank').includes('/give Ada oak_planks'), 'by a later part of the name');
  assert.deepEqual(texts('/time '), ['/time query', '/time set']);
  assert.deepEqual(texts('/time query '), []);
  assert.deepEqual(texts('/time set n'), ['/time set noon', '/time set night']);
  assert.deepEqual(texts('/tp '), ['/tp Ada', '/tp "Quick Robin"', '/tp ~', '/tp 12']);
  assert.deepEqual(texts('/tp 3 '), ['/tp 3 ~', '/tp 3 12', '/tp 3 64']);
  assert.deepEqual(texts('/tp Ada ~ ~ '), ['/tp Ada ~ ~ ~', '/tp Ada ~ ~ -5']);
  assert.ok(texts('/help gi').includes('/help give'));
  assert.deepEqual(texts('hello'), []);
});

test('what needs ground, soil, a wall or shade is placed there alone', () => {
  const land = new Land();
  land.setBlock(1, 10, 0, Block.Torch);
  land.setBlock(2, 9, 0, Block.Grass);
  land.setBlock(3, 9, 0, Block.Glass);
  land.setBlock(5, 9, 5, -1);
  const at = (x: number, y: number, block: number, z = 0): boolean => supported(land, x, y, z, block);
  assert.ok(at(0, 20, Block.Stone), 'a stone needs nothing');
  assert.ok(at(0, 10, Block.Torch));
  assert.ok(!at(1, 11, Block.Torch), 'a torch on a torch');
  assert.ok(!at(0, 20, Block.Torch), 'a torch in the air');
  assert.ok(at(2, 10, Block.Dandelion) && !at(0, 10, Block.Dandelion), 'flowers want soil');
  assert.ok(at(0, 9, Block.Ladder) && !at(0, 20, Block.Ladder), 'a ladder wants a wall');
  assert.ok(at(0, 10, Block.RedMushroom) && !at(3, 10, Block.RedMushroom), 'a mushroom wants a block that hides the light');
  assert.ok(at(5, 10, Block.Torch, 5), 'nobody knows what is below');
});
