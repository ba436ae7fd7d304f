// The block table as flat arrays, for the inner loops of light and meshing.

import { blocks, BLOCK_COUNT, Block, textureNames, type BlockClass } from '../gen/blocks';

/** How the mesher treats a block. */
export const enum Kind {
  Air,
  Opaque,
  Cutout,
  Glass,
  Cross,
  Fluid,
  Slab,
  Ladder,
  Cactus,
  Gate,
  Fence,
  /** a few boxes, see forms.ts */
  Form,
}

const kindOf: Record<BlockClass, Kind> = {
  air: Kind.Air,
  cube: Kind.Opaque,
  cutout: Kind.Cutout,
  glass: Kind.Glass,
  cross: Kind.Cross,
  fluid: Kind.Fluid,
  torch: Kind.Form,
  slab: Kind.Slab,
  ladder: Kind.Ladder,
  cactus: Kind.Cactus,
  door: Kind.Form,
  trapdoor: Kind.Form,
  gate: Kind.Gate,
  fence: Kind.Fence,
  bed: Kind.Form,
  upper_slab: Kind.Form,
  stairs: Kind.Form,
  sign: Kind.Form,
  thing: Kind.Air,
};

/** ids are below; what a table has for each block is so long */
export const IDS = Math.max(256, BLOCK_COUNT);

export const KIND = new Uint8Array(IDS);
/** 1: hides the faces of neighbours and stops light */
export const OPAQUE = new Uint8Array(IDS);
/** what light loses on its way into a block, 15 for opaque ones */
export const COST = new Uint8Array(IDS);
/** light that a block gives, 0 to 15 */
export const EMIT = new Uint8Array(IDS);
/** fluid level in eighths, 0 for what is no fluid */
export const FLUID = new Uint8Array(IDS);
/** 1: darkens the corners of faces beside it */
export const OCCLUDES = new Uint8Array(IDS);
/** 1: something a ladder leans on */
export const SOLID = new Uint8Array(IDS);
/** 1: earth that something covers from above, as grass */
export const COVERED = new Uint8Array(IDS);
/** layer in the texture array of each face: block*6 + face (0 −y, 1 +y, 2 −z, 3 +z, 4 −x, 5 +x) */
export const LAYER = new Uint16Array(IDS * 6);
/** layer of a block's picture, or of its sides */
export const PICTURE = new Uint16Array(IDS);
/** the classes whose bottom is the picture of the whole */
const PICTURED = new Set<BlockClass>(['door', 'gate', 'fence', 'bed', 'sign']);

/** layerOf is a texture's layer in the array. */
export function layerOf(name: string): number {
  return Math.max(0, textureNames.indexOf(name));
}

for (let id = 0; id < IDS; id++) {
  // An id of a newer table than ours is drawn as the toughest thing we know.
  const b = blocks[id] ?? blocks[Block.Bedrock];
  KIND[id] = kindOf[b.class];
  if (KIND[id] === Kind.Opaque && !b.opaque) KIND[id] = Kind.Glass;
  OPAQUE[id] = b.opaque ? 1 : 0;
  COST[id] = b.opaque ? 15 : Math.max(1, b.dim);
  EMIT[id] = b.light;
  FLUID[id] = b.fluid;
  OCCLUDES[id] = b.opaque || b.class === 'cutout' ? 1 : 0;
  SOLID[id] = b.solid ? 1 : 0;
  COVERED[id] = b.opaque && b.bottom === 'dirt' && b.top !== 'dirt' ? 1 : 0;
  const pictured = PICTURED.has(b.class);
  PICTURE[id] = layerOf(pictured ? b.bottom : b.side);
  for (let face = 0; face < 6; face++) {
    LAYER[id * 6 + face] = layerOf(face === 0 && !pictured ? b.bottom : face === 1 ? b.top : b.side);
  }
}

/** the classes that are shown as a picture in a slot and on the ground */
const FLAT = new Set<BlockClass>(['cross', 'ladder', 'door', 'trapdoor', 'gate', 'fence', 'bed', 'sign', 'thing']);

/** flat tells whether a block is shown as a picture instead of a cube. */
export const flat = (b: number): boolean => FLAT.has(blocks[b]?.class ?? 'cube');

/** clearSky tells whether sunlight falls through a block at full strength. */
export function clearSky(b: number): boolean {
  return OPAQUE[b] === 0 && blocks[b]?.dim === 0;
}
