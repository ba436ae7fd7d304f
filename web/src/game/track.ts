/** Where something was at a tick: metres and radians. */
export interface Sample {
  tick: number;
  x: number;
  y: number;
  z: number;
  yaw: number;
  pitch: number;
}

const KEEP = 24;
/** Farther than this in one go is a jump, not a move (metres). */
const JUMP = 8;
/** Far bodies are told of every 4th tick: a longer silence means that it stood still. */
const SLOWEST = 4;

/** The way of one entity, to be drawn a little in the past, in between what is known. */
export class Track {
  private readonly samples: Sample[] = [];
  /** ticks between two samples while it moves */
  private period = 1;
  /** how far behind the others it is drawn, because of its period */
  private lag = 0;

  add(s: Sample): void {
    const last = this.samples[this.samples.length - 1];
    if (last && s.tick < last.tick) return; // another region, a tick behind
    if (last && s.tick === last.tick) this.samples.pop();
    if (last && Math.hypot(s.x - last.x, s.y - last.y, s.z - last.z) > JUMP) this.samples.length = 0;
    const gap = last ? s.tick - last.tick : 0;
    if (gap > 0 && gap <= SLOWEST) this.period = gap;
    else if (gap > SLOWEST && this.samples.length) this.samples.push({ ...last!, tick: s.tick - this.period });
    this.samples.push(s);
    if (this.samples.length > KEEP) this.samples.shift();
  }

  /** Where it is at a tick (with a fraction); before the first sample and after the last it stands. */
  at(tick: number): Sample {
    this.lag += (this.period - 1 - this.lag) * 0.1;
    tick -= this.lag;
    const s = this.samples;
    let i = s.length - 1;
    while (i > 0 && s[i]!.tick > tick) i--;
    const a = s[i]!;
    const b = s[i + 1];
    if (!b || tick <= a.tick) return a;
    const f = (tick - a.tick) / (b.tick - a.tick);
    const mix = (p: number, q: number): number => p + (q - p) * f;
    return { tick, x: mix(a.x, b.x), y: mix(a.y, b.y), z: mix(a.z, b.z), yaw: a.yaw + turn(a.yaw, b.yaw) * f, pitch: mix(a.pitch, b.pitch) };
  }

  /** The newest that is known. */
  get last(): Sample {
    return this.samples[this.samples.length - 1]!;
  }
}

/** The shorter way from one angle to another. */
function turn(from: number, to: number): number {
  const d = (to - from) % (2 * Math.PI);
  return d > Math.PI ? d - 2 * Math.PI : d < -Math.PI ? d + 2 * Math.PI : d;
}
