// What lies in the world: from frames to what is drawn.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import type { Boxes } from '../src/engine/boxes';
import { addLying, shownOf } from '../src/engine/lying';
import { Entities } from '../src/game/entities';
import { decodeFrame } from '../src/net/frame';
import { EntityKind, LeaveReason } from '../src/net/types';

const examples = JSON.parse(readFileSync('../internal/game/wire/frame/testdata/frames.json', 'utf8')) as { Name: string; Hex: string }[];

test('items of a frame lie there with their block and count, and are told when they are taken', () => {
  const bytes = Uint8Array.from(Buffer.from(examples.find((e) => e.Name === 'items lie there')!.Hex, 'hex'));
  const f = decodeFrame(bytes);
  const all = new Entities();
  const removed: [number, number][] = [];
  const news = { event: () => {}, removed: (entity: number, reason: number) => removed.push([entity, reason]) };
  all.apply(f, -1, 0, news);
  const planks = all.all.get(2 ** 48 + 77)!;
  assert.equal(planks.kind, EntityKind.Item);
  assert.deepEqual([planks.held, planks.pose], [f.cells[0]!.enters[0]!.held, 99]);
  const gone = { ...f, cells: [{ ...f.cells[0]!, keyframe: false, enters: [], states: [{ handle: 2, pose: 12, held: 1 }], leaves: [{ handle: 1, reason: LeaveReason.Taken }] }] };
  all.apply(gone, -1, 0, news);
  assert.deepEqual(removed, [[2 ** 48 + 77, LeaveReason.Taken]]);
  assert.equal(all.all.get(2 ** 49 - 1)!.pose, 12);
});

test('a stack is drawn above where it lies, and larger ones as more blocks', () => {
  const drawn: number[][] = [];
  const boxes = { add: (m: { elements: number[] }) => drawn.push([...m.elements]) } as unknown as Boxes;
  const at = { block: 4, x: 1, y: -2, z: 3, sky: 1, lamp: 0 };
  for (const [count, blocks] of [[1, 1], [2, 2], [99, 3]] as const) {
    drawn.length = 0;
    addLying(boxes, { ...at, count }, 0);
    assert.equal(drawn.length, blocks);
    assert.equal(shownOf(count), blocks);
    for (const m of drawn) assert.ok(m[13]! > -2 && m[13]! < -1.4, `at ${m[13]}`);
  }
  addLying(boxes, { ...at, count: 1 }, 1);
  assert.notDeepEqual(drawn[0], drawn.at(-1), 'it turns');
});
