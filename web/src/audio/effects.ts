import type { Place, Sound } from './sound';
import { puff, tone, vary } from './synth';
import { voiceOf } from './voices';

/** How a material sounds: the pitch of its knock and the colour of its crunch. */
interface Material {
  /** Hz of a dull body, 0 for none */
  knock: number;
  /** Hz of the crunch */
  crunch: number;
  q: number;
  /** seconds of a step's crunch */
  length: number;
  loud: number;
  /** grains of which the crunch consists */
  grains: number;
  ring?: number;
}

const stone: Material = { knock: 180, crunch: 1500, q: 1.1, length: 0.06, loud: 0.5, grains: 1 };

/** By the sound sets of the block table. */
const materials: Record<string, Material> = {
  stone,
  dirt: { knock: 95, crunch: 480, q: 0.8, length: 0.09, loud: 0.6, grains: 2 },
  grass: { knock: 80, crunch: 900, q: 0.6, length: 0.11, loud: 0.5, grains: 2 },
  sand: { knock: 0, crunch: 2100, q: 0.5, length: 0.13, loud: 0.45, grains: 2 },
  gravel: { knock: 110, crunch: 1300, q: 1.4, length: 0.05, loud: 0.5, grains: 4 },
  wood: { knock: 240, crunch: 700, q: 2.5, length: 0.05, loud: 0.6, grains: 1 },
  leaves: { knock: 0, crunch: 3200, q: 0.7, length: 0.09, loud: 0.35, grains: 3 },
  glass: { knock: 0, crunch: 4200, q: 3, length: 0.05, loud: 0.4, grains: 2, ring: 2300 },
  snow: { knock: 0, crunch: 1100, q: 0.6, length: 0.14, loud: 0.45, grains: 3 },
  cloth: { knock: 70, crunch: 350, q: 0.6, length: 0.1, loud: 0.5, grains: 1 },
  water: { knock: 0, crunch: 800, q: 1, length: 0.2, loud: 0.4, grains: 2 },
};

/** All short sounds, each made when it is heard. */
export class Effects {
  constructor(private readonly s: Sound) {}

  step(set: string, at: Place | null, loud = 1): void {
    this.crunch(set, at, 0.32 * loud, 1);
  }

  dig(set: string, at: Place): void {
    this.crunch(set, at, 0.4, 1.1);
  }

  broke(set: string, at: Place): void {
    this.crunch(set, at, 0.9, 2.2);
    this.crunch(set, at, 0.6, 1.2, 0.06);
    if (set === 'glass') this.shatter(at);
  }

  placed(set: string, at: Place): void {
    this.crunch(set, at, 0.7, 0.9);
    const out = this.s.output(at, 0.5);
    if (out) tone(this.s, out, { from: vary(150), to: 70, length: 0.09, volume: 0.5 });
  }

  private crunch(set: string, at: Place | null, volume: number, stretch: number, delay = 0): void {
    const m = materials[set] ?? stone;
    const out = this.s.output(at, volume * m.loud);
    if (!out) return;
    if (m.knock) tone(this.s, out, { from: vary(m.knock), to: m.knock * 0.55, type: 'triangle', length: 0.07 * stretch, volume: 0.8, delay });
    for (let i = 0; i < m.grains; i++) {
      puff(this.s, out, {
        from: vary(m.crunch, 0.25), to: m.crunch * 0.6, q: m.q, length: vary(m.length) * stretch,
        volume: 1.4 / m.grains ** 0.5, delay: delay + i * 0.022 * stretch * Math.random() * 2,
      });
    }
    if (m.ring) tone(this.s, out, { from: vary(m.ring), length: 0.12 * stretch, volume: 0.15, delay });
  }

  private shatter(at: Place): void {
    const out = this.s.output(at, 0.25);
    if (!out) return;
    for (let i = 0; i < 7; i++) tone(this.s, out, { from: 1800 + Math.random() * 3800, length: 0.08 + Math.random() * 0.2, volume: 0.25, delay: i * 0.02 });
  }

  jump(): void {
    const out = this.s.output(null, 0.18);
    if (out) puff(this.s, out, { from: 300, to: 700, length: 0.1, volume: 0.6, attack: 0.02 });
  }

  land(set: string, metres: number): void {
    this.crunch(set, null, Math.min(0.35 + metres * 0.12, 1.2), 1.3);
    const out = this.s.output(null, Math.min(metres * 0.12, 0.7));
    if (out) tone(this.s, out, { from: 110, to: 45, length: 0.16, volume: 0.9 });
  }

  splash(at: Place | null, speed = 1): void {
    const out = this.s.output(at, Math.min(0.3 + 0.3 * speed, 0.9));
    if (!out) return;
    puff(this.s, out, { from: 500, to: 2600, q: 0.6, length: 0.18, volume: 0.9, attack: 0.01 });
    puff(this.s, out, { from: 1800, to: 500, q: 0.7, length: 0.55, volume: 0.6, attack: 0.06, delay: 0.08 });
    for (let i = 0; i < 4; i++) tone(this.s, out, { from: 400 + Math.random() * 500, to: 900 + Math.random() * 600, length: 0.06, volume: 0.12, delay: 0.12 + Math.random() * 0.3 });
  }

  swim(): void {
    const out = this.s.output(null, 0.16);
    if (out) puff(this.s, out, { from: vary(600), to: 1300, q: 0.8, length: 0.35, volume: 0.8, attack: 0.12 });
  }

  hurt(at: Place | null): void {
    const out = this.s.output(at, 0.5);
    if (!out) return;
    tone(this.s, out, { from: vary(260), to: 130, type: 'sawtooth', length: 0.18, volume: 0.35 });
    puff(this.s, out, { from: 900, to: 300, length: 0.12, volume: 0.8 });
  }

  swing(at: Place | null): void {
    const out = this.s.output(at, 0.14);
    if (out) puff(this.s, out, { from: 700, to: 1800, q: 0.9, length: 0.14, volume: 0.7, attack: 0.05 });
  }

  /** What mobs say. */
  call(model: string, at: Place): void {
    const out = this.s.output(at, 0.5);
    if (!out) return;
    const { from, to, type, length, wobble, breath, times } = voiceOf(model);
    const pitch = vary(1);
    for (let i = 0; i < times; i++) {
      const delay = i * length * 1.3;
      if (breath < 1) tone(this.s, out, { from: from * pitch, to: to * pitch, type, length, attack: Math.min(0.1, length / 5), volume: 0.26 * (1 - breath / 2), wobble: wobble[0] ? wobble : undefined, delay });
      if (breath > 0) puff(this.s, out, { from: Math.max(300, from * 1.5), to: Math.max(200, to * 1.5), q: 1.5, length, volume: breath * 0.5, attack: length / 5, delay });
    }
  }

  /** Something bursts. */
  burst(at: Place): void {
    const out = this.s.output(at, 1);
    if (!out) return;
    tone(this.s, out, { from: 120, to: 30, length: 0.7, volume: 1 });
    puff(this.s, out, { from: 900, to: 120, q: 0.4, length: 0.9, volume: 1.6, attack: 0.01 });
  }

  eat(at: Place): void {
    this.crunch('grass', at, 0.4, 0.8);
  }

  /** An item is picked up. */
  taken(at: Place): void {
    const out = this.s.output(at, 0.25);
    if (out) tone(this.s, out, { from: vary(520), to: 980, length: 0.07, volume: 0.5, type: 'triangle' });
  }

  /** For the interface: click, pop (an item moves), chat. */
  ui(kind: 'click' | 'pop' | 'chat' | 'open'): void {
    const out = this.s.output(null, 0.2);
    if (!out) return;
    const [from, to, length] = { click: [900, 700, 0.04], pop: [500, 900, 0.06], chat: [1050, 1050, 0.09], open: [380, 520, 0.08] }[kind] as [number, number, number];
    tone(this.s, out, { from, to, length, volume: 0.5, type: 'triangle' });
    if (kind === 'chat') tone(this.s, out, { from: 1400, length: 0.12, volume: 0.3, delay: 0.07 });
  }
}
