/// <reference types="node" />
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { applyMove, type Cell, decodeFrame, type Frame, type Motion } from '../src/net/frame';
import { WireError } from '../src/net/reader';

const file = '../internal/game/wire/frame/testdata/frames.json';
const golden: { Name: string; Hex: string; Frame: unknown }[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** A frame in the words of the examples, with empty lists left out. */
function said(f: Frame): unknown {
  const c = f.correction;
  const vec = (x = 0, y = 0, z = 0): object => ({ X: x, Y: y, Z: z });
  return {
    Region: { X: f.regionX, Z: f.regionZ },
    Tick: f.tick,
    Own: {
      HasAck: f.ack >= 0, Ack: Math.max(f.ack, 0), Corrected: c !== null,
      Position: vec(c?.x, c?.y, c?.z), Velocity: vec(c?.vx, c?.vy, c?.vz), Body: c?.flags ?? 0,
    },
    Cells: f.cells.length ? f.cells.map(saidCell) : null,
  };
}

function saidCell(c: Cell): unknown {
  const caps = (o: object): object =>
    Object.fromEntries(Object.entries(o).map(([k, v]) => [/^d[xyz]$/.test(k) ? k.toUpperCase() : k[0]!.toUpperCase() + k.slice(1), v]));
  const lists = { Enters: c.enters, Moves: c.moves, Leaves: c.leaves, States: c.states, Blocks: c.blocks, Events: c.events, Cracks: c.cracks, Wears: c.wears };
  const out: Record<string, unknown> = { Index: c.index, Keyframe: c.keyframe };
  for (const [name, list] of Object.entries(lists)) if (list.length) out[name] = list.map(caps);
  return out;
}

for (const g of golden) {
  test(`golden frame: ${g.Name}`, () => {
    assert.deepEqual(said(decodeFrame(bytes(g.Hex))), g.Frame);
  });
  test(`cut short: ${g.Name}`, () => {
    for (let n = 0; n < g.Hex.length / 2; n++) assert.throws(() => decodeFrame(bytes(g.Hex).subarray(0, n)), WireError);
  });
}

test('noise is refused or read, but nothing else is thrown', () => {
  let seed = 1;
  const next = (): number => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 16;
  for (let i = 0; i < 20000; i++) {
    const base = golden.length && i % 2 ? bytes(golden[next() % golden.length]!.Hex) : new Uint8Array(next() % 60);
    for (let j = 0; j < 4; j++) base[next() % Math.max(base.length, 1)] = next() & 0xff;
    try {
      decodeFrame(base);
    } catch (e) {
      assert.ok(e instanceof WireError, String(e));
    }
  }
});

test('moves go on as before, by changes, and anew', () => {
  const m: Motion = { x: 100, y: 10, z: 100, dx: 3, dz: -4, yaw: 250, pitch: 0 };
  const move = { handle: 0, flat: 0, look: 0, dx: 0, dy: 0, dz: 0, yaw: 0, pitch: 0 };
  applyMove(move, m);
  assert.deepEqual([m.x, m.z], [103, 96]);
  applyMove({ ...move, flat: 1, dx: 1, dz: 1, dy: -2, look: 1, yaw: 10, pitch: -3 }, m);
  assert.deepEqual([m.x, m.y, m.z, m.dx, m.dz, m.yaw, m.pitch], [107, 8, 93, 4, -3, 4, -3]);
  applyMove({ ...move, flat: 3, look: 2, yaw: 7, pitch: 9 }, m);
  assert.deepEqual([m.x, m.z, m.dx, m.dz, m.yaw, m.pitch], [107, 93, 4, -3, 7, 9]);
});
