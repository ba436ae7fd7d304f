// What the node will allow (internal/game/world: act.go, dig.go, build.go), to show
// results before it has answered.
import { type BlockInfo, blocks } from '../gen/blocks';
import { Mode } from '../net/types';
import type { Stack } from './inventory';
import { type Body, bodyBox, human } from './physics/body';
import { info } from './physics/blocks';
import { type Box, boxAt, meets } from './physics/box';
import { ONE } from './physics/num';

const REACH = 5;
const REACH_CREATIVE = 6;
/** Ticks between two placed blocks, and between two blocks broken at once. */
export const PLACE_EVERY = 3;
export const BREAK_EVERY = 4;
export const HEIGHT = 256;

/** How far the hand reaches, in metres. */
export const reachOf = (mode: number): number => (mode === Mode.Creative ? REACH_CREATIVE : REACH);

/** Where the eyes are above the feet, in metres. */
export const eyeHeight = (sneaking: boolean): number => (sneaking ? human.sneakEye : human.eye) / ONE;

/** Ticks that breaking a block takes with something in the hand; null for what nobody can break. */
export function digTicks(block: number, mode: number, held: number): number | null {
  const hard = info(block).hardness;
  if (hard < 0 || mode === Mode.Spectator) return null;
  if (mode === Mode.Creative) return 0;
  const { tool } = info(held);
  return tool && tool[0] === info(block).dig?.[0] ? Math.ceil(hard / tool[2]) : hard;
}

/** The least tool without which nothing is left of a block; 0 if what is held will do. */
export function lackingTool(block: number, held: Stack): number {
  const { dig } = info(block);
  const does = (tool: BlockInfo['tool']): boolean => tool !== undefined && tool[0] === dig![0] && tool[1] >= dig![1];
  if (!dig || dig[1] === 0 || (held.count > 0 && does(info(held.block).tool))) return 0;
  return blocks.filter((b) => does(b.tool)).sort((a, b) => a.tool![1] - b.tool![1])[0]?.id ?? 0;
}

function blockBox(x: number, y: number, z: number, block: number): Box {
  return { x0: x * ONE, y0: y * ONE, z0: z * ONE, x1: (x + 1) * ONE, y1: y * ONE + info(block).tall, z1: (z + 1) * ONE };
}

/** Whether the own body, or one of the others (feet in metres), is where a block is to be. */
export function occupied(x: number, y: number, z: number, block: number, own: Body, others: Iterable<{ x: number; y: number; z: number }>): boolean {
  if (!info(block).solid) return false;
  const space = blockBox(x, y, z, block);
  if (meets(bodyBox(own), space)) return true;
  for (const o of others) {
    if (meets(boxAt(o.x * ONE, o.y * ONE, o.z * ONE, human.half, human.height), space)) return true;
  }
  return false;
}

/** Bits of what a half of a door is. */
export const UPPER = 1;
export const OPEN = 2;
const TURNED = 4;

/** Another block of what opens: bits of what it is are flipped. */
export function withDoor(block: number, flip: number): number {
  const { door = 0, class: kind } = info(block);
  const step = kind === 'door' ? 1 : 2;
  return block + ((door ^ flip) - door) / step;
}

/** Where the other half of a bed is from one of them, and what it is. */
export function otherBed(block: number): { dx: number; dz: number; block: number } {
  const { bed = 0 } = info(block);
  const [dx, dz] = ([[0, -1], [0, 1], [-1, 0], [1, 0]] as const)[bed >> 1]!;
  const way = bed & 1 ? -1 : 1;
  return { dx: dx * way, dz: dz * way, block: block + (bed & 1 ? -1 : 1) };
}

type Place = { x: number; y: number; z: number };

/** The side of a block that looks away from a body: 0 −z, 1 +z, 2 −x, 3 +x. */
function awayFrom(at: Place, body: Body): number {
  const dx = at.x * ONE + ONE / 2 - body.x;
  const dz = at.z * ONE + ONE / 2 - body.z;
  return Math.abs(dx) > Math.abs(dz) ? (dx > 0 ? 3 : 2) : dz > 0 ? 1 : 0;
}

/** The foot of a bed as a body places it: its head lies away from it. */
export const bedFor = (block: number, at: Place, body: Body): number => block - (info(block).bed ?? 0) + awayFrom(at, body) * 2;

/** What slabs, stairs and signs become against a face of another block, and its upper half (placedAs on the node). */
export function placedAs(block: number, at: Place, face: number, upper: boolean, body: Body): number {
  const { class: kind, upper: other } = info(block);
  const high = face === 0 || (upper && face !== 1);
  const way = awayFrom(at, body);
  if (kind === 'slab') return other !== undefined && high ? other : block;
  if (kind === 'stairs') return block + way + (high ? 4 : 0);
  if (kind === 'sign') return block + (face > 1 ? face - 2 + 4 : way ^ 1);
  return block;
}

/** What opens as a body places it, across its way; of a door the lower half. */
export function doorFor(block: number, at: Place, body: Body): number {
  const far = (cell: number, feet: number): number => Math.abs(cell * ONE + ONE / 2 - feet);
  return far(at.x, body.x) > far(at.z, body.z) ? withDoor(block, TURNED) : block;
}
