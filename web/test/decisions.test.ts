import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { asks, isDawn, sign } from '../src/net/decisions';
import { keepKey, loadIdentity } from '../src/net/identity';

interface Line { line: string; proposal: string; asks: boolean; signed: string }

test('the browser signs what Go signs, and nothing that was not typed', () => {
  const lines = JSON.parse(readFileSync('../internal/game/decision/testdata/lines.json', 'utf8')) as Line[];
  const kept = new Map<string, string>();
  const store = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v) };
  keepKey(store, new Uint8Array(32).fill(7));
  const identity = loadIdentity(store);
  assert.ok(lines.length > 20);
  for (const l of lines) {
    const proposal = Uint8Array.from(Buffer.from(l.proposal, 'hex'));
    assert.equal(asks(l.line, proposal, identity.publicKey, 1_800_000_000_000), l.asks, l.line);
    assert.equal(Buffer.from(sign(proposal, identity)).toString('hex'), l.signed);
    for (let n = 0; n < proposal.length; n++) asks(l.line, proposal.subarray(0, n), identity.publicKey, 1_800_000_000_000); // throws nothing
  }
});

test('who is in bed signs that it is day, and no other time', () => {
  const statement = (topic: number, text: string, version = 1): Uint8Array => {
    const b = new Uint8Array(92 + 2 + text.length + 64);
    b[0] = version;
    b[61] = topic;
    b[62] = 1;
    b[93] = text.length;
    b.set(new TextEncoder().encode(text), 94);
    return b;
  };
  assert.ok(isDawn(statement(5, 'day')));
  for (const other of [statement(5, 'night'), statement(1, 'day'), statement(5, 'day', 0x81), new Uint8Array(20)]) assert.ok(!isDawn(other));
});
