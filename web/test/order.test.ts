import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '../src/net/frame';
import { readAll, readAt } from '../src/net/invited';
import { FrameOrder } from '../src/net/order';
import { answerOf, drawUfrag } from '../src/net/sdp';

const frame = (number: number, regionX = 0): Frame =>
  ({ regionX, regionZ: 5, tick: 1, ack: -1, correction: null, number, cells: [] });

function order() {
  const missed: string[] = [];
  const o = new FrameOrder((x, z) => missed.push(`${x},${z}`));
  return { o, missed, take: (n: number, x = 0) => o.take(frame(n, x)).map((f) => f.number) };
}

test('frames are used in their order', () => {
  const { take, missed } = order();
  assert.deepEqual([take(7), take(9), take(8), take(10), take(9)], [[7], [], [8, 9], [10], []]);
  assert.deepEqual(take(1, 3), [1]); // each region counts its own
  assert.deepEqual(missed, []);
});

test('a lost frame is skipped, and keyframes are asked for', () => {
  const { take, missed } = order();
  assert.deepEqual([take(65534), take(0), take(1), take(2), take(65535), take(3)], [[65534], [], [], [0, 1, 2], [], [3]]);
  assert.deepEqual(missed, ['0,5']);
});

test('a new connection counts anew, and a WebSocket not at all', () => {
  const { o, take } = order();
  assert.deepEqual(take(500), [500]);
  o.reset();
  assert.deepEqual([take(3), take(-1), take(-1)], [[3], [-1], [-1]]);
});

const F = 'CS1IuMqB6mRJI3Fk8HfMlwINlMywAzft0J8VcJp3WKs';

test('a link names addresses and fingerprints, nothing else', () => {
  assert.deepEqual(readAt(`192.0.2.7:4747_${F}`), { ip: '192.0.2.7', port: 4747, fingerprint: F });
  assert.deepEqual(readAt(`[2001:db8::7]:4747_${F}`)?.ip, '2001:db8::7');
  const bad = ['', `example.org:4747_${F}`, `192.0.2.7:0_${F}`, `192.0.2.7:70000_${F}`, `192.0.2.7:1_${F}A`, `192.0.2.7:1_${F.slice(1)}`,
    `192.0.2.7\r\na=x:4747_${F}`, `192.0.2.7:47 47_${F}`, `[::1\n]:1_${F}`];
  for (const text of bad) assert.equal(readAt(text), null, text);
  assert.equal(readAll(Array.from({ length: 9 }, (_, i) => `192.0.2.${i}:1_${F}`).join(' ')).length, 3);
});

test('the answer of a node is made up', () => {
  const at = { ip: '192.0.2.7', port: 4747, fingerprint: F };
  const ufrag = drawUfrag(at, (b) => b.fill(255));
  assert.match(ufrag, /^vp1\+CS1IuMqB6mRJI3Fk[A-Za-z0-9+/]{24}$/);
  const sdp = answerOf(at, ufrag);
  assert.match(sdp, new RegExp(`a=ice-pwd:${ufrag.replaceAll('+', '\\+')}\r\n`));
  assert.match(sdp, /a=fingerprint:sha-256 09:2D:48:B8:(..:){27}AB\r\n/);
  assert.match(sdp, /a=candidate:1 1 udp \d+ 192\.0\.2\.7 4747 typ host\r\n/);
});
