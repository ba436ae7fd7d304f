// internal/game/world/body.go: what moves, and the build of a player.
import { Button, Mode } from '../../net/types';
import { type Box, boxAt } from './box';

/** The state that step() advances; lengths in 1/4096 m, speeds per tick. */
export interface Body {
  /** the middle of the feet */
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
  onGround: boolean;
  flying: boolean;
  inWater: boolean;
  climbing: boolean;
  /** also when there is no room to stand */
  sneaking: boolean;
  sprinting: boolean;
  /** a wall stopped it sideways */
  blocked: boolean;
  /** how far it has fallen since it last stood */
  fall: number;
}

export function newBody(x = 0, y = 0, z = 0): Body {
  return {
    x, y, z, vx: 0, vy: 0, vz: 0,
    onGround: false, flying: false, inWater: false, climbing: false,
    sneaking: false, sprinting: false, blocked: false, fall: 0,
  };
}

/** A player: 0.6 m × 1.8 m. */
export const human = {
  half: 1228, height: 7372, sneakHeight: 6144,
  eye: 6635, sneakEye: 5202,
  walk: 881, sprint: 1147, sneak: 266, swim: 450,
} as const;

/** The space that the body takes at its place. */
export function bodyBox(b: Body): Box {
  return boxAt(b.x, b.y, b.z, human.half, b.sneaking ? human.sneakHeight : human.height);
}

/** What a player does in one step: the wire's input without its sequence number. */
export interface StepInput {
  buttons: number;
  yaw: number;
  pitch: number;
}

export { Button, Mode };
