// The texture array: a layer for each texture that the block table names.

import { DataArrayTexture, LinearMipmapLinearFilter, NearestFilter, NearestMipmapNearestFilter, NoColorSpace, RepeatWrapping, RGBAFormat, UnsignedByteType } from 'three';
import { content } from '../../content';
import { blocks, textureNames } from '../../gen/blocks';
import { IDS, LAYER } from '../../world/tables';
import { ground, type Painter } from './ground';
import { things } from './things';
import { rgb, Tile, TILE } from './tile';
import { tools } from './tools';
import { wood } from './wood';

const painters: Record<string, Painter> = { ...ground, ...wood, ...things, ...tools };

/** paintTile draws a texture by name; one that nobody has drawn yet gets its block's colour. */
export function paintTile(name: string): Tile {
  const tile = new Tile(name);
  const paint = painters[name];
  const brought = content?.textures[name];
  if (brought) tile.data.set(pixels(brought));
  else if (paint) paint(tile);
  else tile.mottle(rgb(blocks.find((b) => b.top === name || b.side === name)?.color ?? 0x888888), 0.15);
  return tile;
}

/** The pixels of a texture that a pack brings. */
function pixels(base64: string): Uint8Array {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  if (bytes.length !== TILE * TILE * 4) throw new Error(`a texture of ${bytes.length} bytes`);
  return bytes;
}

/** unpainted lists the textures that have no painter of their own. */
export function unpainted(): string[] {
  return textureNames.filter((name) => !painters[name]);
}

/** layers of the ten stages of a crack follow those of the textures */
export const CRACK_LAYER = textureNames.length;
export const CRACK_STAGES = 10;

/** paintAll draws every layer: the textures by name, then the cracks. */
export function paintAll(): Tile[] {
  const tiles = textureNames.map(paintTile);
  for (let stage = 0; stage < CRACK_STAGES; stage++) tiles.push(crackTile(stage));
  return tiles;
}

/** crackTile grows dark branches from the middle, further with each stage. */
function crackTile(stage: number): Tile {
  const t = new Tile('crack');
  t.rect(0, 0, TILE, TILE, [20, 18, 18], 0);
  for (let arm = 0; arm < 7; arm++) {
    let angle = (arm / 7) * Math.PI * 2 + t.random(arm, 0, 1);
    let [x, y] = [7.5, 7.5];
    const steps = (stage + 1) * (0.8 + t.random(arm, 1, 1) * 0.5);
    for (let i = 0; i < steps; i++) {
      t.set(Math.round(x), Math.round(y), [16, 14, 14], i < steps - 2 ? 205 : 130);
      angle += (t.random(arm, i, 2) - 0.5) * 1.3;
      x = Math.max(0, Math.min(15, x + Math.cos(angle)));
      y = Math.max(0, Math.min(15, y + Math.sin(angle)));
    }
  }
  return t;
}

/** farColours is for each block how its top looks where its texture is smaller than a pixel: the mean of what is not transparent. */
export function farColours(tiles: Tile[]): Uint32Array {
  const means = tiles.map(({ data }) => {
    const sum = [0, 0, 0, 0];
    for (let i = 0; i < data.length; i += 4) for (let k = 0; k < 4; k++) sum[k] += k < 3 ? data[i + k] * data[i + 3] : data[i + 3];
    const [r, g, b] = sum.map((v) => v / Math.max(1, sum[3]));
    return (Math.round(r) << 16) | (Math.round(g) << 8) | Math.round(b);
  });
  return Uint32Array.from({ length: IDS }, (_, b) => means[LAYER[b * 6 + 1]]);
}

/** textureArray puts tiles on the GPU; cheap ones are sampled once instead of eight times. */
export function textureArray(tiles: Tile[], anisotropy: number, cheap = false): DataArrayTexture {
  const data = new Uint8Array(tiles.length * TILE * TILE * 4);
  tiles.forEach((tile, i) => data.set(tile.data, i * TILE * TILE * 4));
  const texture = new DataArrayTexture(data, TILE, TILE, tiles.length);
  texture.format = RGBAFormat;
  texture.type = UnsignedByteType;
  texture.colorSpace = NoColorSpace;
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.magFilter = NearestFilter;
  texture.minFilter = cheap ? NearestMipmapNearestFilter : LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = anisotropy;
  texture.needsUpdate = true;
  return texture;
}
