// What happens in the demo scene besides the landscape: &crowd=N figures
// (&kinds=cow,pig: of these models; &looks: in built-in looks and pixels),
// &lamps, &far land, &hold=block, &look (outline, cracks,
// pieces), &den (a hall in the rock), &show (all blocks).

import { deflateSync } from 'fflate';
import type { Engine } from '../src/engine';
import { Block, blocks } from '../src/gen/blocks';
import { BODY, facesOf, packSkin } from '../src/world/skin';
import { heightAt } from './terrain';

type Eye = { x: number; y: number; z: number; yaw: number };

/** stage prepares what the address asks for and returns what to do in each frame. */
export function stage(engine: Engine, ask: URLSearchParams, eye: Eye): (dt: number) => void {
  if (ask.has('hold')) engine.hold(Number(ask.get('hold')));
  engine.self('Ada', new Uint8Array());
  if (ask.get('far') !== '0') farLand(engine, eye, Number(ask.get('far') ?? 3));
  if (ask.has('den')) setTimeout(() => den(engine, eye), 2500);
  if (ask.has('show')) setTimeout(() => show(engine, eye), 2500);
  const people = crowd(engine, eye, Number(ask.get('crowd') ?? 0), ask);
  let time = 0;
  return (dt) => {
    time += dt;
    people(time, dt);
    if (ask.has('look')) look(engine, eye, time);
  };
}

const DRESSED = [
  [Block.IronHelmet, Block.IronChestplate, Block.IronLeggings, Block.IronBoots], [0, 0, 0, 0],
  [Block.LeatherHelmet, Block.LeatherChestplate, Block.LeatherLeggings, Block.LeatherBoots], [0, Block.IronChestplate, 0, Block.LeatherBoots],
];
/** pixels that tell faces apart: each has its own colour, with a darker line at the top */
const checked = packSkin(BODY.flatMap(({ size }, part) => facesOf(size).flatMap(([w, h], face) =>
  Array.from({ length: w * h }, (_, p) => (p < w ? 0x202020 : (0x40 * (face % 4) + 0x30) << 16 | (face > 3 ? 0xd0 : 0x40) << 8 | part * 40)))));
const names = ['Ada', 'Grace', 'Linus', 'Zoë', 'Barbara', 'Dijkstra', 'Hypatia', 'Émilie', 'Mary-Anne the Long', 'Bo'];

function crowd(engine: Engine, eye: Eye, n: number, ask: URLSearchParams): (time: number, dt: number) => void {
  const kinds = ask.get('kinds')?.split(',');
  return (time) => {
    for (let i = 0; i < n; i++) {
      const kind = kinds?.[i % kinds.length] ?? (i % 5 === 3 ? 'sheep' : i % 7 === 6 ? 'stalker' : 'player');
      const ring = 3 + Math.floor(i / 8) * 2.5;
      const still = i % 3 === 0;
      const angle = eye.yaw + ((i % 8) - 3.5) * 0.24 + (still ? 0 : Math.sin(time * 0.3 + i) * 0.2);
      const [x, z] = [eye.x + Math.sin(angle) * ring, eye.z - Math.cos(angle) * ring];
      engine.entity(i, kind, names[i % names.length], {
        x, z, y: Math.max(63.9, heightAt(Math.floor(x), Math.floor(z)) + 1),
        yaw: still ? angle + Math.PI + Math.sin(time + i) * 0.6 : angle + Math.PI / 2, pitch: Math.sin(time * 0.7 + i) * 0.4,
        sneaking: i % 8 === 2, swimming: false, flying: false, dead: false, burning: i % 9 === 5, worn: ask.has('looks') ? [] : DRESSED[i % DRESSED.length], scale: 1, held: [Block.Torch, 0, Block.Bricks, Block.Poppy, 0][i % 5], count: 0,
      });
      if (kind === 'player' && ask.has('looks')) engine.skin(i, i < 8 ? Uint8Array.of(i + 1) : checked);
      if (Math.floor(time * 60) % 90 === i % 90) engine.entityEvent(i, i % 4 === 0 ? 'hurt' : 'swing');
    }
  };
}

function look(engine: Engine, eye: Eye, time: number): void {
  const [x, z] = [Math.floor(eye.x + Math.sin(eye.yaw) * 3), Math.floor(eye.z - Math.cos(eye.yaw) * 3)];
  let y = 200;
  while (y > 0 && engine.block(x, y, z) <= 0) y--;
  engine.outline({ x, y, z });
  engine.crack(x, y, z, Math.floor(time * 3) % 10);
  if (Math.floor(time * 10) % 8 === 0) engine.particles(engine.block(x, y, z), x, y, z, false);
  if (Math.floor(time * 10) % 6 === 0) engine.swing();
}

/** den digs a hall under the eye, with lamps, torches and a pool. */
function den(engine: Engine, eye: Eye): void {
  const [x0, y0, z0] = [Math.floor(eye.x), Math.floor(eye.y), Math.floor(eye.z)];
  for (let x = -7; x <= 7; x++) {
    for (let z = -14; z <= 3; z++) {
      for (let y = -3; y <= 5; y++) {
        const wall = Math.abs(x) === 7 || z === -14 || z === 3 || y === -3 || y === 5;
        const pool = y === -3 && Math.abs(x) < 4 && z < -5 && z > -11;
        engine.setBlock(x0 + x, y0 + y, z0 + z, pool ? Block.Water : wall ? (y === -3 ? Block.OakPlanks : Block.MossyCobblestone) : Block.Air);
        if (pool) engine.setBlock(x0 + x, y0 + y - 1, z0 + z, Block.Clay);
      }
    }
  }
  engine.setBlock(x0 - 5, y0 - 2, z0 - 4, Block.Torch);
  engine.setBlock(x0 + 5, y0 - 1, z0 - 12, Block.Lantern);
  engine.setBlock(x0 + 5, y0 - 2, z0 - 12, Block.Bookshelf);
  for (let x = 2; x < 5; x++) engine.setBlock(x0 + x, y0 - 2, z0 - 3, Block.StoneSlab);
  for (let y = -2; y < 5; y++) engine.setBlock(x0 - 6, y0 + y, z0 - 8, Block.Ladder);
  engine.setBlock(x0 - 3, y0 - 2, z0 - 12, Block.Glass);
  engine.setBlock(x0 - 3, y0 - 1, z0 - 12, Block.Ice);
}

/** show builds a wall of all blocks before the eye, and a dark hut with lamps. */
function show(engine: Engine, eye: Eye): void {
  const [x0, y0, z0] = [Math.floor(eye.x) - 9, Math.floor(eye.y) - 2, Math.floor(eye.z) - 9];
  for (let x = -2; x < 22; x++) for (let z = -1; z < 12; z++) for (let y = 0; y < 12; y++) engine.setBlock(x0 + x, y0 + y, z0 + z, y === 0 ? Block.StoneBricks : Block.Air);
  blocks.forEach((b, i) => {
    if (b.class === 'air' || b.class === 'fluid') return;
    const [x, row] = [(i % 13) * 1.5, Math.floor(i / 13)];
    engine.setBlock(x0 + Math.floor(x), y0 + 1 + row * 2, z0 + row, b.id);
    if (row > 0) engine.setBlock(x0 + Math.floor(x), y0 + row * 2, z0 + row, Block.OakPlanks);
  });
}

function farLand(engine: Engine, eye: Eye, r: number): void {
  const [cx, cz] = [Math.floor(eye.x / 128), Math.floor(eye.z / 128)];
  for (let z = cz - r; z <= cz + r; z++) {
    for (let x = cx - r; x <= cx + r; x++) {
      const raw = new Uint8Array(1024 * 3);
      for (let i = 0; i < 1024; i++) {
        const h = heightAt(x * 128 + (i & 31) * 4 + 2, z * 128 + (i >> 5) * 4 + 2);
        const top = h < 64 ? Block.Water : h <= 66 ? Block.Sand : h > 112 ? Block.Snow : h > 106 ? Block.Stone : Block.Grass;
        raw[i] = Math.max(64, h);
        raw[1024 + i * 2] = top;
      }
      engine.farTile(x, z, deflateSync(raw));
    }
  }
}
