import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Block } from '../src/gen/blocks';
import { Mesher, type Mesh } from '../src/world/mesher';
import { LAYER } from '../src/world/tables';
import { ALL_SEE, pairBit } from '../src/world/visibility';
import { litWorld, random, Scene, type Lit } from './scene';

interface Corner {
  x: number;
  y: number;
  z: number;
  dark: number;
  layer: number;
  face: number;
  sky: number;
  lamp: number;
}

interface Quad {
  corners: Corner[];
  face: number;
}

/** quads reads back what src/world/quads.ts packs; positions in blocks. */
function quads(m: Mesh, from = 0, n = m.solid + m.holes + m.water): Quad[] {
  const out: Quad[] = [];
  for (let q = from; q < from + n; q++) {
    const corners: Corner[] = [];
    for (let c = 0; c < 4; c++) {
      const [a, b] = [m.data[q * 8 + c * 2], m.data[q * 8 + c * 2 + 1]];
      corners.push({
        x: (a & 1023) / 16, y: ((a >> 10) & 1023) / 16, z: ((a >> 20) & 1023) / 16, dark: a >>> 30,
        layer: b & 1023, face: (b >> 10) & 7, sky: (b >> 13) & 63, lamp: (b >> 19) & 63,
      });
    }
    out.push({ corners, face: corners[0].face });
  }
  return out;
}

function meshAt(l: Lit, x = 0, y = 0, z = 0): Mesh {
  const column = l.world.column(x, z);
  assert.ok(column);
  return new Mesher().mesh(l.world, column.chunks[y]);
}

function cross(a: Corner, b: Corner, c: Corner): [number, number, number] {
  const u = [b.x - a.x, b.y - a.y, b.z - a.z];
  const v = [c.x - a.x, c.y - a.y, c.z - a.z];
  return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
}

const NORMAL = [[0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [-1, 0, 0], [1, 0, 0]];

test('a lone block has six faces, each turned outwards', () => {
  const m = meshAt(new Scene().put(5, 6, 7, Block.Stone).lit());
  const all = quads(m);
  assert.equal(all.length, 6);
  assert.deepEqual([m.solid, m.holes, m.water], [6, 0, 0]);
  for (const q of all) {
    const n = cross(q.corners[0], q.corners[1], q.corners[2]).map(Math.sign);
    assert.deepEqual(n.map((v) => v + 0), NORMAL[q.face], `face ${q.face}`);
    for (const c of q.corners) assert.equal(c.dark, 3);
  }
  assert.deepEqual(new Set(all.map((q) => q.face)).size, 6);
});

test('a flat floor of one kind is a handful of quads', () => {
  const m = meshAt(new Scene().floor(1, 8, Block.Stone).lit());
  assert.equal(m.solid, 2); // its top and its bottom; sides are hidden by the neighbours
});

test('faces between neighbours are hidden, across chunk borders too', () => {
  const l = new Scene().put(31, 8, 5, Block.Stone).put(32, 8, 5, Block.Dirt).put(3, 31, 3, Block.Stone).put(3, 32, 3, Block.Stone).lit();
  const faces = (m: Mesh): number[] => quads(m).map((q) => q.face).sort();
  assert.deepEqual(faces(meshAt(l, 1, 0, 0)), [0, 1, 2, 3, 5]);
  assert.equal(meshAt(l, 0, 0, 0).solid, 10);
  assert.deepEqual(faces(meshAt(l, 0, 1, 0)), [1, 2, 3, 4, 5]);
});

test('textures follow the face', () => {
  const m = meshAt(new Scene().put(1, 1, 1, Block.Grass).lit());
  for (const q of quads(m)) assert.equal(q.corners[0].layer, LAYER[Block.Grass * 6 + q.face]);
});

test('a slope of grass is green: steps of one block show no earth, higher ones do', () => {
  const l = new Scene()
    .put(4, 31, 8, Block.Grass).put(5, 32, 8, Block.Grass).put(6, 33, 8, Block.SnowyGrass) // over the border of a chunk
    .put(6, 31, 8, Block.Dirt).put(6, 32, 8, Block.Dirt)
    .put(12, 31, 8, Block.Stone).put(13, 32, 8, Block.Grass)
    .put(31, 40, 8, Block.Grass).put(32, 41, 8, Block.Grass).lit();
  const westAt = (m: Mesh, x: number, y: number): number | undefined =>
    quads(m).find((q) => q.face === 4 && q.corners.every((c) => c.x === x) && Math.min(...q.corners.map((c) => c.y)) === y)?.corners[0].layer;
  const [grassTop, snow, side] = [LAYER[Block.Grass * 6 + 1], LAYER[Block.SnowyGrass * 6 + 1], LAYER[Block.Grass * 6 + 4]];
  const m = meshAt(l, 0, 1, 0);
  assert.equal(westAt(m, 5, 0), grassTop, 'grass one block above grass');
  assert.equal(westAt(m, 6, 1), snow, 'snow one block above grass');
  assert.equal(westAt(m, 13, 0), side, 'grass one block above stone');
  assert.equal(westAt(meshAt(l, 1, 1, 0), 0, 9), grassTop, 'over the border of a column');
  assert.equal(westAt(meshAt(l, 0, 0, 0), 4, 31), side, 'grass with nothing below in front');
});

test('corners beside blocks are darker: one, two, and in a nook darkest', () => {
  // The block at 5,5 on a floor darkens the floor around it; the one at 9 makes a nook with 8,10.
  const l = new Scene().floor(1, 4, Block.Stone).put(5, 5, 5, Block.Stone).put(8, 5, 9, Block.Stone).put(9, 5, 8, Block.Stone).lit();
  const top = quads(meshAt(l)).filter((q) => q.face === 1 && q.corners[0].y === 5);
  const darkAt = (x: number, z: number): number[] => top.flatMap((q) => q.corners).filter((c) => c.x === x && c.z === z).map((c) => c.dark).sort();
  assert.ok(darkAt(5, 5).includes(2), 'at the corner of a block');
  assert.ok(darkAt(9, 9).includes(0), 'in a nook of two blocks');
  assert.equal(Math.max(...darkAt(20, 20), 3), 3);
});

test('faces only grow where their light does not change', () => {
  const l = litWorld(1);
  for (let y = 0; y < 5; y++) {
    for (const q of quads(meshAt(l, 0, y, 0))) {
      if (q.face > 5) continue;
      const [a, b, c, d] = q.corners;
      const look = (k: Corner): string => `${k.dark},${k.sky},${k.lamp}`;
      const wide = Math.abs(b.x - a.x) + Math.abs(b.y - a.y) + Math.abs(b.z - a.z);
      const tall = Math.abs(d.x - a.x) + Math.abs(d.y - a.y) + Math.abs(d.z - a.z);
      if (wide > 1) assert.ok(look(a) === look(b) && look(c) === look(d), 'wide quad with changing light');
      if (tall > 1) assert.ok(look(a) === look(d) && look(b) === look(c), 'tall quad with changing light');
    }
  }
});

/** area sums up the unit faces that a set of quads covers, by plane. */
function unitFaces(all: Quad[]): Map<string, number> {
  const out = new Map<string, number>();
  for (const q of all) {
    const min = [0, 1, 2].map((k) => Math.min(...q.corners.map((c) => [c.x, c.y, c.z][k])));
    const max = [0, 1, 2].map((k) => Math.max(...q.corners.map((c) => [c.x, c.y, c.z][k])));
    const n = NORMAL[q.face].findIndex((v) => v !== 0);
    const [u, v] = [0, 1, 2].filter((k) => k !== n);
    for (let a = min[u]; a < max[u]; a++) {
      for (let b = min[v]; b < max[v]; b++) {
        const key = `${q.face}/${min[n]}/${a},${b}`;
        out.set(key, (out.get(key) ?? 0) + 1);
      }
    }
  }
  return out;
}

for (const seed of [1, 2, 3, 4]) {
  test(`every visible face is covered exactly once, seed ${seed}`, () => {
    const next = random(seed);
    const scene = new Scene();
    const kinds = [Block.Stone, Block.Dirt, Block.OakLeaves];
    const filled = new Map<string, number>();
    for (let i = 0; i < 2500 * seed; i++) {
      const [x, y, z, b] = [next(34) - 1, next(34), next(34) - 1, kinds[next(3)]];
      scene.put(x, y, z, b);
      filled.set(`${x},${y},${z}`, b);
    }
    const at = (x: number, y: number, z: number): number => filled.get(`${x},${y},${z}`) ?? (y < 0 ? Block.Bedrock : Block.Air);
    const opaque = (b: number): boolean => b !== Block.Air && b !== Block.OakLeaves;
    const want = new Map<string, number>();
    for (let x = 0; x < 32; x++) {
      for (let y = 0; y < 32; y++) {
        for (let z = 0; z < 32; z++) {
          const b = at(x, y, z);
          if (b === Block.Air) continue;
          NORMAL.forEach(([dx, dy, dz], face) => {
            const o = at(x + dx, y + dy, z + dz);
            if (opaque(o)) return;
            if (!opaque(b) && o === b) return; // leaves are a shell
            const n = NORMAL[face].findIndex((v) => v !== 0);
            const p = [x, y, z];
            const depth = p[n] + (face & 1);
            const [u, v] = [0, 1, 2].filter((k) => k !== n);
            want.set(`${face}/${depth}/${p[u]},${p[v]}`, 1);
          });
        }
      }
    }
    const got = unitFaces(quads(meshAt(scene.lit())));
    assert.equal(got.size, want.size);
    for (const [key, n] of got) assert.equal(n, want.get(key), `seed ${seed}: ${key}`);
  });
}

test('shapes: plants are two quads, torches stand in the middle, slabs are half', () => {
  const l = new Scene().floor(1, 4, Block.Grass).put(2, 5, 2, Block.Poppy).put(6, 5, 6, Block.Torch).put(10, 5, 10, Block.StoneSlab).lit();
  const m = meshAt(l);
  const shapes = quads(m, m.solid, m.holes);
  assert.equal(shapes.filter((q) => q.face === 6).length, 2);
  const torch = shapes.filter((q) => q.corners.every((c) => Math.abs(c.x - 6.5) < 0.1 && Math.abs(c.z - 6.5) < 0.1));
  assert.equal(torch.length, 5); // its foot is hidden
  const slab = shapes.filter((q) => q.corners.every((c) => c.x >= 10 && c.x <= 11 && c.z >= 10 && c.z <= 11));
  assert.equal(Math.max(...slab.flatMap((q) => q.corners.map((c) => c.y))), 5.5);
  assert.equal(slab.length, 5);
});

test('a ladder hangs on its wall and looks away from it', () => {
  const m = meshAt(new Scene().put(5, 5, 5, Block.Stone).put(6, 5, 5, Block.Ladder).lit());
  const [ladder] = quads(m, m.solid, m.holes);
  assert.equal(ladder.face, 5);
  assert.ok(ladder.corners.every((c) => c.x === 6 + 1 / 16));
});

test('water: flat where all are sources, sloping where it flows, hidden inside', () => {
  const scene = new Scene().floor(1, 4, Block.Stone).floor(1, 5, Block.Water).floor(1, 6, Block.Water);
  const lake = meshAt(scene.lit());
  const surface = quads(lake, lake.solid + lake.holes, lake.water);
  assert.ok(surface.every((q) => q.face === 1 && q.corners.every((c) => c.y === 6 + 14 / 16)));
  const flow = meshAt(new Scene().floor(1, 4, Block.Stone).put(5, 5, 5, Block.Water).put(6, 5, 5, Block.Water4).put(7, 5, 5, Block.Water1).lit());
  const top = quads(flow, flow.solid + flow.holes, flow.water).filter((q) => q.face === 1);
  const height = (x: number): number => Math.max(...top.flatMap((q) => q.corners).filter((c) => c.x === x).map((c) => c.y));
  assert.ok(height(5) > height(7) && height(7) > height(8));
});

test('a level surface of water is joined to few quads', () => {
  const m = meshAt(new Scene().floor(1, 4, Block.Stone).floor(1, 5, Block.Water).lit());
  assert.ok(m.water <= 32, `${m.water} quads`);
});

test('what sees what: air sees all, a wall parts, a tunnel joins its ends', () => {
  const solid = new Scene();
  for (let y = 0; y < 32; y++) solid.floor(1, y, Block.Stone);
  assert.equal(meshAt(solid.lit()).sees, 0);
  for (let x = 0; x < 32; x++) for (const z of [10, 11]) solid.put(x, 10, z, Block.Air);
  assert.equal(meshAt(solid.lit()).sees, pairBit(4, 5));
  const wall = new Scene();
  for (let y = 0; y < 32; y++) for (let z = 0; z < 32; z++) wall.put(16, y, z, Block.Stone);
  const sees = meshAt(wall.lit()).sees;
  assert.equal(sees & pairBit(4, 5), 0);
  assert.notEqual(sees & pairBit(4, 1), 0);
  assert.equal(meshAt(new Scene().put(1, 1, 1, Block.Stone).lit()).sees, ALL_SEE);
});

test('a chunk of one opaque block among its like has no mesh', () => {
  const scene = new Scene();
  for (let y = 0; y < 96; y++) scene.floor(1, y, Block.Stone);
  const m = meshAt(scene.lit(), 0, 1, 0);
  assert.equal(m.data.length, 0);
});
