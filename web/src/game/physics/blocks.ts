import { Block, blocks, type BlockInfo } from '../../gen/blocks';

/** Where blocks are read from: the id, or −1 where nothing is loaded. */
export interface BlockSource {
  block(x: number, y: number, z: number): number;
}

const unknown: BlockInfo = { ...blocks[Block.Stone]!, id: -1, name: 'unknown', title: '?', hardness: -1, drop: 0, item: false };

/** The table's entry; what is not in the table is solid and cannot be broken. */
export const info = (id: number): BlockInfo => blocks[id] ?? unknown;

/** 8 for a source of water, 7 to 1 for flowing water, 0 for everything else and for what is not loaded. */
export const fluidLevel = (id: number): number => (id < 0 ? 0 : (blocks[id]?.fluid ?? 0));

/** How high the solid part is, in 1/4096 m; what is not loaded is a wall. */
export const solidHeight = (id: number): number => (id < 0 ? 4096 : info(id).tall);

/** Which eighths of its cell a block takes, if not all up to its height. */
export const octants = (id: number): number => (id < 0 ? 0 : (info(id).octants ?? 0));
