import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepKey, loadIdentity, readKey } from '../src/net/identity';

function browser(): Pick<Storage, 'getItem' | 'setItem'> {
  const kept = new Map<string, string>();
  return { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => void kept.set(k, v) };
}

test('a key that is taken to another browser makes the same player there', () => {
  const one = loadIdentity(browser());
  const there = browser();
  assert.notDeepEqual(loadIdentity(there).publicKey, one.publicKey);
  const secret = readKey(`Voxel Populi: the key of Ada.\n  ${one.text}\n`);
  assert.ok(secret && keepKey(there, secret));
  const same = loadIdentity(there);
  assert.deepEqual(same.publicKey, one.publicKey);
  assert.deepEqual(same.sign(new Uint8Array([1, 2])), one.sign(new Uint8Array([1, 2])));
  assert.ok(same.kept);
});

test('what is no key, or a damaged one, is refused', () => {
  const { text } = loadIdentity(browser());
  assert.ok(readKey(text.toUpperCase().replace('VPK1', 'vpk1')));
  const other = text[20] === '0' ? '1' : '0';
  for (const bad of ['', 'vpk1-', 'Ada', text.slice(0, -1), `${text}0`, text.slice(5), text.slice(0, 20) + other + text.slice(21)]) {
    assert.equal(readKey(bad), null, bad);
  }
});

test('a browser that keeps nothing says so', () => {
  const forbids = { getItem: () => { throw new Error('no'); }, setItem: () => { throw new Error('no'); } };
  const one = loadIdentity(forbids);
  assert.equal(one.kept, false);
  assert.equal(keepKey(forbids, readKey(one.text)!), false);
});
