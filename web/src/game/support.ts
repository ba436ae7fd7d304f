// What blocks need underneath or beside them (internal/game/world/support.go), so that
// nothing is shown for a moment that the node will not allow.
import { Block } from '../gen/blocks';
import { type BlockSource, info } from './physics/blocks';
import { ONE } from './physics/num';

/** Whether a block at a place has what it needs. What is not loaded supports everything. */
export function supported(w: BlockSource, x: number, y: number, z: number, block: number): boolean {
  const need = info(block).support;
  if (need === 'none') return true;
  const { class: kind, facing = 0 } = info(block);
  if (kind === 'sign' && facing > 3) {
    const [dx, dz] = sides[facing & 3]!;
    return fullSolid(w.block(x - dx, y, z - dz));
  }
  if (need === 'wall') return sides.some(([dx, dz]) => fullSolid(w.block(x + dx, y, z + dz)));
  const under = w.block(x, y - 1, z);
  if (under < 0) return true;
  switch (need) {
    case 'ground':
      return fullSolid(under);
    case 'soil':
      return under === Block.Grass || under === Block.SnowyGrass || under === Block.Dirt;
    case 'sand':
      return under === Block.Sand || under === block;
    case 'shore':
      return under === Block.Grass || under === Block.Dirt || under === Block.Sand || under === Block.Clay || under === block;
    case 'dark':
      return info(under).opaque;
    case 'field':
      return info(under).fertile === true;
  }
}

const sides = [[0, -1], [0, 1], [-1, 0], [1, 0]] as const;

/** A whole solid block that others can stand on and hang at; so is what is not loaded. */
export function fullSolid(block: number): boolean {
  const b = info(block);
  return block < 0 || (b.solid && b.tall === ONE && ((b.octants ?? 0xf0) & 0xf0) === 0xf0 && b.class !== 'cactus' && b.class !== 'fence' && b.door === undefined);
}
