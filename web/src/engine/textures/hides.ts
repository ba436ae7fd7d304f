// Skins of animals and monsters, painted as those of skins.ts are.

import { first, grain, second, white } from './mix';
import { Tile, type Rgb } from './tile';

type Paint = (t: Tile, x: number, y: number) => Rgb;

const hide = (name: string, paint: Paint, ...rows: ((t: Tile) => void)[]): Tile => {
  const t = new Tile(name);
  t.each((x, y) => paint(t, x, y));
  rows.forEach((row) => row(t));
  return t;
};

const fur: Paint = (t, x, y) => first(0.82 + (t.random(x, y >> 2, 1) - 0.5) * 0.2 + t.random(x, y) * 0.1);
const rotten: Paint = (t, x, y) => (t.cloud(x, y, 4) > 0.68 ? second(grain(t, x, y, 0.2)) : first(grain(t, x, y, 0.25)));
const scales: Paint = (t, x, y) => {
  const edge = (y & 3) === 3 || ((x + ((y >> 2) & 1) * 2) & 3) === 0;
  return first((edge ? 0.8 : 0.97) - t.random(x, y) * 0.1 - ((y & 3) === 2 ? 0.08 : 0));
};
const slime: Paint = (t, x, y) => {
  const rim = Math.min(x, y, 15 - x, 15 - y);
  return first((rim === 0 ? 0.68 : rim < 3 ? 0.85 : 1) - t.random(x, y) * 0.06);
};

/** eyes with white beside the pupil, which looks to the front */
const eyes = (y: number, wide = 3) => (t: Tile): void => {
  for (const left of [true, false]) {
    const x = left ? 2 : 14 - wide;
    t.rect(x, y, wide, 3, white(0.95)).rect(left ? x + 1 : x, y, wide - 1, 3, white(0.08)).set(left ? x + 1 : x + wide - 2, y, white(0.8));
  }
};
/** holes are dark rectangles: x, y, width, height */
const holes = (...all: [number, number, number, number][]) => (t: Tile): void => all.forEach(([x, y, w, h]) => t.rect(x, y, w, h, first(0.16)));

/** paintHides draws the layers from Skin.Fur on. */
export function paintHides(): Tile[] {
  const patch: Paint = (t, x, y) => (t.cloud(x, y, 8) + t.cloud(x, y, 4, 1) * 0.35 > 0.72 ? second(grain(t, x, y, 0.1)) : first(grain(t, x, y, 0.12)));
  const bone: Paint = (t, x, y) => first(grain(t, x, y, 0.14));
  return [
    hide('fur', fur),
    hide('patches', patch),
    hide('beast', fur, eyes(5), (t) => t.each((x, y) => (y > 12 ? second(grain(t, x, y, 0.1)) : null))),
    hide('snout', (t, x, y) => first(grain(t, x, y, 0.08)), holes([3, 5, 3, 4], [10, 5, 3, 4]), (t) => t.rect(2, 13, 12, 1, first(0.6))),
    hide('feathers', (t, x, y) => first((((y + (x & 2)) & 3) === 3 ? 0.78 : 0.96) - t.random(x, y) * 0.07)),
    hide('bird', (t, x, y) => first(grain(t, x, y, 0.06)), (t) => t.rect(4, 4, 4, 4, white(0.08)).set(5, 5, white(0.9))),
    hide('ribs', bone, (t) => t.each((x, y) => (x === 7 || x === 8 || y % 4 < 2 ? null : first(0.22)))),
    hide('skull', bone, holes([2, 5, 4, 4], [10, 5, 4, 4], [7, 9, 2, 2], [3, 12, 1, 3], [6, 12, 1, 3], [9, 12, 1, 3], [12, 12, 1, 3])),
    hide('rotten', rotten),
    hide('rotten face', rotten, holes([2, 6, 4, 3], [10, 6, 4, 3], [5, 11, 6, 2]), (t) => t.rect(4, 7, 1, 1, white(0.85)).rect(11, 7, 1, 1, white(0.85)).rect(6, 11, 1, 1, white(0.8)).rect(9, 12, 1, 1, white(0.8))),
    hide('scales', scales),
    hide('slime', slime),
    hide('slime face', slime, holes([3, 4, 3, 4], [10, 4, 3, 4], [6, 11, 4, 1], [5, 10, 1, 1], [10, 10, 1, 1]), (t) => t.rect(3, 4, 1, 1, white(0.9)).rect(10, 4, 1, 1, white(0.9))),
    hide('wing', (t, x, y) => (x % 5 === 0 || y === 0 ? first(0.75) : second(0.85 - t.random(x, y) * 0.15))),
    hide('cracked', (t, x, y) => (Math.abs(t.cloud(x, y, 4) - 0.5) < 0.055 ? second(1) : first(grain(t, x, y, 0.3)))),
    hide('spider face', (t, x, y) => first(0.7 - t.random(x, y) * 0.3), (t) => {
      for (const [x, y, n] of [[2, 5, 3], [11, 5, 3], [6, 3, 2], [9, 3, 2], [1, 9, 1], [14, 9, 1]]) t.rect(x, y, n, Math.min(n, 2), second(1));
      t.rect(5, 12, 2, 4, first(0.2)).rect(9, 12, 2, 4, first(0.2));
    }),
  ];
}
