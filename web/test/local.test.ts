import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback, LocalProof, type ProofStore } from '../src/net/local';
import { openSession } from '../src/net/session';

class Store implements ProofStore {
  readonly map = new Map<string, string>();
  getItem = (k: string): string | null => this.map.get(k) ?? null;
  setItem = (k: string, v: string): void => void this.map.set(k, v);
  removeItem = (k: string): void => void this.map.delete(k);
}

test('a proof is kept for the tab and forgotten when the node does not believe it', () => {
  const store = new Store();
  const proof = new LocalProof(store);
  assert.equal(proof.shown, '');
  proof.keep('secret');
  assert.equal(new LocalProof(store).shown, 'secret');
  proof.keep('');
  assert.equal(proof.shown, '');
  assert.equal(store.map.size, 0);
});

test('a browser without storage keeps the proof as long as the page', () => {
  const no = (): never => { throw new Error('no storage'); };
  const proof = new LocalProof({ getItem: no, setItem: no, removeItem: no });
  proof.keep('secret');
  assert.equal(proof.shown, 'secret');
});

test('addresses of this machine', () => {
  for (const host of ['localhost', 'x.localhost', '127.0.0.1', '127.1.2.3', '[::1]']) assert.ok(isLoopback(host), host);
  for (const host of ['localhost.evil.example', '127.evil.example', '192.168.1.5', '127.0.0.1.example', 'example.org']) assert.ok(!isLoopback(host), host);
});

test('a ticket is exchanged for the secret once, also by two who ask at once', async () => {
  const proof = new LocalProof(new Store());
  proof.keep('ticket');
  const asked: string[] = [];
  const fetched = async (_: URL, init: RequestInit): Promise<Response> => {
    const { local } = JSON.parse(String(init.body)) as { local: string };
    asked.push(local);
    await new Promise((r) => setTimeout(r, 1));
    const good = local === 'secret' || (local === 'ticket' && asked.filter((x) => x === 'ticket').length === 1);
    return Response.json({ token: 't', world: { id: '', name: '' }, ...(good ? { local: 'secret' } : {}) });
  };
  const ask = () => openSession('', undefined, { proof, base: 'http://127.0.0.1:1/', fetch: fetched as typeof fetch, now: () => 0 });
  const answers = await Promise.all([ask(), ask()]);
  assert.deepEqual(answers.map((a) => a.ok && a.local), [true, true]);
  assert.deepEqual(asked, ['ticket', 'secret']);
  assert.equal(proof.shown, 'secret');
});

test('a secret that the node does not know is forgotten', async () => {
  const proof = new LocalProof(new Store());
  proof.keep('of another folder');
  const fetched = async (): Promise<Response> => Response.json({ token: 't', world: { id: '', name: '' } });
  const s = await openSession('', undefined, { proof, base: 'http://127.0.0.1:1/', fetch: fetched as typeof fetch, now: () => 0 });
  assert.equal(s.ok && s.local, false);
  assert.equal(proof.shown, '');
});
