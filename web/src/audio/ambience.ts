import type { Sound } from './sound';
import { tone, vary } from './synth';

/** What the surroundings are like. */
export interface Surroundings {
  /** share of a day: 0 sunrise, 0.25 noon */
  time: number;
  /** sky light at the ear, 0 to 15 */
  sky: number;
  /** metres above the ground of the world */
  height: number;
  underWater: boolean;
  /** how hard it rains, 0 to 1 */
  rain: number;
  /** there is green about */
  green: boolean;
}

/** Wind, birds by day, crickets by night, the drone of deep water. */
export class Ambience {
  private readonly wind: GainNode;
  private readonly windTone: BiquadFilterNode;
  private readonly deep: GainNode;
  private readonly rain: GainNode;
  private readonly muffle: BiquadFilterNode;
  private next = 0;

  constructor(private readonly s: Sound) {
    const { ctx } = s;
    this.muffle = ctx.createBiquadFilter();
    this.muffle.type = 'lowpass';
    this.muffle.frequency.value = 20_000;
    this.muffle.connect(s.ambience);
    this.windTone = this.filter('bandpass', 400, 0.4);
    this.wind = this.loop(this.windTone);
    this.deep = this.loop(this.filter('lowpass', 180, 0.8));
    this.rain = this.loop(this.filter('highpass', 1800, 0.3));
  }

  private filter(type: BiquadFilterType, hz: number, q: number): BiquadFilterNode {
    const f = this.s.ctx.createBiquadFilter();
    f.type = type;
    f.frequency.value = hz;
    f.Q.value = q;
    return f;
  }

  private loop(filter: BiquadFilterNode): GainNode {
    const source = this.s.ctx.createBufferSource();
    source.buffer = this.s.noise;
    source.loop = true;
    const gain = this.s.ctx.createGain();
    gain.gain.value = 0;
    source.connect(filter).connect(gain).connect(this.muffle);
    source.start();
    return gain;
  }

  /** To be called a few times a second. */
  update(around: Surroundings): void {
    const t = this.s.ctx.currentTime;
    const open = around.sky / 15;
    const gust = 0.6 + 0.4 * Math.sin(t * 0.37) * Math.sin(t * 0.11 + 1);
    const high = Math.min(1, Math.max(0, (around.height - 60) / 90));
    this.wind.gain.setTargetAtTime(around.underWater ? 0 : open * gust * (0.03 + 0.12 * high), t, 0.8);
    this.windTone.frequency.setTargetAtTime(300 + 350 * gust + 200 * high, t, 1);
    this.rain.gain.setTargetAtTime(around.underWater ? 0 : around.rain * (0.02 + 0.1 * open), t, 0.5);
    this.deep.gain.setTargetAtTime(around.underWater ? 0.5 : 0, t, 0.15);
    this.muffle.frequency.setTargetAtTime(around.underWater ? 500 : 20_000, t, 0.1);
    if (t > this.next && !around.underWater && open > 0.4 && around.rain < 0.3 && around.green) this.creature(around.time, open);
  }

  private creature(time: number, loud: number): void {
    const day = time > 0.02 && time < 0.48;
    const night = time > 0.55 && time < 0.95;
    const { ctx } = this.s;
    this.next = ctx.currentTime + (day ? 2.5 + Math.random() * 8 : 0.9 + Math.random() * 1.8);
    if (!day && !night) return;
    const gain = ctx.createGain();
    gain.gain.value = loud * (day ? 0.09 : 0.05) * (0.4 + Math.random());
    const pan = ctx.createStereoPanner();
    pan.pan.value = Math.random() * 1.6 - 0.8;
    pan.connect(gain).connect(this.muffle);
    if (day) this.bird(pan);
    else this.cricket(pan);
  }

  private bird(out: AudioNode): void {
    const base = 2200 + Math.random() * 2200;
    const notes = 2 + Math.floor(Math.random() * 5);
    const rise = Math.random() < 0.5 ? 1.25 : 0.8;
    for (let i = 0; i < notes; i++) {
      const from = vary(base, 0.1);
      tone(this.s, out, { from, to: from * rise, length: 0.07 + Math.random() * 0.09, attack: 0.015, volume: 0.6, delay: i * (0.11 + Math.random() * 0.05) });
    }
  }

  private cricket(out: AudioNode): void {
    const base = vary(4300, 0.08);
    for (let i = 0; i < 4; i++) tone(this.s, out, { from: base, length: 0.035, volume: 0.5, delay: i * 0.05, attack: 0.008 });
  }
}
