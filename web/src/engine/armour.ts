// What figures wear, and fire on them: boxes that move as the parts below them do.

import { Matrix4 } from 'three';
import { blocks } from '../gen/blocks';
import type { Boxes } from './boxes';
import { placePart, type Pose } from './figure';
import { box, pair, type Model, type Part } from './models';
import { Skin } from './textures/skins';

/** the parts of each piece, by what `armour` of a block says: head, body, legs, feet */
const PIECES: Part[][] = [
  [box('head', [0, 137, 0], [0, 37.5, 0], [51, 23, 51], Skin.Plate), box('head', [0, 137, 0], [0, 14, 8], [51, 26, 36], Skin.Plate),
    box('head', [0, 137, 0], [0, 20, -24], [6, 16, 4], Skin.Plate)],
  [box('body', [0, 70, 0], [0, 36, 0], [50, 63, 31], Skin.Plate), ...pair('armR', 'armL', [33, 130, 0], [0, -13, 0], [25, 42, 27], Skin.Plate)],
  [box('body', [0, 70, 0], [0, 5, 0], [49, 13, 29], Skin.Plate), ...pair('legR', 'legL', [11.5, 70, 0], [0, -25, 0], [24.5, 44, 26], Skin.Plate)],
  pair('legR', 'legL', [11.5, 70, 0], [0, -59, 0], [26, 24, 30], Skin.Plate),
];

const darker = (c: number): number => (c >> 1) & 0x7f7f7f;
const place = new Matrix4();

/** addWorn places what is worn over a figure. */
export function addWorn(to: Boxes, root: Matrix4, model: Model, pose: Pose, worn: readonly number[], sky: number, lamp: number, hurt: number): void {
  for (const item of worn) {
    const slot = blocks[item]?.armour?.[0];
    if (!slot) continue;
    const { color } = blocks[item];
    for (const part of PIECES[slot - 1]) {
      placePart(place, root, part, model, pose);
      to.add(place, part.skin, color, darker(color), sky, lamp, hurt);
    }
  }
}

const FLAMES = 40;
const FLAME_COLOURS = [0xffe27a, 0xffb02e, 0xf2701c, 0xb8300f];
const rise = new Matrix4();

/** addFlames places little cubes that rise around a body and shrink. */
export function addFlames(to: Boxes, at: { x: number; y: number; z: number }, width: number, height: number, time: number): void {
  for (let i = 0; i < FLAMES; i++) {
    const age = (time * 0.9 + i * 0.618) % 1;
    const turn = i * 2.4 + Math.floor(time * 0.9 + i * 0.618) * 1.7;
    const out = width * (0.55 + ((i * 7) % 5) * 0.13 - age * 0.3);
    const size = (0.03 + height * 0.045) * (1 - age * 0.8);
    rise.makeScale(size, size * 1.5, size).setPosition(at.x + Math.cos(turn) * out, at.y + 0.05 + age * height * 0.95, at.z + Math.sin(turn) * out);
    const colour = FLAME_COLOURS[Math.min(FLAME_COLOURS.length - 1, Math.floor(age * FLAME_COLOURS.length))];
    to.add(rise, [Skin.Glow, Skin.Glow, Skin.Glow], colour, colour, 1, 1);
  }
}
