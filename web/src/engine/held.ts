// How a block looks that is in a hand or lies on the ground.

import { Matrix4 } from 'three';
import { blocks } from '../gen/blocks';
import { EMIT, LAYER } from '../world/tables';
import type { Boxes } from './boxes';

/** flatInHand are the classes that are held as a picture instead of a cube. */
const flatInHand = new Set(['cross', 'ladder', 'torch', 'door', 'thing']);
const sized = new Matrix4();

/** heldFlat tells whether a block is held as a picture. */
export function heldFlat(block: number): boolean {
  return flatInHand.has(blocks[block]?.class ?? 'cube');
}

/** addHeld adds a block of a size at a place: a cube, or a thin picture of a plant. */
export function addHeld(boxes: Boxes, at: Matrix4, block: number, size: number, sky: number, lamp: number): void {
  const kind = blocks[block]?.class ?? 'cube';
  const side = LAYER[block * 6 + (kind === 'door' ? 0 : 2)];
  if (heldFlat(block)) sized.makeScale(size * 1.6, size * 1.6, 0.015).setPosition(0, size * 0.3, 0);
  else sized.makeScale(size, kind === 'slab' ? size / 2 : size, size);
  sized.premultiply(at);
  boxes.add(sized, [side, side, LAYER[block * 6 + 1]], 0, 0, sky, Math.max(lamp, EMIT[block] / 15));
}
