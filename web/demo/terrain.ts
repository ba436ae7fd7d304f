// A landscape for the demo scene, benchmarks and tests: no world of ours, but
// with everything that the engine must draw. Deterministic.

import { Block } from '../src/gen/blocks';
import { indexBits } from '../src/engine/bits';

const SEA = 64;

function hash(x: number, y: number, z: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ Math.imul(z, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}

const fade = (t: number): number => t * t * (3 - 2 * t);

function noise(x: number, y: number, z: number): number {
  const [xi, yi, zi] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  const [u, v, w] = [fade(x - xi), fade(y - yi), fade(z - zi)];
  const mix = (a: number, b: number, t: number): number => a + (b - a) * t;
  const at = (i: number, j: number, k: number): number => hash(xi + i, yi + j, zi + k);
  return mix(
    mix(mix(at(0, 0, 0), at(1, 0, 0), u), mix(at(0, 1, 0), at(1, 1, 0), u), v),
    mix(mix(at(0, 0, 1), at(1, 0, 1), u), mix(at(0, 1, 1), at(1, 1, 1), u), v),
    w,
  );
}

export function heightAt(x: number, z: number): number {
  const broad = noise(x / 160, 7, z / 160);
  const hills = noise(x / 45, 3, z / 45);
  const rough = noise(x / 14, 1, z / 14);
  return Math.floor(46 + broad * broad * 70 + hills * 16 + rough * 4);
}

function ground(x: number, y: number, z: number, h: number): number {
  if (y === 0) return Block.Bedrock;
  if (y > h) return y <= SEA ? Block.Water : Block.Air;
  const cave = noise(x / 15, y / 10, z / 15) + noise(x / 7, y / 6, z / 7) * 0.35;
  if (cave > 1.02 && y > 2 && (y < h - 6 || h > SEA + 4)) return Block.Air;
  const shore = h <= SEA + 2;
  if (y === h) return shore ? Block.Sand : h > 112 ? Block.Snow : Block.Grass;
  if (y > h - 4) return shore ? Block.Sand : h > 106 ? Block.Stone : Block.Dirt;
  const ore = hash(x >> 1, y >> 1, z >> 1);
  if (ore < 0.012) return Block.CoalOre;
  if (ore < 0.02) return Block.IronOre;
  if (ore < 0.022 && y < 24) return Block.CrystalOre;
  return Block.Stone;
}

/** demoColumn returns the blocks of a column at y<<10 | z<<5 | x. */
export function demoColumn(cx: number, cz: number): Uint16Array {
  const out = new Uint16Array(32 * 32 * 256);
  for (let z = 0; z < 32; z++) {
    for (let x = 0; x < 32; x++) {
      const [wx, wz] = [cx * 32 + x, cz * 32 + z];
      const h = heightAt(wx, wz);
      for (let y = 0; y <= Math.max(h, SEA); y++) out[(y << 10) | (z << 5) | x] = ground(wx, y, wz, h);
    }
  }
  decorate(cx, cz, out);
  return out;
}

function decorate(cx: number, cz: number, out: Uint16Array): void {
  for (let z = -3; z < 35; z++) {
    for (let x = -3; x < 35; x++) {
      const [wx, wz] = [cx * 32 + x, cz * 32 + z];
      const h = heightAt(wx, wz);
      if (h <= SEA + 2 || h > 106 || ground(wx, h, wz, h) !== Block.Grass) continue;
      const r = hash(wx, 99, wz);
      const wood = noise(wx / 60, 55, wz / 60);
      if (r < 0.002 + (wood > 0.55 ? 0.02 : 0)) tree(out, x, h + 1, z, hash(wx, 5, wz));
      else if (x >= 0 && x < 32 && z >= 0 && z < 32 && r > 0.86) put(out, x, h + 1, z, plantFor(r));
    }
  }
}

function plantFor(r: number): number {
  if (r > 0.99) return Block.Poppy;
  if (r > 0.98) return Block.Dandelion;
  if (r > 0.973) return Block.Cornflower;
  return Block.TallGrass;
}

function tree(out: Uint16Array, x: number, y: number, z: number, r: number): void {
  const tall = 4 + Math.floor(r * 3);
  const [log, leaves] = r < 0.5 ? [Block.OakLog, Block.OakLeaves] : r < 0.8 ? [Block.BirchLog, Block.BirchLeaves] : [Block.PineLog, Block.PineLeaves];
  for (let dy = tall - 3; dy <= tall + 1; dy++) {
    const wide = dy > tall - 1 ? 1 : 2;
    for (let dz = -wide; dz <= wide; dz++) {
      for (let dx = -wide; dx <= wide; dx++) {
        if (Math.abs(dx) === wide && Math.abs(dz) === wide && (dy > tall || hash(x + dx, dy, z + dz) < 0.5)) continue;
        if (at(out, x + dx, y + dy, z + dz) === Block.Air) put(out, x + dx, y + dy, z + dz, leaves);
      }
    }
  }
  for (let dy = 0; dy < tall; dy++) put(out, x, y + dy, z, log);
}

function at(out: Uint16Array, x: number, y: number, z: number): number {
  if (x < 0 || x > 31 || z < 0 || z > 31) return -1;
  return out[(y << 10) | (z << 5) | x];
}

function put(out: Uint16Array, x: number, y: number, z: number, b: number): void {
  if (x < 0 || x > 31 || z < 0 || z > 31) return;
  out[(y << 10) | (z << 5) | x] = b;
}

/** pack puts blocks into the payload of a Column message, before deflate. */
export function pack(blocks: Uint16Array): { mask: number; raw: Uint8Array } {
  const out: number[] = [];
  let mask = 0;
  for (let c = 0; c < 8; c++) {
    const part = blocks.subarray(c << 15, (c + 1) << 15);
    const palette = [...new Set(part)];
    if (palette.length === 1 && palette[0] === Block.Air) continue;
    mask |= 1 << c;
    const uvarint = (v: number): void => {
      for (; v > 127; v >>>= 7) out.push((v & 127) | 128);
      out.push(v);
    };
    uvarint(palette.length);
    palette.forEach(uvarint);
    const bits = indexBits(palette.length);
    if (bits === 0) continue;
    for (let i = 0, byte = 0, n = 0; i < part.length; i++) {
      byte |= palette.indexOf(part[i]) << n;
      n += bits;
      if (n >= 8) {
        out.push(byte & 255);
        if (bits === 16) out.push(byte >> 8);
        byte = n = 0;
      }
    }
  }
  return { mask, raw: Uint8Array.from(out) };
}
