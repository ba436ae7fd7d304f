// Far tiles: heights and top blocks of a region, one for each 4×4 blocks.

/** cells along an edge of a tile, blocks along an edge of a cell */
export const FAR_SIZE = 32;
export const FAR_STEP = 4;
export const FAR_CELLS = FAR_SIZE * FAR_SIZE;

export interface FarTile {
  heights: Uint8Array;
  tops: Uint16Array;
}

/** splitFar reads the inflated bin of a FarTile message. */
export function splitFar(raw: Uint8Array): FarTile {
  if (raw.length !== FAR_CELLS * 3) throw new Error(`far tile of ${raw.length} bytes`);
  const tops = new Uint16Array(FAR_CELLS);
  for (let i = 0; i < FAR_CELLS; i++) tops[i] = raw[FAR_CELLS + i * 2] | (raw[FAR_CELLS + i * 2 + 1] << 8);
  return { heights: raw.slice(0, FAR_CELLS), tops };
}
