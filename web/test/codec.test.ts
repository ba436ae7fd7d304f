/// <reference types="node" />
import { decode } from '@msgpack/msgpack';
import { sha256 } from '@noble/hashes/sha2.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { decodeMessage, lineText, proofText, up } from '../src/net/codec';
import { loadIdentity } from '../src/net/identity';
import { Reader, WireError } from '../src/net/reader';
import { Up } from '../src/net/types';
import { Writer } from '../src/net/writer';

interface Golden {
  name: string;
  type: string;
  hex: string;
  // the shapes are those of internal/game/wire
  json: any;
}

const golden: Golden[] = JSON.parse(readFileSync('../internal/game/wire/testdata/messages.json', 'utf8'));
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (b: Uint8Array): string => Buffer.from(b).toString('hex');

/** How this client says what an example says. */
const encoders: Record<string, (j: any) => Uint8Array> = {
  Hello: (j) => up.hello(j.name, bytes(j.key), j.client),
  Proof: (j) => up.proof(bytes(j.signature)),
  View: (j) => up.view(j.distance, j.far),
  Input: (j) => up.input(j.steps.map((s: object, i: number) => ({ seq: j.seq + i, ...s })), j.pos),
  Act: (j) => up.act(j),
  Segment: (j) => up.segment(new Uint8Array(), bytes(j.segment)),
  Say: (j) => (j.sig ? up.said(j.text, j.tick, bytes(j.sig)) : up.say(j.text)),
  Ping: (j) => up.ping(j.time),
  Far: (j) => up.far(j.regions.map((r: { x: number; z: number }) => [r.x, r.z])),
  Leave: () => up.leave(),
  AskHosts: () => up.askHosts(),
  AskEntrances: () => up.askEntrances(),
  Signed: (j) => up.signed(bytes(j.statement)),
  Skin: (j) => up.skin(bytes(j.skin)),
  AskSkin: (j) => up.askSkin(j.entity),
  PutSchematic: (j) => up.putSchematic(bytes(j.data), j.more),
  Missed: (j) => up.missed(j.region.x, j.region.z),
};

/** What this client makes of a message, in the words of the examples. */
const readers: Record<string, (m: any) => unknown> = {
  Challenge: (m) => ({ version: m.version, nonce: hex(m.nonce), world: hex(m.world), worldName: m.name }),
  Refused: (m) => ({ code: m.code, text: m.text, retry: m.retry }),
  Welcome: (m) => ({
    player: hex(m.player), name: m.name, entity: m.entity,
    world: { name: m.world.name, seed: m.world.seed, mode: m.world.mode, day: m.world.dayLength },
    spawn: m.spawn, tick: m.tick, timeOffset: m.timeOffset, operator: m.operator, pos: m.at, yaw: m.yaw, pitch: m.pitch,
  }),
  Column: (m) => ({ pos: { x: m.x, z: m.z }, mask: m.mask, deflated: hex(m.deflated) }),
  Unload: (m) => ({ column: { x: m.x, z: m.z } }),
  Frame: (m) => ({ body: hex(m.body) }),
  Pong: (m) => ({ time: m.time, tick: m.tick }),
  ActResult: (m) => ({ seq: m.seq, ok: m.ok, code: m.reason, text: m.text }),
  Self: ({ type: _, ...rest }) => rest,
  Container: (m) => ({ x: m.x, y: m.y, z: m.z, size: m.size, slots: m.slots, heat: m.heat, work: m.work }),
  Inventory: (m) => ({ slots: m.slots, selected: m.selected }),
  SkinOf: (m) => ({ entity: m.entity, skin: hex(m.skin) }),
  Schematic: (m) => ({ data: hex(m.data), more: m.more }),
  Chat: (m) => ({ kind: m.kind, from: m.from, text: m.text }),
  Players: (m) => ({
    full: m.full,
    list: m.players.map((p: any) => ({
      entity: p.entity, name: p.name, present: p.present, region: { x: p.regionX, z: p.regionZ }, skin: p.skin,
    })),
  }),
  FarTile: (m) => ({ region: { x: m.x, z: m.z }, deflated: hex(m.tile) }),
  TimeOffset: (m) => ({ ticks: m.ticks }),
  Notice: (m) => ({ code: m.code, text: m.text }),
  Commands: (m) => ({ list: m.list }),
  Entrances: (m) => ({ list: m.list.map((e: any) => ({ node: hex(e.node), url: e.url })), code: m.code }),
  Sign: (m) => ({ statement: hex(m.statement) }),
  Signs: (m) => ({ column: { x: m.x, z: m.z }, texts: m.texts }),
  Hosts: (m) => ({
    nodes: m.nodes.map((n: any) => ({ node: hex(n.id), trip: n.trip, leads: n.leads, cell: n.cell, place: n.place })),
    regions: m.regions.map(({ x, z, ...rest }: any) => ({ region: { x, z }, ...rest })),
    links: m.links,
    storage: m.storage === undefined ? null : [{
      ...m.storage,
      observed: m.storage.observed.map(({ x, z, ...rest }: any) => ({ region: { x, z }, ...rest })),
      accused: m.storage.accused.map(({ id, x, z, ...rest }: any) => ({ node: hex(id), region: { x, z }, ...rest })),
    }],
    convicted: m.convicted.map(hex),
    lands: m.lands,
  }),
};

/** MessagePack has several forms of a number: each is right. */
function same(got: Uint8Array, want: Uint8Array): void {
  assert.equal(got[0], want[0]);
  if (got[0] === Up.Input) assert.equal(hex(got), hex(want));
  else assert.deepEqual(decode(got.subarray(1)), decode(want.subarray(1)));
}

for (const g of golden) {
  test(`golden message: ${g.name}`, () => {
    const encode = encoders[g.type];
    if (encode) same(encode(g.json), bytes(g.hex));
    else assert.deepEqual(readers[g.type]!(decodeMessage(bytes(g.hex))), g.json);
  });
}

test('messages cut anywhere are refused, never misread', () => {
  for (const g of golden.filter((e) => readers[e.type] && e.type !== 'Frame' && e.type !== 'Column')) {
    for (let n = 0; n < g.hex.length / 2; n++) assert.throws(() => decodeMessage(bytes(g.hex).subarray(0, n)), WireError);
  }
});

test('numbers survive the way there and back', () => {
  for (const v of [0, 1, 127, 128, 300, 2 ** 31, 2 ** 40 + 5, Number.MAX_SAFE_INTEGER]) {
    assert.equal(new Reader(new Writer().uvarint(v).done()).uvarint(), v);
  }
  for (const v of [0, -1, 1, -64, 64, -(2 ** 33), 2 ** 33]) {
    assert.equal(new Reader(new Writer().svarint(v).done()).svarint(), v);
  }
  assert.throws(() => new Reader(new Uint8Array(20).fill(0xff)).uvarint(), WireError);
});

test('the proof is of the bytes that the node verifies', () => {
  // the same as in internal/core/identity/pass_test.go
  const text = proofText(new Uint8Array(32).fill(7), new Uint8Array(20).fill(9), 'Node.example:4747', 'Zoë');
  assert.equal(hex(sha256(text)), '2e9cb590b8f2d80604d88682d6e1a67eb0e80ff178509e40d9901443cb4d5dd6');
});

test('the key stays the same and signs', async () => {
  const kept = new Map<string, string>();
  const store = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v) };
  const a = loadIdentity(store);
  const b = loadIdentity(store);
  assert.deepEqual(a.publicKey, b.publicKey);
  const text = proofText(new Uint8Array(32).fill(7), new Uint8Array(20).fill(9), 'Node.example:4747', 'Zoë');
  assert.equal(hex(a.sign(text)), hex(b.sign(text)));
  const key = await crypto.subtle.importKey('raw', a.publicKey as Uint8Array<ArrayBuffer>, 'Ed25519', false, ['verify']);
  assert.ok(await crypto.subtle.verify('Ed25519', key, a.sign(text) as Uint8Array<ArrayBuffer>, text as Uint8Array<ArrayBuffer>));
});

test('a key that is not one is replaced', () => {
  let stored = 'garbage';
  loadIdentity({ getItem: () => stored, setItem: (_, v) => void (stored = v) });
  assert.match(stored, /^[0-9a-f]{64}$/);
});

// As in TestLineText of package wire.
test('lines are signed as in Go', () => {
  const world = new Uint8Array(20);
  world[0] = 1;
  world[19] = 2;
  const want = '766f78656c706f70756c69206c696e6520310a0100000000000000000000000000000000000002808080808020045a6fc3ab68656c6c6f20f09f90a2';
  assert.equal(hex(lineText(world, 2 ** 40, 'Zoë', 'hello 🐢')), want);
});
