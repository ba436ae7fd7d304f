// A picture of the own looks: 64 × 64 pixels in the layout that players know, with a second layer.

import { BODY, packSkin, pixelsOf, facesOf } from '../world/skin';

const SIDE = 64;
const MAX_BYTES = 64 * 1024;
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Whether a file begins as a PNG of 64 × 64 pixels: only then is it decoded. */
export function isSkinFile(b: Uint8Array): boolean {
  if (b.length < 33 || b.length > MAX_BYTES || PNG.some((v, i) => b[i] !== v)) return false;
  const head = new DataView(b.buffer, b.byteOffset);
  return head.getUint32(12) === 0x49484452 && head.getUint32(16) === SIDE && head.getUint32(20) === SIDE;
}

/** The skin in a file; null: it is no picture of 64 × 64 pixels. */
export async function readSkin(file: Blob): Promise<Uint8Array | null> {
  if (file.size > MAX_BYTES) return null;
  const b = new Uint8Array(await file.arrayBuffer());
  if (!isSkinFile(b)) return null;
  try {
    const picture = await createImageBitmap(new Blob([b], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(SIDE, SIDE);
    const g = canvas.getContext('2d')!;
    g.drawImage(picture, 0, 0);
    return skinOf(g.getImageData(0, 0, SIDE, SIDE).data);
  } catch {
    return null;
  }
}

/** The skin in the pixels of a picture. */
export function skinOf(rgba: Uint8ClampedArray | Uint8Array): Uint8Array {
  const pixels: number[] = [];
  for (const { size, at, over } of BODY) {
    const [w, , d] = size;
    const begins = [[d, d], [2 * d + w, d], [d + w, d], [0, d], [d, 0], [d + w, 0]];
    facesOf(size).forEach(([fw, fh], face) => {
      const [u, v] = begins[face]!;
      for (let y = 0; y < fh; y++) {
        for (let x = 0; x < fw; x++) {
          // The figure's top is seen from behind, its bottom from below.
          const px = u! + (face < 4 ? x : fw - 1 - x);
          const py = v! + (face === 4 ? fh - 1 - y : y);
          const [under, above] = [at, over].map(([ax, ay]) => ((ay + py) * SIDE + ax + px) * 4) as [number, number];
          const i = rgba[above + 3]! > 127 ? above : under;
          pixels.push((rgba[i]! << 16) | (rgba[i + 1]! << 8) | rgba[i + 2]!);
        }
      }
    });
  }
  return packSkin(pixels);
}

/** Draws the front of a skin of pixels, to be looked at. */
export function drawFront(canvas: HTMLCanvasElement, skin: Uint8Array): void {
  const g = canvas.getContext('2d')!;
  const all = pixelsOf(skin);
  const places = [[4, 0], [4, 8], [0, 8], [12, 8], [4, 20], [8, 20]];
  canvas.width = 16;
  canvas.height = 32;
  let from = 0;
  BODY.forEach(({ size }, i) => {
    const [[w, h]] = facesOf(size) as [[number, number]];
    for (let p = 0; p < w * h; p++) {
      g.fillStyle = `#${all[from + p]!.toString(16).padStart(6, '0')}`;
      g.fillRect(places[i]![0]! + (p % w), places[i]![1]! + Math.floor(p / w), 1, 1);
    }
    from += facesOf(size).reduce((n, [fw, fh]) => n + fw * fh, 0);
  });
}
