// How a figure is put together from boxes, and how it moves.

import { Euler, Matrix4 } from 'three';
import { modelOf } from './beasts';
import type { Model, Part } from './models';

const SKINS = [0xf2cfa9, 0xe0ac7e, 0xc68642, 0x9a6a3e, 0x6f4a2c, 0xf7dcc4];
const HAIR = [0x2b1d14, 0x4a2f1b, 0x7a5230, 0xb98b4a, 0xd9b36a, 0x1a1a1e, 0x8e3b22, 0x9a9a9e];
const TROUSERS = [0x2f3f66, 0x3b3b42, 0x5a4630, 0x3e5a44, 0x54304a, 0x24506a];
const SHOES = [0x2a2320, 0x4b3a2a, 0x39404a];

/** coloursOf gives a figure its own colours, the same ones every time; a player's are those of skin, hair, shirt, trousers, shoes. */
export function coloursOf(kind: string, name: string, id: number): number[] {
  let h = kind === 'player' ? 2166136261 : Math.imul(id + 1, 0x9e3779b1);
  if (kind === 'player') for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 16777619);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = (h ^ (h >>> 13)) >>> 0;
  const { colours } = modelOf(kind);
  if (kind !== 'player') return colours[h % colours.length];
  const pick = (from: number[], shift: number): number => from[(h >>> shift) % from.length];
  return [pick(SKINS, 0), pick(HAIR, 4), hue(((h >>> 9) % 24) / 24), pick(TROUSERS, 15), pick(SHOES, 19)];
}

/** hue is a strong but not shrill colour. */
function hue(t: number): number {
  const channel = (n: number): number => {
    const k = (n + t * 12) % 12;
    return Math.round((0.5 - 0.3 * Math.max(-1, Math.min(k - 3, 9 - k, 1))) * 255);
  };
  return (channel(0) << 16) | (channel(8) << 8) | channel(4);
}

/** A Pose is the moment's angles. */
export interface Pose {
  /** of the head against the body */
  yaw: number;
  pitch: number;
  /** where the legs are in their stride, and how far they swing (0–1) */
  stride: number;
  swing: number;
  /** 0–1 while the right arm strikes */
  strike: number;
  /** how far it is off the ground in its leap, or how fast it falls, 0–1 */
  lift: number;
  sneak: boolean;
  swim: boolean;
  /** seconds, for breathing and idle arms */
  time: number;
}

const turn = new Matrix4();
const offset = new Matrix4();

/** placePart writes the matrix of a part's unit box for a figure that stands at root. */
export function placePart(out: Matrix4, root: Matrix4, part: Part, { upright, reach = 0, flies }: Model, p: Pose): void {
  let [jx, jy, jz] = part.joint;
  let [rx, ry, rz] = part.rest ?? [0, 0, 0];
  const right = part.name.endsWith('R');
  const side = right ? 1 : -1;
  const step = Math.cos(p.stride) * p.swing;
  let wide = 1;
  let high = 1;
  switch (part.name) {
    case 'head':
      rx += p.pitch;
      ry -= p.yaw;
      break;
    case 'armR':
    case 'armL':
      rx = -side * step * 0.9 + reach;
      rz = side * (0.04 + Math.sin(p.time * 1.4) * 0.025);
      if (p.strike > 0 && (right || reach > 1)) {
        rx += Math.sin(Math.sqrt(p.strike) * Math.PI) * (reach > 1 ? 0.7 : 1.5);
        ry += side * Math.sin(p.strike * Math.PI) * 0.4;
      }
      break;
    case 'legR':
    case 'legFL':
      rx = step;
      break;
    case 'legL':
    case 'legFR':
      rx = -step;
      break;
    case 'wingR':
    case 'wingL':
      rz += side * (flies ? Math.sin(p.time * 17) * 0.85 : 0.06 + Math.abs(Math.sin(p.time * 14)) * p.lift);
      break;
    case 'tail':
      ry += Math.sin(p.time * (2 + p.swing * 5)) * 0.28;
      break;
    case 'crawlR':
    case 'crawlL':
      ry += Math.sin(p.stride + jz * 22) * p.swing * 0.4;
      rz += side * Math.abs(Math.cos(p.stride + jz * 22)) * p.swing * 0.25;
      break;
    case 'jelly': {
      const swell = Math.sin(p.time * 2.5) * 0.03 + p.strike * 0.25;
      wide = 1 + swell - p.lift * 0.15;
      high = 1 - Math.sin(p.time * 2.5) * 0.03 + p.strike * 0.2 + p.lift * 0.2;
      break;
    }
    case 'wave':
      jx += Math.sin(p.stride * 0.7 + p.time - jz * 7) * (0.02 + p.swing * 0.08);
      break;
  }
  if (upright && p.sneak) {
    // Bent at the hip: what is above leans forward, the legs stay.
    const above = jy - 0.7;
    if (part.name === 'body') rx -= 0.42;
    if (above > 0) {
      jz -= above * Math.sin(0.42);
      jy -= above * (1 - Math.cos(0.42)) + 0.02;
    }
    if (part.name === 'armR' || part.name === 'armL') rx -= 0.25;
    if (part.name === 'legR' || part.name === 'legL') jz += 0.04;
  }
  if (p.swim && (part.name === 'armR' || part.name === 'armL')) rx += 2.4 + Math.sin(p.time * 5 + (right ? 0 : Math.PI)) * 0.7;
  out.makeRotationFromEuler(scratch.set(rx, ry, rz, 'YXZ')).setPosition(jx, jy, jz).premultiply(root);
  const [sx, sy, sz] = part.size;
  const [mx, my, mz] = part.middle;
  offset.makeScale(sx * wide, sy * high, sz * wide).setPosition(mx * wide, my * high, mz * wide);
  out.multiply(offset);
}

const scratch = new Euler(0, 0, 0, 'YXZ');

/** handOf writes the place of the right hand's palm: the box of the arm, taken back to its joint, moved to its end. */
export function handOf(out: Matrix4, arm: Matrix4, part: Part): void {
  const [sx, sy, sz] = part.size;
  out.copy(arm).multiply(turn.makeScale(1 / sx, 1 / sy, 1 / sz));
  out.multiply(turn.makeTranslation(0, -sy / 2 + 0.04, -0.16));
}
