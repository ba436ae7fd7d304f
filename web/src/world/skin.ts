// A skin of pixels as it travels (internal/game/wire, skin.go).

const COLOURS = 64;
const PIXELS = 1632;

/** The boxes of a body: width, height, depth in pixels, and where their faces begin in a picture of 64 × 64 pixels. */
export const BODY = [
  { size: [8, 8, 8], at: [0, 0], over: [32, 0] }, // head
  { size: [8, 12, 4], at: [16, 16], over: [16, 32] },
  { size: [4, 12, 4], at: [40, 16], over: [40, 32] }, // right arm
  { size: [4, 12, 4], at: [32, 48], over: [48, 48] },
  { size: [4, 12, 4], at: [0, 16], over: [0, 32] }, // right leg
  { size: [4, 12, 4], at: [16, 48], over: [0, 48] },
] as const;

/** Width and height of the faces of a box, in the order front, back, left, right, top, bottom. */
export const facesOf = ([w, h, d]: readonly [number, number, number]): [number, number][] => [[w, h], [w, h], [d, h], [d, h], [w, d], [w, d]];

/** Whether bytes are a skin; the node has looked already, but it may be hostile. */
export function validSkin(b: Uint8Array): boolean {
  if (b.length < 2) return b.length === 0 || b[0]! > 0;
  const n = b[1]!;
  return b[0] === 0 && n > 0 && n <= COLOURS && b.length === 2 + 3 * n + PIXELS && b.subarray(2 + 3 * n).every((p) => p < n);
}

/** pack makes a skin of the colours of all pixels, 0xrrggbb: as many as fit are told apart. */
export function packSkin(pixels: readonly number[]): Uint8Array {
  for (let bits = 8; ; bits--) {
    const key = (c: number): number => [16, 8, 0].reduce((k, s) => (k << bits) | (((c >> s) & 255) >> (8 - bits)), 0);
    const sums = new Map<number, [number, number, number, number]>();
    for (const c of pixels) {
      const sum = sums.get(key(c)) ?? [0, 0, 0, 0];
      sums.set(key(c), [sum[0] + (c >> 16), sum[1] + ((c >> 8) & 255), sum[2] + (c & 255), sum[3] + 1]);
    }
    if (sums.size > COLOURS) continue; // at two bits there are 64
    const keys = [...sums.keys()];
    const colours = keys.flatMap((k) => sums.get(k)!.slice(0, 3).map((v) => Math.round(v / sums.get(k)![3])));
    return Uint8Array.from([0, keys.length, ...colours, ...pixels.map((c) => keys.indexOf(key(c)))]);
  }
}

/** The colours of the pixels of a skin, 0xrrggbb. */
export function pixelsOf(skin: Uint8Array): number[] {
  const n = skin[1]!;
  return [...skin.subarray(2 + 3 * n)].map((p) => (skin[2 + 3 * p]! << 16) | (skin[3 + 3 * p]! << 8) | skin[4 + 3 * p]!);
}
