// The models by name, a table of boxes for each. A mob of a content pack names one;
// a new model is a new entry here.

import { box, legs, type Model, onHead, pair, person } from './models';
import { Skin } from './textures/skins';

const dark = 0x2b2622;
const pink = 0xe0a39a;

/** a bird, low and broad as a duck or high and slim as a hen: feathers, head, beak and feet, ring or comb */
const bird = (low: boolean): Model['parts'] => {
  const [y, head, neck] = low ? [26, 42, -20] : [38, 54, -16];
  return [
    box('body', [0, y, 2], [0, 0, 0], [28, low ? 24 : 30, 42], Skin.Feathers),
    box('body', [0, y + 14, 24], [0, 0, 0], [16, 14, 8], Skin.Feathers),
    box('head', [0, head, neck], [0, 12, -3], [18, 24, 16], [Skin.First, Skin.Bird, Skin.First], low ? 1 : 0),
    box('head', [0, head, neck], low ? [0, 11, -17] : [0, 13, -15], low ? [16, 5, 14] : [10, 8, 10], Skin.First, 2),
    ...(low ? [box('head', [0, head, neck], [0, -1, -3], [19, 4, 17], Skin.First, 3)]
      : [box('head', [0, head, neck], [0, 26, -3], [5, 7, 12], Skin.First, 3), box('head', [0, head, neck], [0, 5, -13], [5, 8, 5], Skin.First, 3)]),
    ...pair('wingR', 'wingL', [14, y + 12, 1], [2, -11, 0], [4, 21, 29], Skin.Feathers),
    ...pair('legR', 'legL', [7, y - 12, 2], [0, -(y - 12) / 2, 0], [5, y - 12, 5], Skin.First, 2),
    ...pair('legR', 'legL', [7, y - 12, 2], [0, 13.5 - y, -4], [9, 3, 12], Skin.First, 2),
  ];
};

/** what goes on four paws with a long muzzle; a fox has dark legs and a light muzzle */
const dog = (k: number, muzzle: number): Model['parts'] => [
  box('body', [0, 56 * k, 14], [0, 0, 0], [32 * k, 32 * k, 66 * k], Skin.Fur),
  box('body', [0, 58 * k, -20 * k], [0, 0, 0], [40 * k, 38 * k, 28 * k], Skin.Fur),
  box('head', [0, 70 * k, -32 * k], [0, 6, -10 * k], [32 * k, 30 * k, 26 * k], [Skin.Beast, Skin.Fur, Skin.Fur]),
  box('head', [0, 70 * k, -32 * k], [0, -2, -30 * k], [15 * k, 13 * k, 16 * k], Skin.Fur, muzzle),
  box('head', [0, 70 * k, -32 * k], [0, 3, -38.5 * k], [7 * k, 6 * k, 3], Skin.First, 2),
  ...onHead([0, 70 * k, -32 * k], [10 * k, 24 * k, -6 * k], [9 * k, 14 * k, 5], Skin.Fur, muzzle === 1 ? 2 : 0),
  ...legs(10 * k, 40 * k, -20 * k, 42 * k, 12 * k, Skin.Fur, muzzle === 1 ? 2 : 0),
];

export const MODELS: Record<string, Model> = {
  player: {
    parts: person([Skin.Face, Skin.HeadSide, Skin.Second], [Skin.Shirt, Skin.Shirt, Skin.First], [Skin.Sleeve, Skin.Sleeve, Skin.First], [Skin.Trousers, Skin.Trousers, Skin.Second]),
    halfWidth: 0.3, height: 1.8, pace: 3.1, upright: true, colours: [],
  },
  sheep: {
    parts: [
      box('body', [0, 40, 0], [0, 30, 6], [68, 60, 98], Skin.Wool),
      box('head', [0, 86, -44], [0, 8, -16], [38, 40, 46], [Skin.SheepFace, Skin.SheepLeg, Skin.Wool]),
      ...legs(20, 36, -28, 42, 18, Skin.SheepLeg),
    ],
    halfWidth: 0.45, height: 1.3, pace: 5,
    colours: [0xf0ece2, 0xf0ece2, 0xe6dfd0, 0xd9cdb8, 0x6b5d50].map((c) => [c, 0x5c5048]),
  },
  cow: {
    parts: [
      box('body', [0, 86, 4], [0, 0, 0], [66, 62, 106], Skin.Patches),
      box('body', [0, 53, 26], [0, 0, 0], [30, 8, 30], Skin.First, 2),
      box('head', [0, 108, -50], [0, 4, -14], [40, 40, 36], [Skin.Beast, Skin.Fur, Skin.Patches]),
      box('head', [0, 108, -50], [0, -9, -35], [34, 18, 10], Skin.Snout, 2),
      ...onHead([0, 108, -50], [21, 24, -12], [6, 14, 6], Skin.First, 3),
      ...onHead([0, 108, -50], [27, 10, -10], [14, 8, 5], Skin.Fur),
      box('tail', [0, 108, 56], [0, -24, 2], [6, 48, 6], Skin.Fur),
      box('tail', [0, 108, 56], [0, -50, 2], [10, 12, 10], Skin.First, 1),
      ...legs(22, 44, -36, 56, 20, Skin.Fur),
    ],
    halfWidth: 0.45, height: 1.4, pace: 4,
    colours: [[0x5d4332, 0xe6e0d5, pink, 0xd8cdb4], [0x35302d, 0xe9e5dd, pink, 0xd8cdb4], [0x8b5a35, 0x6d452a, pink, 0xd8cdb4]],
  },
  pig: {
    parts: [
      box('body', [0, 50, 4], [0, 0, 0], [56, 46, 84], Skin.Fur),
      box('head', [0, 56, -38], [0, 4, -12], [42, 38, 34], [Skin.Beast, Skin.Fur, Skin.Fur]),
      box('head', [0, 56, -38], [0, -4, -33], [22, 16, 9], Skin.Snout, 1),
      ...onHead([0, 56, -38], [17, 24, -14], [12, 12, 5], Skin.Fur, 1),
      box('tail', [0, 62, 46], [0, 0, 4], [5, 5, 9], Skin.Fur, 1),
      ...legs(17, 34, -26, 30, 17, Skin.Fur),
    ],
    halfWidth: 0.42, height: 0.95, pace: 6,
    colours: [[0xe7a9a0, 0xcb8079], [0xe7a9a0, 0xcb8079], [0xd79a86, 0x9c5f52], [0x6a5750, 0xb98078]],
  },
  chicken: {
    parts: bird(false), halfWidth: 0.22, height: 0.75, pace: 9,
    colours: [[0xf4f1ea, dark, 0xe8b23c, 0xcf3a32], [0xa8693a, dark, 0xe0a838, 0xc2332c], [0x4a443f, dark, 0xe0a838, 0xc2332c]],
  },
  duck: {
    parts: bird(true), halfWidth: 0.22, height: 0.65, pace: 9,
    colours: [[0x9c8466, 0x2f6d49, 0xe59a2e, 0xf1ede4], [0xa98c66, 0x8a6d4a, 0xd08a2c, 0x8a6d4a], [0xf2efe8, 0xf2efe8, 0xe59a2e, 0xf2efe8]],
  },
  rabbit: {
    parts: [
      box('body', [0, 20, 6], [0, 0, 0], [23, 22, 34], Skin.Fur),
      box('head', [0, 30, -10], [0, 6, -8], [20, 18, 20], [Skin.Beast, Skin.Fur, Skin.Fur]),
      ...onHead([0, 30, -10], [5.5, 26, -4], [6, 24, 4], [Skin.First, Skin.Fur, Skin.Fur], 0),
      box('head', [0, 30, -10], [0, 3, -18.5], [5, 4, 2], Skin.First, 1),
      box('body', [0, 22, 25], [0, 0, 0], [10, 10, 8], Skin.Fur, 2),
      ...pair('legR', 'legL', [9, 12, 14], [0, -6, -3], [8, 12, 20], Skin.Fur),
      ...pair('legFR', 'legFL', [7, 14, -7], [0, -7, -1], [6, 14, 8], Skin.Fur),
    ],
    halfWidth: 0.22, height: 0.55, pace: 5, hop: 0.22,
    colours: [[0xa5825c, 0xd39a94, 0xf0ece4], [0x8b8580, 0xd39a94, 0xe8e5e0], [0xefebe4, 0xdf9c98, 0xffffff], [0x4b423c, 0xb98078, 0xd8d2ca]],
  },
  wolf: {
    parts: [...dog(1, 3), box('tail', [0, 66, 46], [0, -20, 0], [11, 42, 11], Skin.Fur, 0, 1, [0.55, 0, 0])],
    halfWidth: 0.33, height: 0.95, pace: 4.5,
    colours: [[0x9a958e, 0xd8d3ca, dark, 0xc9c3b8], [0x6f6a65, 0xb8b2a8, dark, 0xa39d94]],
  },
  fox: {
    parts: [
      ...dog(0.72, 1), box('tail', [0, 46, 36], [0, -18, 0], [16, 34, 16], Skin.Fur, 0, 1, [0.95, 0, 0]),
      box('tail', [0, 46, 36], [0, -40, 0], [14, 12, 14], Skin.Fur, 1, 1, [0.95, 0, 0]),
    ],
    halfWidth: 0.28, height: 0.7, pace: 6,
    colours: [[0xd8752d, 0xf2ede3, 0x33291f], [0xc9642a, 0xf2ede3, 0x33291f]],
  },
  goat: {
    parts: [
      box('body', [0, 70, 6], [0, 0, 0], [44, 48, 80], Skin.Fur),
      box('head', [0, 92, -32], [0, 10, -12], [26, 34, 28], [Skin.Beast, Skin.Fur, Skin.Fur]),
      box('head', [0, 92, -32], [0, 2, -29], [18, 18, 10], Skin.Snout, 1),
      box('head', [0, 92, -32], [0, -14, -24], [7, 16, 6], Skin.Fur, 1),
      ...onHead([0, 92, -32], [8, 33, -10], [6, 16, 8], Skin.Fur, 2),
      ...onHead([0, 92, -32], [9, 42, -2], [6, 7, 16], Skin.Fur, 2),
      ...onHead([0, 92, -32], [19, 16, -6], [13, 6, 5], Skin.Fur),
      box('tail', [0, 88, 46], [0, 4, 3], [9, 14, 6], Skin.Fur),
      ...legs(14, 36, -24, 48, 14, Skin.Fur, 1),
    ],
    halfWidth: 0.4, height: 1.25, pace: 4.5,
    colours: [[0xe2dccf, 0xbfb5a3, 0x5b5148], [0x7a6450, 0x4d3f33, 0x3b342e], [0xcfc8bb, 0x6b5d50, 0x4b443c]],
  },
  deer: {
    parts: [
      box('body', [0, 90, 6], [0, 0, 0], [40, 42, 90], Skin.Fur),
      box('head', [0, 104, -34], [0, 16, -6], [19, 46, 21], Skin.Fur, 0, 1),
      box('head', [0, 104, -34], [0, 42, -16], [24, 24, 26], [Skin.Beast, Skin.Fur, Skin.Fur]),
      box('head', [0, 104, -34], [0, 37, -33], [14, 13, 14], Skin.Fur, 1),
      box('head', [0, 104, -34], [0, 40, -40.5], [7, 6, 3], Skin.First, 2),
      ...onHead([0, 104, -34], [16, 52, -8], [14, 8, 4], Skin.Fur),
      ...onHead([0, 104, -34], [9, 68, -8], [4, 30, 4], Skin.First, 3),
      ...onHead([0, 104, -34], [16, 72, -8], [14, 4, 4], Skin.First, 3),
      ...onHead([0, 104, -34], [21, 80, -8], [4, 16, 4], Skin.First, 3),
      box('tail', [0, 104, 51], [0, 0, 3], [10, 14, 6], Skin.Fur, 1),
      ...legs(13, 40, -28, 72, 12, Skin.Fur),
    ],
    halfWidth: 0.4, height: 1.5, pace: 3.4,
    colours: [[0x9c6a3f, 0xe9dcc6, dark, 0xcbb894], [0x865a36, 0xddcdb4, dark, 0xbfa984]],
  },
  stalker: {
    parts: [
      box('head', [0, 150, 0], [0, 20, -4], [42, 40, 42], [Skin.StalkerFace, Skin.Shadow, Skin.Shadow]),
      box('body', [0, 85, 0], [0, 34, 0], [38, 68, 20], Skin.Shadow),
      ...pair('armR', 'armL', [27, 146, 0], [0, -46, 0], [14, 100, 14], Skin.Shadow),
      ...pair('legR', 'legL', [10, 86, 0], [0, -43, 0], [15, 86, 15], Skin.Shadow),
    ],
    halfWidth: 0.35, height: 1.95, pace: 3.1, upright: true, reach: 0.5, colours: [[0x1d1a26, 0xff5a3c]],
  },
  walker: {
    parts: person([Skin.RottenFace, Skin.Rotten, Skin.Rotten], Skin.Shirt, Skin.Rotten, Skin.Rotten),
    halfWidth: 0.3, height: 1.85, pace: 3.1, upright: true, reach: 1.3,
    colours: [[0x7c9a63, 0x5b6f48, 0x3f6672, 0x39384f, 0x2d2a33], [0x8a9a74, 0x64704c, 0x6b4a3a, 0x4a4238, 0x2d2a33]],
  },
  archer: {
    parts: [
      box('head', [0, 140, 0], [0, 21, 0], [42, 42, 42], [Skin.Skull, Skin.First, Skin.First]),
      box('body', [0, 78, 0], [0, 31, 0], [40, 60, 20], [Skin.Ribs, Skin.Ribs, Skin.First]),
      ...pair('armR', 'armL', [25, 134, 0], [0, -30, 0], [10, 66, 10], Skin.First),
      ...pair('legR', 'legL', [10, 78, 0], [0, -39, 0], [11, 78, 11], Skin.First),
      box('body', [0, 78, 0], [-8, 34, 14], [14, 44, 9], Skin.Fur, 1),
    ],
    halfWidth: 0.3, height: 1.85, pace: 3.1, upright: true, reach: 0.9, colours: [[0xd9d5c6, 0x6b4f33], [0xc8c2ae, 0x54422e]],
  },
  spider: {
    parts: [
      box('body', [0, 44, 34], [0, 0, 0], [70, 50, 72], Skin.Rotten),
      box('body', [0, 38, -10], [0, 0, 0], [42, 34, 38], Skin.Shadow),
      box('head', [0, 40, -28], [0, 0, -14], [44, 38, 30], [Skin.SpiderFace, Skin.Shadow, Skin.Shadow], 0, 2),
      ...[0.75, 0.28, -0.22, -0.7].flatMap((turn, i) => pair('crawlR', 'crawlL', [18, 40, 6 - i * 9], [37, 0, 0], [74, 8, 8], Skin.Shadow, 0, 1, [0, -turn, -0.5])),
    ],
    halfWidth: 0.65, height: 0.8, pace: 6, colours: [[0x3a3330, 0x6b2f2a, 0xff4a38], [0x33363a, 0x5a5142, 0xff4a38]],
  },
  slime: {
    parts: [box('jelly', [0, 0, 0], [0, 40, 0], [84, 80, 84], [Skin.SlimeFace, Skin.Slime, Skin.Slime])],
    halfWidth: 0.42, height: 0.8, pace: 3, hop: 0.35, colours: [[0x6fbf5a, 0], [0x5aa9b8, 0], [0xb88fd0, 0]],
  },
  bat: {
    parts: [
      box('body', [0, 34, 0], [0, 0, 0], [20, 30, 15], Skin.Fur),
      box('head', [0, 46, -2], [0, 9, -2], [20, 18, 18], [Skin.Beast, Skin.Fur, Skin.Fur]),
      ...onHead([0, 46, -2], [7, 24, 0], [8, 15, 3], Skin.Fur),
      ...pair('wingR', 'wingL', [9, 42, 2], [33, -2, 0], [66, 32, 2], Skin.Wing, 0, 1),
      ...pair('legR', 'legL', [5, 20, 0], [0, -4, 0], [4, 8, 4], Skin.Fur),
    ],
    halfWidth: 0.3, height: 0.65, pace: 3, flies: true, colours: [[0x5a463b, 0x7a564a], [0x3f3a40, 0x5a4a56]],
  },
  burster: {
    parts: [
      box('jelly', [0, 24, 0], [0, 38, 0], [62, 72, 62], Skin.Cracked),
      box('head', [0, 92, 0], [0, 16, -8], [38, 34, 38], [Skin.Skull, Skin.Scales, Skin.Scales]),
      box('jelly', [0, 24, 0], [0, 78, 8], [26, 12, 26], Skin.Cracked),
      ...legs(22, 18, -18, 26, 18, Skin.Scales),
    ],
    halfWidth: 0.32, height: 1.3, pace: 5, colours: [[0x5f7a4a, 0xffa22e], [0x77684a, 0xff8a2e]],
  },
  diver: {
    parts: [
      ...person([Skin.RottenFace, Skin.Scales, Skin.Scales], Skin.Scales, Skin.Scales, Skin.Scales, 18),
      box('head', [0, 137, 0], [0, 48, 4], [4, 18, 40], Skin.Wing),
      ...onHead([0, 137, 0], [25, 22, 6], [5, 22, 22], Skin.Wing),
      ...pair('legR', 'legL', [11.5, 70, 0], [0, -67, -14], [26, 5, 34], Skin.Wing),
      box('body', [0, 70, 0], [0, 36, 18], [4, 52, 14], Skin.Wing),
    ],
    halfWidth: 0.3, height: 1.85, pace: 3.1, upright: true, reach: 0.7,
    colours: [[0x4f938c, 0x2f6b6f, 0x42827c, 0x3a706c, 0x2f6b6f], [0x5a86a0, 0x34587c, 0x4a7590, 0x3d6480, 0x34587c]],
  },
  fish: {
    parts: [
      box('wave', [0, 18, -2], [0, 0, 0], [12, 22, 44], Skin.Scales),
      box('wave', [0, 18, -28], [0, 0, 0], [11, 17, 12], [Skin.Second, Skin.Bird, Skin.Scales]),
      box('tail', [0, 18, 19], [0, 0, 8], [9, 15, 16], Skin.Scales),
      box('tail', [0, 18, 19], [0, 0, 21], [2, 24, 14], Skin.Wing),
      box('wave', [0, 32, 0], [0, 0, 0], [2, 8, 16], Skin.Wing),
      ...pair('wingR', 'wingL', [6, 11, -12], [5, -2, 3], [10, 2, 9], Skin.Wing),
    ],
    halfWidth: 0.25, height: 0.4, pace: 6, colours: [[0xc9695c, 0x8f4a44], [0x8fa0a8, 0xb0574e], [0x6f8a6a, 0x4f6650]],
  },
  bird: {
    parts: [
      box('body', [0, 22, 2], [0, 0, 0], [16, 16, 30], Skin.Feathers, 0, 1, [-0.25, 0, 0]),
      box('body', [0, 18, 22], [0, 0, 0], [12, 4, 20], Skin.Feathers),
      box('head', [0, 30, -10], [0, 6, -4], [14, 14, 14], [Skin.First, Skin.Bird, Skin.First]),
      box('head', [0, 30, -10], [0, 5, -15], [5, 5, 11], Skin.First, 1),
      ...pair('wingR', 'wingL', [8, 27, 2], [20, 0, 2], [40, 3, 20], Skin.Feathers),
      ...pair('legR', 'legL', [4, 14, 2], [0, -7, 0], [3, 14, 3], Skin.First, 1),
    ],
    halfWidth: 0.22, height: 0.45, pace: 8, flies: true, colours: [[0x2c2b33, 0x4a4a50], [0x35333a, 0x55504a]],
  },
  burrower: {
    parts: [
      box('head', [0, 18, -34], [0, 0, -8], [36, 30, 28], [Skin.SpiderFace, Skin.Scales, Skin.Scales], 0, 2),
      ...onHead([0, 18, -34], [12, -6, -28], [6, 7, 18], Skin.First, 1),
      ...[[40, 32, -12], [44, 34, 12], [38, 28, 35], [28, 22, 54], [16, 14, 69]].map(([w, h, z]) => box('wave', [0, h / 2 + 2, z], [0, 0, 0], [w, h, 24], Skin.Scales, 0)),
    ],
    halfWidth: 0.4, height: 0.45, pace: 6, colours: [[0x8a6f52, 0x3a2d22, 0xffc04a], [0x6f6a62, 0x2d2926, 0xff7a4a]],
  },
  brute: {
    parts: [
      box('head', [0, 206, -14], [0, 16, -8], [42, 44, 42], [Skin.StalkerFace, Skin.Shadow, Skin.Shadow], 0, 2),
      box('body', [0, 92, 0], [0, 82, 0], [106, 70, 58], Skin.Patches),
      box('body', [0, 92, 0], [0, 24, 0], [66, 50, 44], Skin.Patches),
      ...pair('armR', 'armL', [68, 200, 0], [0, -70, 0], [32, 150, 34], Skin.Patches),
      ...pair('legR', 'legL', [22, 92, 0], [0, -46, 0], [32, 92, 36], Skin.Patches),
    ],
    halfWidth: 0.6, height: 2.5, pace: 2.2, upright: true, colours: [[0x8b8983, 0x5f7d45, 0xffb03a], [0x9a8a74, 0x6b6f4a, 0xffb03a]],
  },
  item: { parts: [], halfWidth: 0.125, height: 0.25, pace: 0, colours: [[0, 0]] },
};

/** the models of what hurts players by itself */
export const HOSTILE = new Set(['stalker', 'walker', 'archer', 'spider', 'slime', 'bat', 'burster', 'diver', 'burrower', 'brute']);

/** modelOf is a model by its name, or what an unknown one is drawn like. */
export const modelOf = (name: string): Model => MODELS[name] ?? MODELS.sheep;
