// The column payload of docs/protocols/client.md: palettes and packed indices.

export const SIZE = 32;
export const HEIGHT = 256;
export const CHUNKS = HEIGHT / SIZE;
export const VOLUME = SIZE * SIZE * SIZE;

/** A chunk as it came: a palette and indices of 0, 1, 2, 4, 8 or 16 bits, x fastest, then z, then y. */
export interface PackedChunk {
  palette: Uint16Array;
  bits: number;
  /** indices in little-endian order; none straddles a byte or a pair of bytes */
  data: Uint8Array;
}

export class MalformedColumn extends Error {}

/** parseChunks splits an inflated payload into the chunks that mask names; null is air. */
export function parseChunks(mask: number, raw: Uint8Array): (PackedChunk | null)[] {
  const out: (PackedChunk | null)[] = [];
  let at = 0;
  const uvarint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = raw[at++];
      if (byte === undefined) throw new MalformedColumn('column ends within a number');
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedColumn('number in a column is too long');
  };
  for (let i = 0; i < CHUNKS; i++) {
    if (!(mask & (1 << i))) {
      out.push(null);
      continue;
    }
    const n = uvarint();
    if (n < 1 || n > VOLUME) throw new MalformedColumn(`palette of ${n} blocks`);
    const palette = new Uint16Array(n);
    for (let k = 0; k < n; k++) palette[k] = uvarint();
    const bits = indexBits(n);
    const bytes = (VOLUME * bits) / 8;
    if (at + bytes > raw.length) throw new MalformedColumn('column ends within a chunk');
    out.push({ palette, bits, data: raw.subarray(at, at + bytes) });
    at += bytes;
  }
  return out;
}

/** indexBits is the width of an index into a palette of n blocks. */
export function indexBits(n: number): number {
  if (n <= 1) return 0;
  let bits = 1;
  while (1 << bits < n) bits *= 2;
  return bits;
}

/** blockAt reads one block; index is y<<10 | z<<5 | x. */
export function blockAt(c: PackedChunk, index: number): number {
  if (c.bits === 0) return c.palette[0];
  if (c.bits === 16) return c.palette[c.data[index * 2] | (c.data[index * 2 + 1] << 8)] ?? 0;
  const bit = index * c.bits;
  return c.palette[(c.data[bit >> 3] >> (bit & 7)) & ((1 << c.bits) - 1)] ?? 0;
}
