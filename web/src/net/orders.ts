import { sha256 } from '@noble/hashes/sha2.js';

// Orders about one player (docs/protocols/decisions.md, "Orders").

export const ORDER_VERSION = 0x81;
const SIGNATURE = 64;
const HEAD = 109;
const ONE = 4096; // of a coordinate: a metre
const WINDOW_MS = 600_000;
const TELEPORT = 1, GIVE = 2, SET_MODE = 3, KICK = 4, SPAWN = 5, INSPECT = 6, ROLLBACK = 7, RESTORE = 8;
const named = ['sethome', 'home', 'delhome', 'warp']; // kinds 9 to 12
const LIST_HOMES = 13, BUILD = 14;
const modes = ['survival', 'creative', 'spectator'];

interface Order {
  time: number; // of issue, in Unix milliseconds
  kind: number;
  self: boolean; // about the player itself
  nobody: boolean; // about no single player
  at: number[]; // in metres
  count: number;
  name: string;
  text: string;
}

export const fold = (s: string): string => s.normalize('NFKC').toLowerCase().normalize('NFKC');

/** The id of the player who has a key. */
export const playerId = (publicKey: Uint8Array): Uint8Array => sha256(publicKey).subarray(0, 20);

function parse(b: Uint8Array, player: Uint8Array): Order | null {
  if (b.length < HEAD + 2 + SIGNATURE || b[0] !== ORDER_VERSION) return null;
  const end = HEAD + b[HEAD - 1]!;
  if (end + 2 + SIGNATURE > b.length) return null;
  const v = new DataView(b.buffer, b.byteOffset, b.byteLength);
  const text = new TextDecoder();
  return {
    time: Number(v.getBigUint64(53)), kind: b[61]!, self: player.every((x, i) => x === b[62 + i]), nobody: player.every((_, i) => b[62 + i] === 0),
    at: [82, 90, 98].map((i) => Number(v.getBigInt64(i)) / ONE), count: v.getUint16(106),
    name: text.decode(b.subarray(HEAD, end)), text: text.decode(b.subarray(end + 2, b.length - SIGNATURE)),
  };
}

/** The words of a line; null: a double quote is open. */
function split(line: string): string[] | null {
  const out: string[] = [];
  for (let i = 0; i < line.length;) {
    if (line[i] === ' ') {
      i++;
      continue;
    }
    const quoted = line[i] === '"';
    const from = quoted ? i + 1 : i;
    let end = line.indexOf(quoted ? '"' : ' ', from);
    if (quoted && end < 0) return null;
    if (end < 0) end = line.length;
    out.push(line.slice(from, end));
    i = quoted ? end + 1 : end;
  }
  return out;
}

/** Whether a line that a player typed just now asks for an order: the rules of Order.AskedBy in Go. */
export function orderAskedBy(line: string, proposal: Uint8Array, player: Uint8Array, now: number): boolean {
  const o = parse(proposal, player);
  const words = line.startsWith('/') ? split(line.slice(1)) : null;
  if (!o || !words || words.length === 0 || Math.abs(o.time - now) > WINDOW_MS) return false;
  const means = (typed: string): boolean => typed !== '' && fold(o.name).startsWith(fold(typed));
  const [verb, ...args] = words as [string, ...string[]];
  const n = args.length;
  const place = named.indexOf(verb.toLowerCase());
  if (place >= 0) return o.kind === 9 + place && o.self && n < 2 && (args[0] ?? 'home') === o.text;
  if (o.kind === BUILD) return buildAskedBy(o.text, verb.toLowerCase(), args.join(' ').toLowerCase());
  switch (verb.toLowerCase()) {
    case 'undo':
    case 'redo':
      return o.kind === (verb.toLowerCase() === 'undo' ? ROLLBACK : RESTORE) && o.self && n === 0;
    case 'homes':
      return o.kind === LIST_HOMES && o.self;
    case 'spawn':
      return o.kind === SPAWN && o.self;
    case 'kick':
      return o.kind === KICK && n > 0 && means(args[0]!) && line.trim().endsWith(o.text);
    case 'gamemode':
      return o.kind === SET_MODE && (n === 1 ? o.self : n === 2 && means(args[1]!)) && isMode(args[0]!, o.text);
    case 'give':
      return o.kind === GIVE && (n === 2 || n === 3) && means(args[0]!) && args[1]!.toLowerCase() === o.text && (args[2] ?? '1') === String(o.count);
    case 'inspect':
      return o.kind === INSPECT && (n === 1 || n === 6) && o.nobody && o.name === '' && inBox(o, args);
    case 'rollback':
    case 'restore':
      return o.kind === (verb.toLowerCase() === 'rollback' ? ROLLBACK : RESTORE) && undoAskedBy(o, args, means);
    case 'tp': {
      const other = n === 2 || n === 4;
      if (o.kind !== TELEPORT || !(other ? means(args[0]!) : o.self)) return false;
      const where = other ? args.slice(1) : args;
      return where.length === 1 || where.length === 3 && where.every((typed, i) => near(typed, o.at[i]!));
    }
  }
  return false;
}

/** Whether what was typed asks for an order to build. Corners that were not typed are the lobby's word. */
function buildAskedBy(text: string, verb: string, typed: string): boolean {
  if (!text.startsWith(`${verb} `)) return false;
  if (verb === 'paste') return typed === '' || text.startsWith(`${verb} ${typed} `);
  if (verb === 'copy' || verb === 'cut') return typed === '' || text === `${verb} ${typed}`;
  return typed !== '' && text.endsWith(` ${typed}`);
}

/** Two corners at the end of what was typed, in the order in which the node writes them; null: there are none. */
export function corners(args: string[]): string | null {
  const n = args.filter((w) => w !== 'preview').slice(-6).map(Number);
  if (n.length !== 6 || n.some((v) => !Number.isInteger(v))) return null;
  const corner = (pick: (a: number, b: number) => number): number[] => [0, 1, 2].map((i) => pick(n[i]!, n[i + 3]!));
  return `${[...corner(Math.min), ...corner(Math.max)].join(' ')} `;
}

/** Whether an order is about the box that was typed, if one was. */
function inBox(o: Order, args: string[]): boolean {
  const box = corners(args);
  return box === null || o.text.startsWith(box);
}

/** Whether what stands behind /rollback or /restore asks for an order about the history of a box. */
function undoAskedBy(o: Order, args: string[], means: (typed: string) => boolean): boolean {
  if (args.length === 0 || !inBox(o, args) || o.text.endsWith(' preview') !== (args.at(-1) === 'preview')) return false;
  return args[0] === '*' ? o.nobody && o.name === '' : !o.nobody && means(args[0]!);
}

const isMode = (typed: string, mode: string): boolean =>
  typed === String(modes.indexOf(mode)) || typed !== '' && mode.startsWith(typed.toLowerCase());

/** Whether a coordinate that was typed is the order's, within the block. */
const near = (typed: string, at: number): boolean =>
  typed.startsWith('~') || typed.trim() !== '' && Math.abs(Number(typed) - at) < 1;
