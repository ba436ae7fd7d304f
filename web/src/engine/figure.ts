// How a figure is put together from boxes, and how it moves.

import { Euler, Matrix4 } from 'three';
import { Skin } from './textures/skins';
import type { FigureKind } from './types';

/** A Part is a box that turns about a joint; metres, from the middle of the feet, front towards −z. */
export interface Part {
  name: 'head' | 'body' | 'armR' | 'armL' | 'legR' | 'legL' | 'legFR' | 'legFL';
  joint: readonly [number, number, number];
  /** the box's middle from the joint, and its size */
  middle: readonly [number, number, number];
  size: readonly [number, number, number];
  /** layers of front, other sides, top */
  skin: readonly [number, number, number];
  /** which of the figure's colours are the box's two */
  colours: readonly [number, number];
}

const all = (s: number): [number, number, number] => [s, s, s];

const PLAYER: Part[] = [
  { name: 'head', joint: [0, 1.37, 0], middle: [0, 0.23, 0], size: [0.46, 0.46, 0.46], skin: [Skin.Face, Skin.HeadSide, Skin.Second], colours: [0, 1] },
  { name: 'body', joint: [0, 0.7, 0], middle: [0, 0.335, 0], size: [0.46, 0.67, 0.25], skin: [Skin.Shirt, Skin.Shirt, Skin.First], colours: [2, 3] },
  { name: 'armR', joint: [0.335, 1.3, 0], middle: [0, -0.27, 0], size: [0.2, 0.67, 0.22], skin: [Skin.Sleeve, Skin.Sleeve, Skin.First], colours: [2, 0] },
  { name: 'armL', joint: [-0.335, 1.3, 0], middle: [0, -0.27, 0], size: [0.2, 0.67, 0.22], skin: [Skin.Sleeve, Skin.Sleeve, Skin.First], colours: [2, 0] },
  { name: 'legR', joint: [0.115, 0.7, 0], middle: [0, -0.35, 0], size: [0.22, 0.7, 0.23], skin: [Skin.Trousers, Skin.Trousers, Skin.Second], colours: [3, 4] },
  { name: 'legL', joint: [-0.115, 0.7, 0], middle: [0, -0.35, 0], size: [0.22, 0.7, 0.23], skin: [Skin.Trousers, Skin.Trousers, Skin.Second], colours: [3, 4] },
];

const leg = (name: Part['name'], x: number, z: number): Part => ({
  name, joint: [x, 0.42, z], middle: [0, -0.21, 0], size: [0.18, 0.42, 0.18], skin: all(Skin.SheepLeg), colours: [0, 1],
});

const SHEEP: Part[] = [
  { name: 'body', joint: [0, 0.4, 0], middle: [0, 0.3, 0.06], size: [0.68, 0.6, 0.98], skin: all(Skin.Wool), colours: [0, 1] },
  { name: 'head', joint: [0, 0.86, -0.44], middle: [0, 0.08, -0.16], size: [0.38, 0.4, 0.46], skin: [Skin.SheepFace, Skin.SheepLeg, Skin.Wool], colours: [0, 1] },
  leg('legR', 0.2, 0.36), leg('legL', -0.2, 0.36), leg('legFR', 0.2, -0.28), leg('legFL', -0.2, -0.28),
];

const STALKER: Part[] = [
  { name: 'head', joint: [0, 1.5, 0], middle: [0, 0.2, -0.04], size: [0.42, 0.4, 0.42], skin: [Skin.StalkerFace, Skin.Shadow, Skin.Shadow], colours: [0, 1] },
  { name: 'body', joint: [0, 0.85, 0], middle: [0, 0.34, 0], size: [0.38, 0.68, 0.2], skin: all(Skin.Shadow), colours: [0, 1] },
  { name: 'armR', joint: [0.27, 1.46, 0], middle: [0, -0.46, 0], size: [0.14, 1.0, 0.14], skin: all(Skin.Shadow), colours: [0, 1] },
  { name: 'armL', joint: [-0.27, 1.46, 0], middle: [0, -0.46, 0], size: [0.14, 1.0, 0.14], skin: all(Skin.Shadow), colours: [0, 1] },
  { name: 'legR', joint: [0.1, 0.86, 0], middle: [0, -0.43, 0], size: [0.15, 0.86, 0.15], skin: all(Skin.Shadow), colours: [0, 1] },
  { name: 'legL', joint: [-0.1, 0.86, 0], middle: [0, -0.43, 0], size: [0.15, 0.86, 0.15], skin: all(Skin.Shadow), colours: [0, 1] },
];

export const PARTS: Record<FigureKind, Part[]> = { player: PLAYER, sheep: SHEEP, stalker: STALKER, item: [] };

/** metres from the feet to where the name stands */
export const TALL: Record<FigureKind, number> = { player: 2.1, sheep: 1.5, stalker: 2.2, item: 0.4 };

const SKINS = [0xf2cfa9, 0xe0ac7e, 0xc68642, 0x9a6a3e, 0x6f4a2c, 0xf7dcc4];
const HAIR = [0x2b1d14, 0x4a2f1b, 0x7a5230, 0xb98b4a, 0xd9b36a, 0x1a1a1e, 0x8e3b22, 0x9a9a9e];
const TROUSERS = [0x2f3f66, 0x3b3b42, 0x5a4630, 0x3e5a44, 0x54304a, 0x24506a];
const SHOES = [0x2a2320, 0x4b3a2a, 0x39404a];

/** coloursOf gives a figure its own colours, the same ones every time: skin, hair, shirt, trousers, shoes. */
export function coloursOf(kind: FigureKind, name: string, id: number): number[] {
  if (kind === 'stalker') return [0x1d1a26, 0xff5a3c];
  let h = kind === 'sheep' ? Math.imul(id + 1, 0x9e3779b1) : 2166136261;
  if (kind === 'player') for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 16777619);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = (h ^ (h >>> 13)) >>> 0;
  if (kind === 'sheep') {
    const fleece = [0xf0ece2, 0xf0ece2, 0xe6dfd0, 0xd9cdb8, 0x6b5d50];
    return [fleece[h % fleece.length], 0x5c5048];
  }
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
  sneak: boolean;
  swim: boolean;
  /** seconds, for breathing and idle arms */
  time: number;
}

const turn = new Matrix4();
const offset = new Matrix4();

/** placePart writes the matrix of a part's unit box for a figure that stands at root. */
export function placePart(out: Matrix4, root: Matrix4, part: Part, kind: FigureKind, p: Pose): void {
  let [jx, jy, jz] = part.joint;
  let rx = 0;
  let ry = 0;
  let rz = 0;
  const step = Math.cos(p.stride) * p.swing;
  switch (part.name) {
    case 'head':
      rx = p.pitch;
      ry = -p.yaw;
      break;
    case 'armR':
      rx = -step * 0.9;
      rz = 0.04 + Math.sin(p.time * 1.4) * 0.025;
      if (p.strike > 0) {
        rx += Math.sin(Math.sqrt(p.strike) * Math.PI) * 1.5;
        ry += Math.sin(p.strike * Math.PI) * 0.4;
      }
      if (kind === 'stalker') rx += 0.5;
      break;
    case 'armL':
      rx = step * 0.9;
      rz = -0.04 - Math.sin(p.time * 1.4) * 0.025;
      if (kind === 'stalker') rx += 0.5;
      break;
    case 'legR':
    case 'legFL':
      rx = step;
      break;
    case 'legL':
    case 'legFR':
      rx = -step;
      break;
    case 'body':
      break;
  }
  if (kind !== 'sheep' && p.sneak) {
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
  if (p.swim && (part.name === 'armR' || part.name === 'armL')) rx += 2.4 + Math.sin(p.time * 5 + (part.name === 'armR' ? 0 : Math.PI)) * 0.7;
  out.makeRotationFromEuler(euler(rx, ry, rz)).setPosition(jx, jy, jz).premultiply(root);
  const [sx, sy, sz] = part.size;
  offset.makeScale(sx, sy, sz).setPosition(part.middle[0], part.middle[1], part.middle[2]);
  out.multiply(offset);
}

const scratch = new Euler(0, 0, 0, 'YXZ');
function euler(x: number, y: number, z: number): Euler {
  return scratch.set(x, y, z, 'YXZ');
}

/** handOf writes the place of the right hand's palm: the box of the arm, taken back to its joint, moved to its end. */
export function handOf(out: Matrix4, arm: Matrix4, part: Part): void {
  const [sx, sy, sz] = part.size;
  out.copy(arm).multiply(turn.makeScale(1 / sx, 1 / sy, 1 / sz));
  out.multiply(turn.makeTranslation(0, -sy / 2 + 0.04, -0.16));
}
