// Skins of people, sheep and stalkers; those of other mobs are in hides.ts.

import { paintHides } from './hides';
import { first, grain, second, white } from './mix';
import { Tile, type Rgb } from './tile';

/** layers of the skin array */
export const enum Skin {
  First,
  Second,
  Face,
  HeadSide,
  Shirt,
  Sleeve,
  Trousers,
  Wool,
  SheepFace,
  SheepLeg,
  Shadow,
  StalkerFace,
  // from here on those of hides.ts
  Fur,
  Patches,
  Beast,
  Snout,
  Feathers,
  Bird,
  Ribs,
  Skull,
  Rotten,
  RottenFace,
  Scales,
  Slime,
  SlimeFace,
  Wing,
  Cracked,
  SpiderFace,
  // armour and fire
  Plate,
  Glow,
}

function plain(name: string, part: (v: number) => Rgb, amount: number): Tile {
  const t = new Tile(name);
  t.each((x, y) => part(grain(t, x, y, amount)));
  return t;
}

/** hairline is how far hair comes down at a column of the head. */
function hairline(t: Tile, x: number): number {
  return 4 + (t.random(x >> 1, 0, 2) < 0.4 ? 1 : 0) + (x < 2 || x > 13 ? 3 : 0);
}

function face(): Tile {
  const t = new Tile('face');
  t.each((x, y) => (y < hairline(t, x) ? second(grain(t, x, y, 0.22)) : first(grain(t, x, y, 0.07))));
  for (const x of [3, 10]) {
    t.rect(x, 8, 3, 2, white(0.96));
    t.rect(x + (x < 8 ? 1 : 0), 8, 2, 2, white(0.16));
    t.rect(x, 7, 3, 1, second(0.7));
  }
  t.rect(7, 10, 2, 2, first(0.86));
  t.rect(5, 13, 6, 1, first(0.62));
  return t;
}

function headSide(): Tile {
  const t = new Tile('head side');
  t.each((x, y) => (y < 9 + Math.round(t.random(x, 1, 2)) ? second(grain(t, x, y, 0.22)) : first(grain(t, x, y, 0.07))));
  t.rect(7, 8, 2, 3, first(0.88));
  return t;
}

function shirt(): Tile {
  const t = plain('shirt', first, 0.1);
  t.rect(6, 0, 4, 1, second(0.8));
  for (let y = 2; y < 16; y += 4) t.set(8, y, white(0.85));
  t.each((x, y) => (y > 13 ? second(grain(t, x, y, 0.2) * 0.7) : y === 13 ? first(0.7) : null));
  return t;
}

function sleeve(): Tile {
  const t = plain('sleeve', first, 0.1);
  t.each((x, y) => (y > 10 ? second(grain(t, x, y, 0.07)) : y === 10 ? first(0.72) : null));
  return t;
}

function trousers(): Tile {
  const t = plain('trousers', first, 0.12);
  t.each((x, y) => (y > 12 ? second(grain(t, x, y, 0.2)) : x === 0 || x === 15 ? first(0.82) : null));
  return t;
}

function wool(): Tile {
  const t = new Tile('fleece');
  t.each((x, y) => {
    const curl = Math.sin(x * 1.6 + Math.floor(y / 3) * 2) * 0.05 + ((y % 3) === 2 ? -0.1 : 0.02);
    return first(0.88 + curl + t.random(x, y) * 0.08);
  });
  return t;
}

function sheepFace(): Tile {
  const t = new Tile('sheep');
  t.each((x, y) => (y < 4 ? first(0.9 + t.random(x, y) * 0.1) : second(grain(t, x, y, 0.1))));
  for (const x of [2, 11]) {
    t.rect(x, 6, 3, 2, white(0.95));
    t.rect(x + (x < 8 ? 0 : 1), 6, 2, 2, white(0.1));
  }
  t.rect(5, 11, 6, 3, second(0.82));
  t.rect(6, 12, 1, 1, second(0.4)).rect(9, 12, 1, 1, second(0.4));
  return t;
}

function shadow(): Tile {
  const t = new Tile('shadow');
  t.each((x, y) => first(0.55 + t.cloud(x, y, 4) * 0.4 + t.random(x, y) * 0.12));
  return t;
}

function stalkerFace(): Tile {
  const t = shadow();
  for (const x of [2, 10]) {
    t.rect(x, 6, 4, 1, second(0.8), 255);
    t.rect(x + (x < 8 ? 1 : 0), 7, 3, 2, second(1), 255);
    t.rect(x + (x < 8 ? 2 : 1), 7, 1, 2, white(0.95), 255);
  }
  for (let x = 4; x < 12; x++) t.set(x, 12 + (x & 1), first(0.2));
  return t;
}

/** armour: plates with a darker edge, and rivets */
function plate(): Tile {
  const t = plain('plate', first, 0.12);
  t.each((x, y) => (x === 0 || y === 0 || x === 15 || y === 15 ? second(1.5) : y % 8 === 7 ? first(0.7) : y % 8 === 0 ? first(1) : null));
  for (const x of [3, 12]) for (const y of [3, 11]) t.set(x, y, white(0.75));
  return t;
}

/** lit lets shine what shows the second colour or is white, and nothing else. */
function lit(t: Tile, shines: boolean): Tile {
  for (let i = 0; i < t.data.length; i += 4) t.data[i + 3] = shines && (t.data[i + 1] > 0 || t.data[i + 2] > 100) ? 255 : 0;
  return t;
}

/** the layers that shine in the dark */
const SHINE = new Set<Skin>([Skin.StalkerFace, Skin.Cracked, Skin.SpiderFace, Skin.Glow]);

/** paintSkins draws the layers in the order of Skin. */
export function paintSkins(): Tile[] {
  return [
    plain('first', first, 0.1), plain('second', second, 0.18), face(), headSide(), shirt(), sleeve(),
    trousers(), wool(), sheepFace(), plain('leg', second, 0.15), shadow(), stalkerFace(), ...paintHides(),
    plate(), plain('glow', second, 0.1),
  ].map((t, layer) => lit(t, SHINE.has(layer)));
}
