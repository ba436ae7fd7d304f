/// <reference types="node" />
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { Block } from '../src/gen/blocks';
import { type Body, newBody } from '../src/game/physics/body';
import { step } from '../src/game/physics/step';

/** A run of a body as the node computed it (internal/game/world/physicsvec_test.go). */
interface Case {
  name: string;
  mode: number;
  floor: number;
  loaded: [number, number, number, number];
  blocks: [number, number, number, number][] | null;
  start: number[];
  inputs: [number, number, number, number][];
  bodies: number[][];
}

const file = '../internal/game/world/testdata/physics.json';
const cases: Case[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).cases : [];

function patch(c: Case): { block(x: number, y: number, z: number): number } {
  const put = new Map((c.blocks ?? []).map(([x, y, z, b]) => [`${x} ${y} ${z}`, b]));
  const [x0, z0, x1, z1] = c.loaded;
  return {
    block(x, y, z) {
      if (y < 0) return Block.Bedrock;
      if (y >= 256) return Block.Air;
      if (x < x0 || z < z0 || x >= x1 || z >= z1) return -1;
      return put.get(`${x} ${y} ${z}`) ?? (y < c.floor ? Block.Stone : Block.Air);
    },
  };
}

function vector(b: Body): number[] {
  const flags = [b.onGround, b.flying, b.inWater, b.climbing, b.sneaking, b.sprinting, b.blocked];
  return [b.x, b.y, b.z, b.vx, b.vy, b.vz, flags.reduce((n, f, i) => n + (f ? 1 << i : 0), 0)];
}

for (const c of cases) {
  test(`the body moves as on the node: ${c.name}`, () => {
    const w = patch(c);
    const b = newBody(c.start[0], c.start[1], c.start[2]);
    [b.vx, b.vy, b.vz] = [c.start[3]!, c.start[4]!, c.start[5]!];
    b.onGround = (c.start[6]! & 1) !== 0;
    let n = 0;
    for (const [buttons, yaw, pitch, times] of c.inputs) {
      for (let i = 0; i < times; i++, n++) {
        step(w, b, { buttons, yaw, pitch }, c.mode);
        assert.deepEqual(vector(b), c.bodies[n], `step ${n}`);
      }
    }
  });
}
