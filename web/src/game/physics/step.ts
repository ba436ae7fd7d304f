// internal/game/world/step.go, line by line: test/physics.test.ts holds it to the
// node's own results, number by number.
import { Block, blocks } from '../../gen/blocks';
import { type BlockSource, fluidLevel } from './blocks';
import { type Body, bodyBox, Button, human, Mode, type StepInput } from './body';
import { type Box, boxAt, shift, solidIn, sweepX, sweepY, sweepZ } from './box';
import { clamp, cosine, floor, frac, int, mul, ONE, scale, sine, toward } from './num';

const HEIGHT = 256;
const LIMIT = 2 ** 18;

const MAX_SPEED = 8 * ONE;
const GRAVITY = 328;
const AIR_DRAG = 4014;
const JUMP_SPEED = 1720;
const STEP_UP = 2048;
const GROUND_GRIP = 2236;
const ICE_GRIP = 3654;
const AIR_GRIP = 3727;
const WATER_DRAG = 3277;
const WATER_GRAVITY = 82;
const WATER_RISE = 164;
const WATER_HOP = 1229;
const WATER_LEAP = 2048;
const WATER_DEEP = 1638;
const WATER_TOP = 3584;
const CLIMB_SPEED = 819;
const CLIMB_SLIP = 614;
const FLY_SPEED = 2232;
const FLY_SPRINT = 4465;
const FLY_RISE = 1536;
const FLY_GRIP = 2867;
const EDGE_STEP = 205;
const PUSH_UP = 4;
const CEILING = (HEIGHT + 64) * ONE;

interface Vec {
  x: number;
  y: number;
  z: number;
}

const has = (input: StepInput, bit: number): boolean => (input.buttons & bit) !== 0;
const at = (w: BlockSource, x: number, y: number, z: number): number => w.block(floor(x), floor(y), floor(z));

/** Moves a player's body by one tick of 1/20 s; returns how far it had fallen if it landed in this step. */
export function step(w: BlockSource, b: Body, input: StepInput, mode: number): number {
  b.vx = clamp(b.vx, -MAX_SPEED, MAX_SPEED);
  b.vy = clamp(b.vy, -MAX_SPEED, MAX_SPEED);
  b.vz = clamp(b.vz, -MAX_SPEED, MAX_SPEED);
  if (mode !== Mode.Creative) input = { ...input, buttons: input.buttons & ~Button.Fly };
  const wish = wishOf(input);
  if (mode === Mode.Spectator) {
    drift(b, input, wish);
    return 0;
  }
  if (!place(w, b, input)) return 0;
  b.flying = has(input, Button.Fly);
  const run = Button.Forward | Button.Sprint;
  b.sprinting = (input.buttons & (run | Button.Back)) === run && !b.sneaking;
  b.inWater = !b.flying && inWater(w, b);
  b.climbing = !b.flying && !b.inWater && climbable(w, b);
  if (b.flying) fly(b, input, wish);
  else if (b.inWater) swim(b, input, wish);
  else walk(w, b, input, wish);
  return advance(w, b, input, wish);
}

/** The horizontal direction that the buttons ask for, of length 1 (4096) or zero. */
function wishOf(input: StepInput): Vec {
  const bit = (mask: number): number => (has(input, mask) ? 1 : 0);
  const forward = bit(Button.Forward) - bit(Button.Back);
  const right = bit(Button.Right) - bit(Button.Left);
  if (forward === 0 && right === 0) return { x: 0, y: 0, z: 0 };
  const sin = sine(input.yaw);
  const cos = cosine(input.yaw);
  let x = forward * sin + right * cos;
  let z = right * sin - forward * cos;
  if (forward !== 0 && right !== 0) {
    x = scale(x, 2896);
    z = scale(z, 2896);
  }
  return { x, y: 0, z };
}

function stop(b: Body): void {
  b.vx = b.vy = b.vz = 0;
}

/** Finds out whether the body can be where it is and how tall; gets it out of blocks. */
function place(w: BlockSource, b: Body, input: StepInput): boolean {
  if (at(w, b.x, b.y, b.z) < 0) {
    stop(b);
    return false;
  }
  const sneak = (input.buttons & (Button.Sneak | Button.Fly)) === Button.Sneak;
  b.sneaking = false;
  if (solidIn(w, bodyBox(b))) {
    b.sneaking = true;
    const crouch = bodyBox(b);
    if (solidIn(w, crouch) && !pushOut(w, b, crouch)) {
      stop(b);
      return false;
    }
    b.sneaking = sneak || solidIn(w, boxAt(b.x, b.y, b.z, human.half, human.height));
    return true;
  }
  b.sneaking = sneak;
  return true;
}

/** Moves a body that overlaps something solid to the nearest free place beside or above. */
function pushOut(w: BlockSource, b: Body, c: Box): boolean {
  const ways: Vec[] = [
    { x: int(floor(c.x1 - 1)) - c.x1, y: 0, z: 0 },
    { x: int(floor(c.x0) + 1) - c.x0, y: 0, z: 0 },
    { x: 0, y: 0, z: int(floor(c.z1 - 1)) - c.z1 },
    { x: 0, y: 0, z: int(floor(c.z0) + 1) - c.z0 },
  ];
  const length = (v: Vec): number => Math.abs(v.x) + Math.abs(v.z);
  let best: Vec = { x: 0, y: 0, z: 0 };
  let found = false;
  for (const way of ways) {
    const nearer = !found || length(way) < length(best);
    if (nearer && !solidIn(w, shift(c, way.x, 0, way.z))) {
      best = way;
      found = true;
    }
  }
  const half = ONE / 2;
  for (let up = half - (frac(c.y0) % half); up <= PUSH_UP * ONE; up += half) {
    if (found && length(best) <= up) break;
    if (!solidIn(w, shift(c, 0, up, 0))) {
      best = { x: 0, y: up, z: 0 };
      found = true;
      break;
    }
  }
  b.x += best.x;
  b.y += best.y;
  b.z += best.z;
  b.fall = 0;
  return found;
}

function fly(b: Body, input: StepInput, wish: Vec): void {
  const speed = has(input, Button.Sprint) ? FLY_SPRINT : FLY_SPEED;
  let rise = 0;
  if (has(input, Button.Jump)) rise += FLY_RISE;
  if (has(input, Button.Sneak)) rise -= FLY_RISE;
  b.vx = toward(b.vx, mul(wish.x, speed), FLY_GRIP);
  b.vy = toward(b.vy, rise, FLY_GRIP);
  b.vz = toward(b.vz, mul(wish.z, speed), FLY_GRIP);
}

function swim(b: Body, input: StepInput, wish: Vec): void {
  const speed = human.swim + (b.sprinting ? human.swim / 2 : 0);
  b.vx = toward(b.vx, mul(wish.x, speed), WATER_DRAG);
  b.vz = toward(b.vz, mul(wish.z, speed), WATER_DRAG);
  if (has(input, Button.Jump)) b.vy += WATER_RISE;
  if (has(input, Button.Sneak)) b.vy -= WATER_GRAVITY;
}

function walk(w: BlockSource, b: Body, input: StepInput, wish: Vec): void {
  const speed = b.sneaking ? human.sneak : b.sprinting ? human.sprint : human.walk;
  let grip = AIR_GRIP;
  if (b.onGround) {
    grip = at(w, b.x, b.y - ONE / 8, b.z) === Block.Ice ? ICE_GRIP : GROUND_GRIP;
    if (has(input, Button.Jump)) b.vy = JUMP_SPEED;
  }
  b.vx = toward(b.vx, mul(wish.x, speed), grip);
  b.vz = toward(b.vz, mul(wish.z, speed), grip);
  if (!b.climbing) return;
  b.vx = clamp(b.vx, -CLIMB_SLIP, CLIMB_SLIP);
  b.vz = clamp(b.vz, -CLIMB_SLIP, CLIMB_SLIP);
  b.vy = Math.max(b.vy, -CLIMB_SLIP);
  if (has(input, Button.Sneak)) b.vy = Math.max(b.vy, 0);
  if (has(input, Button.Jump)) b.vy = CLIMB_SPEED;
}

/** Moves the body as far as blocks allow; speed changes by what it met, gravity and drag. */
function advance(w: BlockSource, b: Body, input: StepInput, wish: Vec): number {
  let want: Vec = { x: b.vx, y: b.vy, z: b.vz };
  if (b.onGround && b.sneaking && has(input, Button.Sneak) && want.y <= 0) want = stayOn(w, bodyBox(b), want);
  const c = bodyBox(b);
  let got = slide(w, c, want);
  let landed = want.y < 0 && got.y !== want.y;
  if ((got.x !== want.x || got.z !== want.z) && (b.onGround || landed) && !b.flying) {
    const high = slideUp(w, c, want, got);
    if (high) {
      got = high;
      landed = true;
    }
  }
  b.blocked = got.x !== want.x || got.z !== want.z;
  if (got.x !== b.vx) b.vx = 0;
  if (got.z !== b.vz) b.vz = 0;
  if (got.y !== b.vy) b.vy = 0;
  b.x += got.x;
  b.y = Math.min(b.y + got.y, CEILING);
  b.z += got.z;
  b.onGround = landed;
  const fell = falls(b, got.y);
  after(w, b, input, wish);
  return fell;
}

function falls(b: Body, dy: number): number {
  let fell = 0;
  if (b.flying || b.inWater || b.climbing) b.fall = 0;
  else if (b.onGround) {
    fell = b.fall - Math.min(dy, 0);
    b.fall = 0;
  } else if (dy < 0) b.fall -= dy;
  return fell;
}

function after(w: BlockSource, b: Body, input: StepInput, wish: Vec): void {
  const pushes = b.blocked && (wish.x !== 0 || wish.z !== 0);
  if (b.flying) return;
  if (b.inWater) {
    b.vy = scale(b.vy, WATER_DRAG) - WATER_GRAVITY;
    if (pushes) hop(w, b, input, wish);
    return;
  }
  if (b.climbing && pushes) b.vy = CLIMB_SPEED;
  b.vy = scale(b.vy - GRAVITY, AIR_DRAG);
}

/** Lifts a swimmer who pushes against a bank, if there is room on it. */
function hop(w: BlockSource, b: Body, input: StepInput, wish: Vec): void {
  const ahead = shift(bodyBox(b), mul(wish.x, 512), 0, mul(wish.z, 512));
  if (!solidIn(w, shift(ahead, 0, 2458, 0))) b.vy = Math.max(b.vy, WATER_HOP);
  else if (has(input, Button.Jump) && !solidIn(w, shift(ahead, 0, 6554, 0))) b.vy = Math.max(b.vy, WATER_LEAP);
}

/** Moves a box along y, x and z in turn. */
function slide(w: BlockSource, c: Box, d: Vec): Vec {
  const y = sweepY(w, c, d.y);
  c = shift(c, 0, y, 0);
  const x = sweepX(w, c, d.x);
  c = shift(c, x, 0, 0);
  return { x, y, z: sweepZ(w, c, d.z) };
}

/** The same half a block higher and down again, if that comes further than got. */
function slideUp(w: BlockSource, c: Box, d: Vec, got: Vec): Vec | null {
  const up = sweepY(w, c, STEP_UP);
  c = shift(c, 0, up, 0);
  const x = sweepX(w, c, d.x);
  c = shift(c, x, 0, 0);
  const z = sweepZ(w, c, d.z);
  c = shift(c, 0, 0, z);
  const y = up + sweepY(w, c, 0 - up);
  return x * x + z * z > got.x * got.x + got.z * got.z && y > 0 ? { x, y, z } : null;
}

/** Shortens a sneaking body's way so that something stays under its feet. */
function stayOn(w: BlockSource, c: Box, d: Vec): Vec {
  let { x, z } = d;
  while (x !== 0 && !solidIn(w, shift(c, x, -STEP_UP, 0))) x = shorter(x);
  while (z !== 0 && !solidIn(w, shift(c, 0, -STEP_UP, z))) z = shorter(z);
  while (x !== 0 && z !== 0 && !solidIn(w, shift(c, x, -STEP_UP, z))) {
    x = shorter(x);
    z = shorter(z);
  }
  return { x, y: d.y, z };
}

function shorter(d: number): number {
  if (d > EDGE_STEP) return d - EDGE_STEP;
  if (d < -EDGE_STEP) return d + EDGE_STEP;
  return 0;
}

/** A spectator: like flying, through everything. */
function drift(b: Body, input: StepInput, wish: Vec): void {
  fly(b, input, wish);
  const edge = int(LIMIT - 1);
  b.x = clamp(b.x + b.vx, -edge, edge);
  b.y = clamp(b.y + b.vy, 0, CEILING);
  b.z = clamp(b.z + b.vz, -edge, edge);
  b.flying = true;
  b.onGround = b.inWater = b.climbing = b.sneaking = b.sprinting = b.blocked = false;
  b.fall = 0;
}

/** Reports whether a body with its feet there swims. */
function inWater(w: BlockSource, b: Body): boolean {
  return underWater(w, b.x, b.y + WATER_DEEP, b.z);
}

/** Reports whether a point is in water. */
export function underWater(w: BlockSource, x: number, y: number, z: number): boolean {
  const level = fluidLevel(at(w, x, y, z));
  if (level === 0) return false;
  if (frac(y) < (WATER_TOP / 8) * level) return true;
  return fluidLevel(at(w, x, y + ONE, z)) > 0;
}

function climbable(w: BlockSource, b: Body): boolean {
  return blocks[at(w, b.x, b.y, b.z)]?.climbable ?? false;
}
