// The voices that all sounds are made of.
import type { Sound } from './sound';

/** A puff of filtered noise. */
export interface Puff {
  /** Hz; slides to `to` over its length */
  from: number;
  to?: number;
  q?: number;
  type?: BiquadFilterType;
  /** seconds */
  length: number;
  attack?: number;
  volume: number;
  delay?: number;
}

export function puff(s: Sound, out: AudioNode, p: Puff): void {
  const { ctx } = s;
  const t = ctx.currentTime + (p.delay ?? 0);
  const source = ctx.createBufferSource();
  source.buffer = s.noise;
  const filter = ctx.createBiquadFilter();
  filter.type = p.type ?? 'bandpass';
  filter.Q.value = p.q ?? 1;
  filter.frequency.setValueAtTime(p.from, t);
  if (p.to) filter.frequency.exponentialRampToValueAtTime(p.to, t + p.length);
  source.connect(filter).connect(envelope(ctx, t, p.volume, p.attack ?? 0.004, p.length)).connect(out);
  source.start(t, Math.random() * 1.5, p.length + 0.05);
}

/** A tone that slides and fades. */
export interface Tone {
  from: number;
  to?: number;
  type?: OscillatorType;
  length: number;
  attack?: number;
  volume: number;
  delay?: number;
  /** Hz and depth in Hz of a wobble */
  wobble?: [number, number];
}

export function tone(s: Sound, out: AudioNode, p: Tone): void {
  const { ctx } = s;
  const t = ctx.currentTime + (p.delay ?? 0);
  const osc = ctx.createOscillator();
  osc.type = p.type ?? 'sine';
  osc.frequency.setValueAtTime(p.from, t);
  if (p.to) osc.frequency.exponentialRampToValueAtTime(p.to, t + p.length);
  if (p.wobble) {
    const lfo = ctx.createOscillator();
    const depth = ctx.createGain();
    lfo.frequency.value = p.wobble[0];
    depth.gain.value = p.wobble[1];
    lfo.connect(depth).connect(osc.frequency);
    lfo.start(t);
    lfo.stop(t + p.length + 0.05);
  }
  osc.connect(envelope(ctx, t, p.volume, p.attack ?? 0.004, p.length)).connect(out);
  osc.start(t);
  osc.stop(t + p.length + 0.05);
}

function envelope(ctx: AudioContext, t: number, volume: number, attack: number, length: number): GainNode {
  const g = ctx.createGain();
  g.gain.setValueAtTime(0, t);
  g.gain.linearRampToValueAtTime(volume, t + attack);
  g.gain.exponentialRampToValueAtTime(0.0008, t + Math.max(length, attack + 0.01));
  return g;
}

/** A number within ±share of n: no two steps sound the same. */
export const vary = (n: number, share = 0.12): number => n * (1 + (Math.random() * 2 - 1) * share);
