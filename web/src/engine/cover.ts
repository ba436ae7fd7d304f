// Where near terrain ends and the far one begins.

/** metres before the end of the near terrain in which it fades into the far one */
export const FADE_OUT = 36;
/** metres that the eye may have moved since the mask was made */
const SLACK = 8;

/**
 * How near terrain covers the far one in a column. Where a neighbour is missing
 * the two overlap, but not where the far one is water, which one would see
 * through the near water. In a column that fades out the far one shows in
 * exactly the part that does.
 */
export enum Cover {
  None = 0,
  Edge = 96,
  Fading = 192,
  Full = 255,
}

/** fades tells whether some of a column fades into the far land; (x, z) is its corner, from the eye. */
export function fades(x: number, z: number, reach: number): boolean {
  return Math.hypot(Math.abs(x + 16) + 16, Math.abs(z + 16) + 16) > reach - FADE_OUT;
}

/** beyond tells whether all of a column is farther away than reach; (x, z) is its corner, from the eye. */
export function beyond(x: number, z: number, reach: number): boolean {
  return Math.hypot(Math.max(0, Math.abs(x + 16) - 16), Math.max(0, Math.abs(z + 16) - 16)) > reach;
}

/** coverOf is the cover of a column seen from (x, z); has tells which columns there are. */
export function coverOf(has: (x: number, z: number) => boolean, cx: number, cz: number, x: number, z: number, reach: number): Cover {
  const [dx, dz] = [cx * 32 - x, cz * 32 - z];
  if (!has(cx, cz) || beyond(dx, dz, reach + SLACK)) return Cover.None;
  for (let k = 0; k < 9; k++) if (!has(cx + (k % 3) - 1, cz + Math.floor(k / 3) - 1)) return Cover.Edge;
  return fades(dx, dz, reach - SLACK) ? Cover.Fading : Cover.Full;
}
