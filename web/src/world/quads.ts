// Quads in the form that the GPU reads: four corners of two 32-bit words.
//
//   word 0: x, y, z in 1/16 m (10 bits each), corner darkness 0–3 (2 bits; 3 is open)
//   word 1: texture layer (10), face (3; 6 is a plant), sky light 0–60 (6),
//           lamp light 0–60 (6), turned (1: the quad begins at its second
//           corner), sways (1), shines (1)
//
// Texture coordinates follow from the position and the face; which corner of
// its quad a vertex is follows from its number.

/** where y and z are in word 0 */
export const Y_SHIFT = 10;
export const Z_SHIFT = 20;

/** bytes that a quad takes */
export const QUAD_BYTES = 32;

export const FACE_PLANT = 6;
export const TURNED = 1 << 25;
export const SWAYS = 1 << 26;
export const SHINES = 1 << 27;

/** A growing list of quads. */
export class Quads {
  words = new Uint32Array(1 << 13);
  length = 0;

  get count(): number {
    return this.length >> 3;
  }

  clear(): void {
    this.length = 0;
  }

  /** room makes sure that another quad fits. */
  room(): void {
    if (this.length + 8 <= this.words.length) return;
    const bigger = new Uint32Array(this.words.length * 2);
    bigger.set(this.words);
    this.words = bigger;
  }

  /** vertex adds a corner; light is darkness | sky << 2 | lamp << 8 as the samplers make it. */
  vertex(x: number, y: number, z: number, light: number, rest: number): void {
    this.corner(x | (y << Y_SHIFT) | (z << Z_SHIFT), light, rest);
  }

  /** corner is vertex for a place that is a word already. */
  corner(place: number, light: number, rest: number): void {
    this.words[this.length++] = place | ((light & 3) << 30);
    this.words[this.length++] = rest | ((light >> 2) << 13);
  }
}

/** rest puts the parts of word 1 that all corners share together. */
export function rest(layer: number, face: number, flags = 0): number {
  return layer | (face << 10) | flags;
}
