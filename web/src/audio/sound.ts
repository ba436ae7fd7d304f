import type { Settings } from '../game/settings';

/** Where a sound comes from, in metres; nowhere is in the head. */
export interface Place {
  x: number;
  y: number;
  z: number;
}

/** Sounds farther than this are not made. */
const FAR = 28;

/** The audio graph: effects and surroundings into one master, quietened by a compressor. */
export class Sound {
  readonly effects: GainNode;
  readonly ambience: GainNode;
  /** two seconds of white noise, the stuff that most sounds are made of */
  readonly noise: AudioBuffer;
  private readonly master: GainNode;
  private ear = { x: 0, y: 0, z: 0, yaw: 0 };

  private constructor(readonly ctx: AudioContext) {
    const squeeze = ctx.createDynamicsCompressor();
    this.master = ctx.createGain();
    this.effects = ctx.createGain();
    this.ambience = ctx.createGain();
    this.effects.connect(this.master);
    this.ambience.connect(this.master);
    this.master.connect(squeeze).connect(ctx.destination);
    this.noise = ctx.createBuffer(1, ctx.sampleRate * 2, ctx.sampleRate);
    const data = this.noise.getChannelData(0);
    for (let i = 0; i < data.length; i++) data[i] = Math.random() * 2 - 1;
  }

  /** Browsers allow sound after a click or key only: call it from one. Null where there is no sound. */
  static create(): Sound | null {
    try {
      return new Sound(new AudioContext({ latencyHint: 'interactive' }));
    } catch {
      return null;
    }
  }

  volumes(s: Settings): void {
    const t = this.ctx.currentTime;
    this.master.gain.setTargetAtTime(s.master ** 2, t, 0.05);
    this.effects.gain.setTargetAtTime(s.effects ** 2, t, 0.05);
    this.ambience.gain.setTargetAtTime(s.ambience ** 2, t, 0.05);
  }

  /** Where the ears are. */
  listen(x: number, y: number, z: number, yaw: number): void {
    this.ear = { x, y, z, yaw };
  }

  /** A way to the effects that is as loud and as far to one side as the place; null if nobody would hear it. */
  output(at: Place | null, volume: number): AudioNode | null {
    if (this.ctx.state !== 'running') return null;
    const gain = this.ctx.createGain();
    gain.connect(this.effects);
    if (!at) {
      gain.gain.value = volume;
      return gain;
    }
    const [dx, dy, dz] = [at.x - this.ear.x, at.y - this.ear.y, at.z - this.ear.z];
    const far = Math.hypot(dx, dy, dz);
    if (far > FAR) return null;
    gain.gain.value = (volume * (1 - far / FAR)) / (1 + far * 0.15);
    const side = dx * Math.cos(this.ear.yaw) + dz * Math.sin(this.ear.yaw);
    const pan = this.ctx.createStereoPanner();
    pan.pan.value = far < 0.5 ? 0 : (side / far) * 0.8;
    pan.connect(gain);
    return pan;
  }

  mute(quiet: boolean): void {
    void (quiet ? this.ctx.suspend() : this.ctx.resume());
  }
}
