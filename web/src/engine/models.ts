// What figures are built of, and how the tables of beasts.ts are written.

export type At = [number, number, number];

/** What a box does as the figure moves, see placePart. */
export type Joint =
  | 'head' | 'body' | 'armR' | 'armL' | 'legR' | 'legL' | 'legFR' | 'legFL'
  | 'wingR' | 'wingL' | 'tail' | 'crawlR' | 'crawlL' | 'jelly' | 'wave';

/** A Part is a box that turns about a joint; metres, from the middle of the feet, front towards −z. */
export interface Part {
  name: Joint;
  joint: At;
  /** the box's middle from the joint, and its size */
  middle: At;
  size: At;
  /** layers of front, other sides, top */
  skin: readonly [number, number, number];
  /** which of the figure's colours are the box's two */
  colours: readonly [number, number];
  /** how it is turned at rest, radians */
  rest?: At;
}

export interface Model {
  parts: Part[];
  /** the box that is aimed at, and where a name stands, in metres */
  halfWidth: number;
  height: number;
  /** what one of it may be coloured like; a player's colours come from the name */
  colours: number[][];
  /** radians of stride for each metre */
  pace: number;
  /** it stands on two legs: it bends when it sneaks, and lies when it swims */
  upright?: boolean;
  /** how far its arms are raised, radians */
  reach?: number;
  /** metres that it leaps with each stride */
  hop?: number;
  /** its wings beat all the time */
  flies?: boolean;
}

type Skins = number | [number, number, number];

const metres = (cm: At): At => cm.map((v) => v / 100) as At;

/** a box; the tables have centimetres */
export const box = (name: Joint, joint: At, middle: At, size: At, skin: Skins, a = 0, b = 1, rest?: At): Part => ({
  name, joint: metres(joint), middle: metres(middle), size: metres(size), skin: typeof skin === 'number' ? [skin, skin, skin] : skin, colours: [a, b], rest,
});
/** two boxes, one the other's mirror image; the right one is given */
export const pair = (right: Joint, left: Joint, [x, y, z]: At, [mx, my, mz]: At, size: At, skin: Skins, a = 0, b = 1, rest?: At): Part[] => [
  box(right, [x, y, z], [mx, my, mz], size, skin, a, b, rest),
  box(left, [-x, y, z], [-mx, my, mz], size, skin, a, b, rest && [rest[0], -rest[1], -rest[2]]),
];
/** four legs of a height and a thickness: the hind ones at z, the front ones at zf */
export const legs = (x: number, z: number, zf: number, high: number, thick: number, skin: Skins, a = 0, b = 1): Part[] => [
  ...pair('legR', 'legL', [x, high, z], [0, -high / 2, 0], [thick, high, thick], skin, a, b),
  ...pair('legFR', 'legFL', [x, high, zf], [0, -high / 2, 0], [thick, high, thick], skin, a, b),
];
/** ears, horns and the like: a pair on the head */
export const onHead = (joint: At, middle: At, size: At, skin: Skins, a = 0, b = 1): Part[] =>
  [middle, [-middle[0], middle[1], middle[2]] as At].map((m) => box('head', joint, m, size, skin, a, b));

/** somebody upright: head, trunk, arms of a thickness and a length, legs */
export function person(head: Skins, trunk: Skins, arm: Skins, leg: Skins, thick = 20): Part[] {
  return [
    box('head', [0, 137, 0], [0, 23, 0], [46, 46, 46], head),
    box('body', [0, 70, 0], [0, 33.5, 0], [46, 67, 25], trunk, 2, 3),
    ...pair('armR', 'armL', [23 + thick / 2, 130, 0], [0, -27, 0], [thick, 67, thick + 2], arm, 2, 0),
    ...pair('legR', 'legL', [11.5, 70, 0], [0, -35, 0], [thick + 2, 70, thick + 3], leg, 3, 4),
  ];
}
