// Blocks that are a few boxes: what the mesher draws of them and what can be aimed at.

import { blocks, type BlockInfo } from '../gen/blocks';

/** A box within its cell: low and high corner in 1/16 m. */
export type Box16 = readonly [number, number, number, number, number, number];

/** a door's panel by its bits: open, along z */
const PANELS: Box16[] = [[0, 0, 7, 16, 16, 9], [0, 0, 0, 2, 16, 16], [7, 0, 0, 9, 16, 16], [0, 0, 0, 16, 16, 2]];

/** a trapdoor's lid, by the same bits */
const LIDS: Box16[] = [[0, 13, 0, 16, 16, 16], [0, 0, 0, 16, 16, 3], [0, 13, 0, 16, 16, 16], [0, 0, 0, 3, 16, 16]];

const swapped = (b: Box16, turned: boolean): Box16 => (turned ? [b[2], b[1], b[0], b[5], b[4], b[3]] : b);

/** the parts of a gate, by the same bits: posts, and leaves of two rails and a bar */
const GATES = [0, 1, 2, 3].map((is) => {
  const leaf = (x: number): Box16[] => (is & 1
    ? [[x, 6, 9, x + 2, 9, 16], [x, 12, 9, x + 2, 15, 16], [x, 9, 14, x + 2, 12, 16]]
    : [[2, 6, 7, 14, 9, 9], [2, 12, 7, 14, 15, 9], [6, 9, 7, 10, 12, 9]]);
  return ([[0, 5, 7, 2, 16, 9], [14, 5, 7, 16, 16, 9], ...leaf(0), ...(is & 1 ? leaf(14) : [])] as Box16[]).map((b) => swapped(b, is > 1));
});

/** the half of a cell toward a direction, between two heights */
const half = (way: number, low: number, high: number): Box16 => {
  const from = way & 1 ? 8 : 0;
  return swapped([0, low, from, 16, high, from + 8], way > 1);
};

function stairs(is: number): Box16[] {
  const hangs = is > 3;
  return [[0, hangs ? 8 : 0, 0, 16, hangs ? 16 : 8, 16], half(is & 3, hangs ? 0 : 8, hangs ? 8 : 16)];
}

/** where the board of a sign begins and ends, in 1/16 m */
export const BOARD = { left: 1, right: 15, wall: [4, 13], post: [7, 16], thick: 2 } as const;

function sign(is: number): Box16[] {
  const { left, right, wall, post, thick } = BOARD;
  const turned = (is & 3) > 1;
  if (is < 4) return [swapped([left, post[0], 7, right, post[1], 7 + thick], turned), [7, 0, 7, 9, post[0], 9]];
  const from = is & 1 ? 0 : 16 - thick;
  return [swapped([left, wall[0], from, right, wall[1], from + thick], turned)];
}

function make(b: BlockInfo): readonly Box16[] | null {
  switch (b.class) {
    case 'door':
      return [PANELS[b.door! >> 1]!];
    case 'trapdoor':
      return [LIDS[b.door! >> 1]!];
    case 'gate':
      return GATES[b.door! >> 1]!;
    case 'bed':
      return [[0, 0, 0, 16, 9, 16]];
    case 'torch':
      return [[7, 0, 7, 9, 10, 9]];
    case 'upper_slab':
      return [[0, 8, 0, 16, 16, 16]];
    case 'stairs':
      return stairs(b.facing!);
    case 'sign':
      return sign(b.facing!);
    default:
      return null;
  }
}

const known: (readonly Box16[] | null)[] = [];

/** formOf is the boxes of a block that is made of boxes; null for others. */
export function formOf(id: number): readonly Box16[] | null {
  const b = blocks[id];
  return b ? (known[id] ??= make(b)) : null;
}
