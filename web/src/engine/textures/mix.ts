// Pixels of skins: each says how much of the box's first colour (red), of its
// second (green) and of white (blue) it shows; alpha 255 shines by itself.

import type { Rgb, Tile } from './tile';

/** a pixel that shows v (0–1) of the first colour, of the second, or of white */
export const first = (v: number): Rgb => [v * 255, 0, 0];
export const second = (v: number): Rgb => [0, v * 255, 0];
export const white = (v: number): Rgb => [0, 0, v * 255];

export const grain = (t: Tile, x: number, y: number, amount: number): number => 1 - amount + t.random(x, y) * amount;
