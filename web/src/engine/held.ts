// How a block looks that is in a hand or lies on the ground.

import { Matrix4 } from 'three';
import { blocks } from '../gen/blocks';
import { EMIT, flat, LAYER, PICTURE } from '../world/tables';
import type { Boxes } from './boxes';

const sized = new Matrix4();

/** heldFlat tells whether a block is held as a picture. */
export function heldFlat(block: number): boolean {
  return flat(block) || blocks[block]?.class === 'torch';
}

/** addHeld adds a block of a size at a place: a cube, or a thin picture of a plant. */
export function addHeld(boxes: Boxes, at: Matrix4, block: number, size: number, sky: number, lamp: number): void {
  const kind = blocks[block]?.class ?? 'cube';
  const side = PICTURE[block];
  if (heldFlat(block)) sized.makeScale(size * 1.6, size * 1.6, 0.015).setPosition(0, size * 0.3, 0);
  else if (kind === 'stairs') sized.makeScale(size, size / 2, size).setPosition(0, -size / 4, 0);
  else sized.makeScale(size, kind === 'slab' ? size / 2 : size, size);
  const layers: [number, number, number] = [side, side, heldFlat(block) ? side : LAYER[block * 6 + 1]];
  const shine = Math.max(lamp, EMIT[block] / 15);
  boxes.add(sized.premultiply(at), layers, 0, 0, sky, shine);
  if (kind !== 'stairs') return;
  sized.makeScale(size, size / 2, size / 2).setPosition(0, size / 4, -size / 4);
  boxes.add(sized.premultiply(at), layers, 0, 0, sky, shine);
}
