// The weather follows from the world's seed and the time: internal/game/world/weather.go has the same numbers.

/** ticks that it stays as it is, at least */
const SPAN = 6000;
const ONE_IN = 5;
/** ticks in which rain comes and goes */
const RAMP = 160;

const u64 = (n: bigint): bigint => BigInt.asUintN(64, n);

function mix(z: bigint): bigint {
  z = u64((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = u64((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return z ^ (z >> 31n);
}

/** internal/core/rng, Hash */
const hash = (...parts: bigint[]): bigint => parts.reduce((h, p) => mix(h ^ mix(u64(p + 0x9e3779b97f4a7c15n))), 0x243f6a8885a308d3n);

/** The low half of the seed that a person typed, as a number or as a text (worldfs.SeedNumber). */
export function seedOf(text: string): number {
  const bytes = new TextEncoder().encode(text);
  const n = /^-?\d{1,19}$/.test(text) ? BigInt(text) : bytes.reduce((h, b) => hash(h, BigInt(b)), hash(BigInt(bytes.length)));
  return Number(BigInt.asIntN(32, n));
}

/** Whether it rains, or where it is cold snows; a world begins with fair weather. */
export function raining(seed: number, tick: number): boolean {
  if (tick < SPAN) return false;
  let h = seed ^ Math.imul(Math.floor(tick / SPAN), 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) % ONE_IN === 0;
}

/** How hard it rains, 0 to 1. */
export function rain(seed: number, tick: number): number {
  if (!raining(seed, tick)) return 0;
  const since = raining(seed, tick - (tick % SPAN) - 1) ? RAMP : tick % SPAN;
  const until = raining(seed, tick + SPAN) ? RAMP : SPAN - (tick % SPAN);
  return Math.min(1, since / RAMP, until / RAMP);
}
