/** A tick is 1/20 s. */
export const TICK_MS = 50;
const WINDOW = 40; // ticks: two seconds of arrivals

/**
 * What tick it is on the node, as far as can be known here: of the ticks that
 * arrived lately the one that was on the way for the shortest time counts.
 */
export class TickClock {
  private readonly recent: number[] = [];
  private offset = 0;
  private known = false;
  /** ms that arrivals are spread: how uneven the connection is */
  jitter = 0;

  reset(): void {
    this.recent.length = 0;
    this.known = false;
  }

  /** A frame of `tick` has arrived at `now` (ms). */
  arrived(tick: number, now: number): void {
    this.recent.push(now - tick * TICK_MS);
    if (this.recent.length > WINDOW) this.recent.shift();
    const best = Math.min(...this.recent);
    this.jitter = Math.max(...this.recent) - best;
    // follow slowly, so that figures do not jerk; at once if it is far off
    this.offset = !this.known || Math.abs(best - this.offset) > 500 ? best : this.offset + (best - this.offset) * 0.1;
    this.known = true;
  }

  /** The node's tick at `now`, with its fraction. */
  tick(now: number): number {
    return this.known ? (now - this.offset) / TICK_MS : 0;
  }
}
