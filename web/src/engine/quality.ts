// How much is drawn: by choice, and less while frames are slow.

import type { Quality } from './types';

/** frames slower than this for a while lower the quality, faster than that raise it (seconds) */
const SLOW = 1 / 34;
const FAST = 1 / 52;

/** Level is one step of quality: share of the resolution, share of the view distance. */
interface Level {
  scale: number;
  reach: number;
}

const LEVELS: Level[] = [
  { scale: 1, reach: 1 },
  { scale: 0.85, reach: 1 },
  { scale: 0.7, reach: 0.85 },
  { scale: 0.6, reach: 0.7 },
  { scale: 0.5, reach: 0.55 },
  { scale: 0.4, reach: 0.45 },
];

const FIXED: Record<Exclude<Quality, 'auto'>, Level> = {
  low: { scale: 0.6, reach: 1 },
  medium: { scale: 0.85, reach: 1 },
  high: { scale: 1, reach: 1 },
};

export class Governor {
  quality: Quality = 'auto';
  private level = 0;
  private mean = 1 / 60;
  private calm = 0;
  /** seconds of fast frames before the next step up is tried; grows when it was too much */
  private patience = 5;
  private sinceUp = Infinity;

  /** soft begins low: for GPUs that are no GPUs. */
  begin(soft: boolean): void {
    if (soft) this.level = 3;
  }

  get now(): Level {
    return this.quality === 'auto' ? LEVELS[this.level] : FIXED[this.quality];
  }

  /** frame takes the seconds since the last frame and tells whether the level changed. */
  frame(dt: number): boolean {
    if (this.quality !== 'auto' || dt > 0.5) return false; // a hidden tab is not slow
    this.mean += (dt - this.mean) * Math.min(1, dt * 2);
    this.calm += dt;
    this.sinceUp += dt;
    if (this.mean > SLOW && this.calm > 1.5) return this.change(1);
    if (this.mean < FAST && this.calm > this.patience) return this.change(-1);
    return false;
  }

  private change(by: number): boolean {
    this.calm = 0;
    const next = Math.max(0, Math.min(LEVELS.length - 1, this.level + by));
    if (next === this.level) return false;
    if (by > 0 && this.sinceUp < 8) this.patience = Math.min(60, this.patience * 2);
    if (by < 0) this.sinceUp = 0;
    this.level = next;
    return true;
  }
}
