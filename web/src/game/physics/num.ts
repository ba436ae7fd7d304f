// The arithmetic of internal/core/fixed and internal/game/world/motion.go: integers kept
// in doubles, one unit is 1/4096 m. Every product stays below 2^53, so that the
// numbers are the very same as the node's.

export const ONE = 4096;

export const int = (n: number): number => n * ONE;
export const floor = (n: number): number => Math.floor(n / ONE);
export const frac = (n: number): number => n - Math.floor(n / ONE) * ONE;
export const clamp = (n: number, lo: number, hi: number): number => Math.max(lo, Math.min(n, hi));

/** a·b rounded towards minus infinity. */
export const mul = (a: number, b: number): number => Math.floor((a * b) / ONE);

/** v·f rounded towards zero. (0 − x, not −x: there is no −0 on the node.) */
export const scale = (v: number, f: number): number => (v < 0 ? 0 - mul(-v, f) : mul(v, f));

/** Moves a speed towards another, keeping a share of the difference. */
export const toward = (v: number, to: number, keep: number): number => to + scale(v - to, keep);

/** The sine of an angle (65536 is a full turn) in 1/4096ths, by Bhaskara's formula. */
export function sine(angle: number): number {
  const a = angle & 0x7fff;
  const p = a * (0x8000 - a);
  const s = Math.floor((16 * p * ONE) / (5 * 2 ** 30 - 4 * p));
  return (angle & 0xffff) >= 0x8000 ? 0 - s : s;
}

export const cosine = (angle: number): number => sine(angle + 0x4000);
