import type { Frame } from './frame';

/** So many later frames of a region may wait for one that is late. */
const MAX_WAITING = 2;

interface Stream {
  next: number;
  waiting: Map<number, Frame>;
}

/**
 * Puts frames that may be lost or overtake each other back in their order. One that
 * does not come is skipped, and the node is told, so that keyframes follow. Frames
 * without a number come in order anyway.
 */
export class FrameOrder {
  private readonly streams = new Map<string, Stream>();

  constructor(private readonly missed: (x: number, z: number) => void) {}

  /** Another connection begins: its frames are numbered anew. */
  reset(): void {
    this.streams.clear();
  }

  /** The frames that can be used now that this one has come. */
  take(f: Frame): Frame[] {
    if (f.number < 0) return [f];
    const key = `${f.regionX},${f.regionZ}`;
    let s = this.streams.get(key);
    if (!s) this.streams.set(key, s = { next: f.number, waiting: new Map() });
    if (((f.number - s.next) & 0xffff) >= 0x8000) return []; // later ones are used already
    s.waiting.set(f.number, f);
    const out = ready(s);
    if (s.waiting.size <= MAX_WAITING) return out;
    const left = [...s.waiting.keys()].sort((a, b) => ((a - s.next) & 0xffff) - ((b - s.next) & 0xffff));
    s.next = left[0]!;
    this.missed(f.regionX, f.regionZ);
    return [...out, ...ready(s)];
  }
}

function ready(s: Stream): Frame[] {
  const out: Frame[] = [];
  for (let f = s.waiting.get(s.next); f; f = s.waiting.get(s.next)) {
    s.waiting.delete(s.next);
    s.next = (s.next + 1) & 0xffff;
    out.push(f);
  }
  return out;
}
