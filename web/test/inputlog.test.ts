import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { keepKey, loadIdentity } from '../src/net/identity';
import { readAct, up } from '../src/net/codec';
import { InputLog, type Segment } from '../src/net/inputlog';
import { ActKind } from '../src/net/types';

const golden = JSON.parse(readFileSync('../internal/game/inputlog/testdata/segments.json', 'utf8')) as string[];
const hex = (b: Uint8Array): string => Buffer.from(b).toString('hex');

function bytes(n: number, first: number, last: number): Uint8Array {
  const b = new Uint8Array(n);
  b[0] = first;
  b[n - 1] = last;
  return b;
}

// The script of inputlog_test.go: both clients make the same segments of it.
test('segments are signed as in Go', async () => {
  const kept = new Map<string, string>();
  const store = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v) };
  keepKey(store, new Uint8Array(32).fill(7));
  const who = loadIdentity(store);
  const log = new InputLog(bytes(20, 1, 2), bytes(32, 3, 4));
  const got: Segment[] = [];
  const add = (s: Segment | null): void => void (s && got.push(s));
  const nothing = { x: 0, y: 0, z: 0, face: 0, a: 0, b: 0 };
  for (let seq = 1; seq <= 25; seq++) {
    const tick = 1000 + seq;
    add(log.step({ seq, buttons: seq, yaw: 60000 + seq, pitch: -seq }, tick));
    if (log.due(tick)) add(log.end(tick, []));
    if (seq === 10) {
      add(log.end(tick, [{ seq: 1, kind: 3, x: -5, y: 63, z: 2 ** 20, face: 1, a: 2 ** 40, b: 9 }]));
      add(log.end(tick, [{ ...nothing, seq: 2, kind: 6 }]));
    }
  }
  add(log.step({ seq: 40, buttons: 0, yaw: 0, pitch: 0 }, 1030));
  for (let seq = 41; seq <= 110; seq++) add(log.step({ seq, buttons: 1, yaw: 0, pitch: 0 }, 1030));
  add(log.end(900, []));
  assert.equal(got.length, golden.length);
  for (const [i, s] of got.entries()) {
    assert.equal(hex(s.body) + hex(who.sign(s.text)), golden[i], `segment ${i}`);
    assert.deepEqual(await who.signLater(s.text), who.sign(s.text));
  }
});

test('the text of an act that writes is in what is signed', () => {
  const write = { seq: 1, kind: ActKind.Write, x: 1, y: 2, z: 3, face: 0, a: 0, b: 0, text: 'öfen' };
  assert.deepEqual(readAct(up.act(write)), write);
  const { body } = new InputLog(new Uint8Array(20), new Uint8Array(32)).end(7, [readAct(up.act(write))]);
  const text = new TextEncoder().encode('öfen');
  assert.deepEqual(body.subarray(body.length - text.length - 1), Uint8Array.from([text.length, ...text]));
});
