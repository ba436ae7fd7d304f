import { Reader, WireError } from './reader';

/** A frame: what changed in one region in one tick (docs/protocols/client.md). */
export interface Frame {
  regionX: number;
  regionZ: number;
  tick: number;
  /** the last input of ours that was run, or −1 */
  ack: number;
  /** our own body after that input, if the node came to another result */
  correction: Correction | null;
  /** counts the frames of the region where some may be lost, or −1 */
  number: number;
  cells: Cell[];
}

/** 1/4096 m, velocities per tick; flags as in BodyFlag. */
export interface Correction {
  x: number;
  y: number;
  z: number;
  vx: number;
  vy: number;
  vz: number;
  flags: number;
}

/** What changed in one column. */
export interface Cell {
  /** the column in its region: x & 3 | (z & 3) << 2 */
  index: number;
  /** forget the entities of this cell first */
  keyframe: boolean;
  enters: Enter[];
  moves: Move[];
  leaves: { handle: number; reason: number }[];
  states: { handle: number; pose: number; held: number }[];
  blocks: { place: number; block: number }[];
  events: { handle: number; event: number }[];
  cracks: { place: number; stage: number }[];
  /** armour from head to feet, 0 for none */
  wears: { handle: number; worn: number[] }[];
}

/** Where an entity is and how it moved last: 1/64 m from the region's lowest corner, 1/256 turns. */
export interface Motion {
  x: number;
  y: number;
  z: number;
  /** the last horizontal movement of a move entry */
  dx: number;
  dz: number;
  yaw: number;
  pitch: number;
}

export interface Enter extends Motion {
  handle: number;
  entity: number;
  kind: number;
  pose: number;
  held: number;
  name: string;
}

/** How a move changes the horizontal position and the look. */
export const Flat = { Last: 0, Near: 1, Wide: 2, Still: 3 } as const;
export const Look = { Same: 0, Near: 1, Wide: 2 } as const;

export interface Move {
  handle: number;
  flat: number;
  look: number;
  dx: number;
  dy: number;
  dz: number;
  yaw: number;
  pitch: number;
}

const FLAG_ACK = 1;
const FLAG_CORRECT = 2;
const FLAG_NUMBER = 4;
const FLAG_KEY = 0x80;
const CELLS = 16;
const MAX_HANDLE = 0xffff;

/** Decodes a frame's body. Throws WireError. */
export function decodeFrame(body: Uint8Array): Frame {
  const r = new Reader(body);
  const regionX = r.svarint();
  const regionZ = r.svarint();
  const tick = r.uvarint();
  const flags = r.u8();
  if (flags & ~(FLAG_ACK | FLAG_CORRECT | FLAG_NUMBER)) throw new WireError('unknown flags');
  const ack = flags & FLAG_ACK ? r.uvarint() : -1;
  const correction = flags & FLAG_CORRECT ? readCorrection(r) : null;
  const number = flags & FLAG_NUMBER ? r.u16() : -1;
  const cells: Cell[] = [];
  const n = r.uvarint();
  if (n > CELLS) throw new WireError(`${n} cells`);
  for (let i = 0; i < n; i++) cells.push(readCell(r));
  if (r.left > 0) throw new WireError('something follows the frame');
  return { regionX, regionZ, tick, ack, correction, number, cells };
}

function readCorrection(r: Reader): Correction {
  return {
    x: r.svarint(), y: r.svarint(), z: r.svarint(),
    vx: r.svarint(), vy: r.svarint(), vz: r.svarint(),
    flags: r.u8(),
  };
}

function readCell(r: Reader): Cell {
  const head = r.u8();
  if (head & ~(FLAG_KEY | (CELLS - 1))) throw new WireError('unknown cell');
  const c: Cell = {
    index: head & (CELLS - 1), keyframe: (head & FLAG_KEY) !== 0,
    enters: [], moves: [], leaves: [], states: [], blocks: [], events: [], cracks: [], wears: [],
  };
  for (let tag = r.u8(); tag !== 0; tag = r.u8()) readSection(r, tag, c);
  return c;
}

function readSection(r: Reader, tag: number, c: Cell): void {
  switch (tag) {
    case 1:
      return each(r, () => c.enters.push(readEnter(r)));
    case 2:
      return readMoves(r, c.moves);
    case 3:
      return each(r, () => c.leaves.push({ handle: r.uvarint(), reason: r.u8() }));
    case 4:
      return each(r, () => c.states.push({ handle: r.uvarint(), pose: r.u8(), held: r.uvarint() }));
    case 5:
      return each(r, () => c.blocks.push({ place: r.uvarint(), block: r.uvarint() }));
    case 6:
      return each(r, () => c.events.push({ handle: r.uvarint(), event: r.u8() }));
    case 7:
      return each(r, () => c.cracks.push({ place: r.uvarint(), stage: r.u8() }));
    case 8:
      return each(r, () => c.wears.push({ handle: r.uvarint(), worn: readWorn(r) }));
    default:
      throw new WireError(`section ${tag} is not known`);
  }
}

function each(r: Reader, read: () => void): void {
  for (let n = r.count(1); n > 0; n--) read();
}

function readWorn(r: Reader): number[] {
  const mask = r.u8();
  if (mask > 15) throw new WireError('unknown piece of armour');
  return [0, 1, 2, 3].map((i) => ((mask >> i) & 1 ? r.uvarint() : 0));
}

function readEnter(r: Reader): Enter {
  const e = {
    handle: r.uvarint(), entity: r.uvarint(), kind: r.u8(),
    x: r.svarint(), y: r.svarint(), z: r.svarint(), dx: r.svarint(), dz: r.svarint(),
    yaw: r.u8(), pitch: r.i8(), pose: r.u8(), held: r.uvarint(), name: r.str(),
  };
  if (e.handle > MAX_HANDLE) throw new WireError('handle out of range');
  return e;
}

const GAP_LONG = 7; // a uvarint with the rest of the gap follows

/**
 * Handles ascend: bits 0–2 of a head are the gap to the entry before, 3–4 the
 * horizontal move, 5 says that dy follows, 6–7 are the look.
 */
function readMoves(r: Reader, out: Move[]): void {
  let handle = -1;
  each(r, () => {
    const head = r.u8();
    let gap = head & 7;
    if (gap === GAP_LONG) gap += r.uvarint();
    handle += gap + 1;
    if (handle > MAX_HANDLE) throw new WireError('handle out of range');
    const m: Move = { handle, flat: (head >> 3) & 3, look: head >> 6, dx: 0, dy: 0, dz: 0, yaw: 0, pitch: 0 };
    if (m.flat === Flat.Near) {
      const b = r.u8();
      m.dx = low(b);
      m.dz = high(b);
    } else if (m.flat === Flat.Wide) {
      m.dx = r.svarint();
      m.dz = r.svarint();
    }
    if (head & 0x20) m.dy = r.svarint();
    readLook(r, m);
    out.push(m);
  });
}

function readLook(r: Reader, m: Move): void {
  switch (m.look) {
    case Look.Near: {
      const b = r.u8();
      m.yaw = low(b) & 0xff;
      m.pitch = high(b);
      return;
    }
    case Look.Wide:
      m.yaw = r.u8();
      m.pitch = r.i8();
      return;
    case 3:
      throw new WireError('unknown kind of look');
  }
}

const low = (b: number): number => (b << 28) >> 28;
const high = (b: number): number => (b << 24) >> 28;

/** Runs a move entry on what is known of the entity. */
export function applyMove(m: Move, to: Motion): void {
  if (m.flat === Flat.Near) {
    to.dx += m.dx;
    to.dz += m.dz;
  } else if (m.flat === Flat.Wide) {
    to.dx = m.dx;
    to.dz = m.dz;
  }
  if (m.flat !== Flat.Still) {
    to.x += to.dx;
    to.z += to.dz;
  }
  to.y += m.dy;
  if (m.look === Look.Near) {
    to.yaw = (to.yaw + m.yaw) & 0xff;
    to.pitch = ((to.pitch + m.pitch) << 24) >> 24;
  } else if (m.look === Look.Wide) {
    to.yaw = m.yaw;
    to.pitch = m.pitch;
  }
}
