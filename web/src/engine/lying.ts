// Items that lie in the world: small blocks that turn and float a little.

import { Matrix4 } from 'three';
import { blocks } from '../gen/blocks';
import type { Boxes } from './boxes';
import { addHeld } from './held';

const SIZE = 0.26;
/** seconds of a turn, and of a movement up and down */
const TURN = 5;
const BOB = 2.4;
const ORIGIN = new Matrix4();

/** A Lying is a stack on the ground as it is drawn. */
export interface Lying {
  block: number;
  count: number;
  /** from the eye, metres */
  x: number;
  y: number;
  z: number;
  sky: number;
  lamp: number;
}

/** shownOf is how many blocks a stack is drawn with: more of them look like more. */
export function shownOf(count: number): number {
  return count > 32 ? 3 : count > 1 ? 2 : 1;
}

/** addLying draws a stack; time in seconds, the same time for ever where nothing is to move. */
export function addLying(boxes: Boxes, s: Lying, time: number): void {
  const lift = SIZE / 2 + 0.06 + Math.sin((time * 2 * Math.PI) / BOB) * 0.04;
  const shown = blocks[s.block]?.tool ? 1 : shownOf(s.count);
  for (let i = 0; i < shown; i++) {
    ORIGIN.makeRotationY((time * 2 * Math.PI) / TURN + i * 0.5);
    ORIGIN.setPosition(s.x + i * 0.07, s.y + lift + i * 0.09, s.z - i * 0.06);
    addHeld(boxes, ORIGIN, s.block, SIZE, s.sky, s.lamp);
  }
}
