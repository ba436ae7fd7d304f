// What mobs say, by the model that they are drawn with.

/** A Voice is a tone that slides and wobbles, and how much breath is in it. */
export interface Voice {
  type: OscillatorType;
  /** Hz */
  from: number;
  to: number;
  /** seconds */
  length: number;
  /** Hz, and depth in Hz */
  wobble: [number, number];
  /** 0 to 1 */
  breath: number;
  /** how often it is said at once */
  times: number;
}

const voice = (type: OscillatorType, from: number, to: number, length: number, wobble: [number, number], breath = 0, times = 1): Voice =>
  ({ type, from, to, length, wobble, breath, times });

const voices: Record<string, Voice> = {
  sheep: voice('sawtooth', 430, 360, 0.6, [13, 26]),
  cow: voice('sawtooth', 165, 120, 1, [5, 6], 0.1),
  pig: voice('sawtooth', 240, 150, 0.16, [38, 60], 0.25, 2),
  chicken: voice('triangle', 760, 1040, 0.09, [0, 0], 0, 3),
  duck: voice('sawtooth', 420, 330, 0.14, [45, 50], 0, 3),
  rabbit: voice('triangle', 1500, 1900, 0.08, [0, 0]),
  wolf: voice('sawtooth', 120, 90, 0.5, [28, 25], 0.4),
  fox: voice('sawtooth', 620, 900, 0.12, [0, 0], 0.1, 2),
  goat: voice('sawtooth', 520, 420, 0.5, [18, 40]),
  deer: voice('triangle', 330, 210, 0.7, [6, 10], 0.15),
  bird: voice('sawtooth', 620, 480, 0.2, [50, 90], 0.1, 2),
  fish: voice('sine', 500, 900, 0.08, [0, 0], 0, 2),
  walker: voice('sawtooth', 110, 80, 0.9, [7, 10], 0.35),
  archer: voice('square', 900, 300, 0.04, [0, 0], 0.3, 4),
  spider: voice('sawtooth', 2600, 1800, 0.35, [60, 500], 0.9),
  slime: voice('sine', 220, 90, 0.2, [20, 40], 0.3),
  bat: voice('triangle', 3200, 4200, 0.06, [0, 0], 0, 3),
  burster: voice('sawtooth', 1200, 2600, 1.1, [0, 0], 1),
  diver: voice('sine', 150, 95, 0.8, [11, 30], 0.5),
  burrower: voice('sawtooth', 300, 500, 0.07, [0, 0], 0.7, 4),
  brute: voice('sawtooth', 60, 42, 1.2, [9, 8], 0.5),
};
const monster = voice('sawtooth', 95, 60, 0.9, [23, 12], 0.4);

export const voiceOf = (model: string): Voice => voices[model] ?? monster;
