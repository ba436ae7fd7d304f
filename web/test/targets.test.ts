import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Targets } from '../src/net/targets';

const node = (n: number): Uint8Array => new Uint8Array(20).fill(n);
const b = { node: node(2), url: 'http://127.0.0.1:2/' };
const c = { node: node(3), url: 'http://127.0.0.1:3/' };

/** Fails until another node is chosen; says after how many tries. */
function triesHere(t: Targets): number {
  for (let n = 1; ; n++) if (t.failed().moved || n > 50) return n;
}

test('a page that knows no other node stays with its own', () => {
  const t = new Targets('http://127.0.0.1:1/');
  assert.equal(triesHere(t), 51);
  assert.equal(t.current.base, 'http://127.0.0.1:1/');
  assert.equal(t.current.node, null);
});

test('the own node is tried for some seconds, then each other one, in turn', () => {
  const t = new Targets('http://127.0.0.1:1/');
  t.learn([b, c]);
  let waited = 0;
  for (let moved = false; !moved;) {
    const next = t.failed();
    moved = next.moved;
    if (!moved) waited += next.wait;
  }
  assert.ok(waited >= 2000 && waited <= 5000, `${waited} ms`);
  const seen = new Set([t.current.base]);
  t.failed();
  seen.add(t.current.base);
  assert.deepEqual([...seen].sort(), [b.url, c.url]);
  t.failed();
  assert.equal(t.current.node, null, 'and then the own one again');
});

test('a node that does not want us is left at once', () => {
  const t = new Targets('http://127.0.0.1:1/');
  t.learn([b]);
  assert.ok(t.failed(true).moved);
  assert.equal(t.current.base, b.url);
  assert.deepEqual(t.current.node, b.node);
});

test('where one was let in one stays, and that node is tried for longer', () => {
  const t = new Targets('http://127.0.0.1:1/');
  t.learn([b, c]);
  triesHere(t);
  t.reached();
  const here = t.current.base;
  t.learn([c].filter((e) => e.url !== here)); // what the new node says
  assert.equal(t.current.base, here);
  assert.ok(triesHere(t) > 1);
});

test('addresses that a page may not use, or that are none, are left out', () => {
  const t = new Targets('https://play.example/');
  t.learn([
    { node: node(4), url: 'http://192.0.2.1:4747/' }, { node: node(4), url: 'javascript:alert(1)' }, { node: node(4), url: 'https://u:p@x.example/' },
    { node: node(4), url: '' }, { node: node(4), url: 'https://x.example/api' }, { node: node(4), url: 'ftp://x.example/' },
  ]);
  assert.equal(t.failed(true).moved, false);
  t.learn([{ node: node(4), url: 'https://x.example/' }]);
  assert.equal(t.failed(true).moved, true);
});

test('no more others are kept than are of use', () => {
  const t = new Targets('http://127.0.0.1:1/');
  t.learn(Array.from({ length: 1000 }, (_, i) => ({ node: node(1), url: `http://127.0.0.1:${i + 2}/` })));
  const seen = new Set<string>();
  for (let i = 0; i < 100; i++) {
    t.failed(true);
    seen.add(t.current.base);
  }
  assert.equal(seen.size, 17);
});

test('a page goes on at another node by data channels', () => {
  const fingerprint = 'A'.repeat(43);
  const t = new Targets('https://play.example/', [{ ip: '192.0.2.1', port: 4747, fingerprint }]);
  t.learn([
    { node: node(1), url: `webrtc:192.0.2.1:4747_${fingerprint}` }, // the one of the link
    { node: node(2), url: `webrtc:[2001:db8::2]:4748_${'B'.repeat(43)}` },
    { node: node(3), url: `webrtc:name.example:4748_${'C'.repeat(43)}` }, { node: node(3), url: 'webrtc:192.0.2.3:4747_short' },
  ]);
  assert.equal(t.known, 1);
  assert.ok(t.failed(true).moved);
  assert.deepEqual(t.current, { base: `webrtc:${'B'.repeat(43)}`, node: node(2), direct: { ip: '2001:db8::2', port: 4748, fingerprint: 'B'.repeat(43) } });
  assert.equal(t.audience, `webrtc:${'B'.repeat(43)}`);
});

test('data channels come after what the page reaches by its gateway', () => {
  for (let i = 0; i < 20; i++) { // the order among equals is drawn
    const t = new Targets('http://192.0.2.9:4747/');
    t.learn([1, 2, 3].flatMap((n) => [
      { node: node(n), url: `webrtc:192.0.2.${n}:4747_${String(n).repeat(43)}` }, { node: node(n), url: `http://192.0.2.${n}:4747/` },
    ]));
    const bases = Array.from({ length: 6 }, () => (t.failed(true), t.current.base));
    assert.deepEqual(bases.map((b) => b.startsWith('webrtc:')), [false, false, false, true, true, true]);
  }
});
