// Looks of players that they have chosen: built-in ones, and pixels on the GPU.

import { DataArrayTexture, NearestFilter, NoColorSpace, RGBAFormat, UnsignedByteType } from 'three';
import { box, pair, type Part } from './models';
import { Skin } from './textures/skins';

/** A built-in look: colours of skin, hair, shirt, trousers, shoes, and what is put on. */
export interface Look {
  colours: readonly number[];
  extras: readonly Part[];
}

const hat = (wide: number): Part[] => [
  box('head', [0, 137, 0], [0, 46, 0], [wide, 5, wide], Skin.First), box('head', [0, 137, 0], [0, 53, 0], [40, 16, 40], Skin.First),
];
const beard = box('head', [0, 137, 0], [0, 4, -22], [34, 16, 8], Skin.Second);
const tail = box('head', [0, 137, 0], [0, 20, 27], [14, 40, 12], Skin.Second);
const cape = box('body', [0, 70, 0], [0, 26, 15], [42, 76, 3], Skin.First);
const pack = box('body', [0, 70, 0], [0, 38, 21], [34, 40, 16], Skin.Second);
const horns = pair('head', 'head', [0, 137, 0], [26, 48, 0], [6, 18, 6], Skin.Second);
/** a part in colours of its own: of the look's list, which the first five of everybody come before */
const in2 = (part: Part, a: number, b = a): Part => ({ ...part, colours: [a, b] });

export const LOOKS: readonly Look[] = [
  { colours: [0xe0ac7e, 0x4a2f1b, 0x8a5a2c, 0x4a4a52, 0x2a2320, 0xe8c23a], extras: hat(52).map((p) => in2(p, 5)) }, // miner
  { colours: [0xf2cfa9, 0xd9b36a, 0x4f8a3c, 0x5a4630, 0x4b3a2a, 0xd8b878], extras: hat(66).map((p) => in2(p, 5)) }, // gardener
  { colours: [0xc68642, 0x1a1a1e, 0x7d2230, 0x2f2f36, 0x2a2320, 0x7d2230], extras: [in2(cape, 5)] }, // knight
  { colours: [0x9a6a3e, 0x2b1d14, 0x2a5d8a, 0x39404a, 0x2a2320, 0x6b4a2c], extras: [in2(pack, 5)] }, // traveller
  { colours: [0xf7dcc4, 0x8e3b22, 0xb9b2a4, 0x6a4a32, 0x3a2a20], extras: [in2(beard, 0, 1), ...horns.map((p) => in2(p, 4, 2))] }, // northerner
  { colours: [0x6f4a2c, 0x1a1a1e, 0xd9862c, 0x54304a, 0x4b3a2a], extras: [in2(tail, 0, 1)] }, // runner
  { colours: [0xe0ac7e, 0x9a9a9e, 0x3a3f7a, 0x2a2f5a, 0x2a2320, 0x3a3f7a], extras: [in2(beard, 0, 1), ...hat(60).map((p) => in2(p, 5)), in2(cape, 5)] }, // wizard
  { colours: [0x9fc0c8, 0x5f8088, 0x8a98a0, 0x5a6870, 0x3a444a], extras: horns.map((p) => in2(p, 1, 1)) }, // robot
];

/** pixels of a face on the GPU: what 4, 8 and 12 go into */
const WIDE = 8;
const HIGH = 24;
const FACES = 6;
/** faces of a body, and width and height of each */
const BOXES = [[8, 8, 8], [8, 12, 4], [4, 12, 4], [4, 12, 4], [4, 12, 4], [4, 12, 4]];
const LAYERS = BOXES.length * FACES;
const MOST = 24;

/** Pixels holds the skins of players who have one of their own. */
export class Pixels {
  readonly texture: DataArrayTexture;
  private readonly data: Uint8Array;
  /** by slot: whose skin it is */
  private readonly owners: (number | null)[];

  constructor(mostLayers: number) {
    const slots = Math.max(1, Math.min(MOST, Math.floor(mostLayers / LAYERS)));
    this.owners = Array.from({ length: slots }, () => null);
    this.data = new Uint8Array(slots * LAYERS * WIDE * HIGH * 4);
    this.texture = new DataArrayTexture(this.data, WIDE, HIGH, slots * LAYERS);
    this.texture.format = RGBAFormat;
    this.texture.type = UnsignedByteType;
    this.texture.colorSpace = NoColorSpace;
    this.texture.magFilter = this.texture.minFilter = NearestFilter;
    this.texture.needsUpdate = true;
  }

  /** set gives somebody the colours of all pixels, face after face; without room it stays as it is. It returns the first layer, −1 for none. */
  set(owner: number, pixels: readonly number[]): number {
    let slot = this.owners.indexOf(owner);
    if (slot < 0) slot = this.owners.indexOf(null);
    if (slot < 0) return -1;
    this.owners[slot] = owner;
    let from = 0;
    let layer = slot * LAYERS;
    for (const [w, h, d] of BOXES) {
      for (const [fw, fh] of [[w, h], [w, h], [d, h], [d, h], [w, d], [w, d]]) {
        for (let y = 0; y < HIGH; y++) {
          for (let x = 0; x < WIDE; x++) {
            const c = pixels[from + Math.floor((y * fh) / HIGH) * fw + Math.floor((x * fw) / WIDE)];
            this.data.set([c >> 16, (c >> 8) & 255, c & 255, 255], ((layer * HIGH + y) * WIDE + x) * 4);
          }
        }
        from += fw * fh;
        layer++;
      }
    }
    this.texture.needsUpdate = true;
    return slot * LAYERS;
  }

  free(owner: number): void {
    const slot = this.owners.indexOf(owner);
    if (slot >= 0) this.owners[slot] = null;
  }
}

/** partLayer is the first of the six layers of a part of a body. */
export const partLayer = (first: number, part: number): number => first + part * FACES;

/** where the front of the right arm begins among the pixels, its width and height */
const ARM = { from: 384 + 352, wide: 4, high: 12 };

/** handColours are a player's colours with those of the arm of its pixels: hand and sleeve. */
export function handColours(pixels: readonly number[], others: readonly number[]): number[] {
  const at = (row: number): number => pixels[ARM.from + row * ARM.wide + 1];
  return [at(ARM.high - 2), others[1], at(2), ...others.slice(3)];
}
