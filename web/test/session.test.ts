import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalProof } from '../src/net/local';
import { openSession } from '../src/net/session';

const proof = new LocalProof({ getItem: () => null, setItem: () => {}, removeItem: () => {} });

/** Asks a node from which nothing comes for so many ms. */
async function failing(ms: number) {
  let now = 5;
  const fetched = async (): Promise<Response> => {
    now += ms;
    throw new TypeError('Failed to fetch');
  };
  const s = await openSession('', undefined, { proof, base: 'http://192.0.2.1:1/', fetch: fetched as typeof fetch, now: () => now });
  assert.ok(!s.ok);
  return s.error;
}

test('a machine that is off is told from one that refuses the connection', async () => {
  assert.deepEqual(await failing(3), { code: 'network', text: 'Failed to fetch', network: true, silent: false });
  assert.deepEqual(await failing(3100), { code: 'network', text: 'Failed to fetch', network: true, silent: true });
});
