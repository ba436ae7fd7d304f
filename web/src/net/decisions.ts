import type { Identity } from './identity';
import { corners, fold, ORDER_VERSION, orderAskedBy, playerId } from './orders';

// Decisions and orders of operators (docs/protocols/decisions.md): the node proposes
// what a command of the player asks for, the player's key signs it. Neither the node
// nor the host of the lobby is trusted: only what was typed is signed.

const CONTEXT = new TextEncoder().encode('voxelpopuli decision 1\n');
const ORDER_CONTEXT = new TextEncoder().encode('voxelpopuli order 1\n');
const SIGNATURE = 64;
const ISSUER = 21;
const HEAD = 92;
const ON = 1;

/** What a proposal is about, as far as it is compared with what was typed. */
interface Proposal {
  topic: number;
  on: boolean;
  name: string;
  text: string;
}

const OPERATOR = 1;
const WHITELIST = 4;
const ADDRESS_BAN = 6;
const TIME = 5;
const APPOINT = 7, MUTE = 8, JAIL = 9, LAND = 10, TRUST = 11, SETTING = 12, WARP = 13;
const verbs: Record<string, readonly [topic: number, on: boolean]> = {
  op: [OPERATOR, true], deop: [OPERATOR, false], ban: [2, true], unban: [2, false],
  banip: [ADDRESS_BAN, true], unbanip: [ADDRESS_BAN, false],
  role: [APPOINT, true], mute: [MUTE, true], unmute: [MUTE, false], jail: [JAIL, true], free: [JAIL, false],
  claim: [LAND, true], unclaim: [LAND, false], trust: [TRUST, true], untrust: [TRUST, false],
  'whitelist on': [WHITELIST, true], 'whitelist off': [WHITELIST, false],
  'whitelist add': [3, true], 'whitelist remove': [3, false],
};

/** Whether a proposal is an order about one player, not a decision. */
const isOrder = (b: Uint8Array): boolean => b[0] === ORDER_VERSION;

function parse(b: Uint8Array): Proposal | null {
  if (b.length < HEAD + 2 + SIGNATURE || b[0] !== 1) return null;
  const end = HEAD + b[HEAD - 1]!;
  if (end + 2 + SIGNATURE > b.length) return null;
  const text = end + 2;
  return {
    topic: b[61]!, on: (b[62]! & ON) !== 0, name: new TextDecoder().decode(b.subarray(HEAD, end)),
    text: new TextDecoder().decode(b.subarray(text, b.length - SIGNATURE)),
  };
}

/** Whether a line that the holder of a public key has typed asks for a proposal: the rules of decision.Asks and Order.AskedBy. */
export function asks(line: string, proposal: Uint8Array, publicKey: Uint8Array, now: number): boolean {
  return isOrder(proposal) ? orderAskedBy(line, proposal, playerId(publicKey), now) : asksDecision(line, proposal);
}

/** Whether a proposal says that the night is over, and nothing else: who is in bed signs that. */
export function isDawn(proposal: Uint8Array): boolean {
  const s = isOrder(proposal) ? null : parse(proposal);
  return s !== null && s.topic === TIME && s.on && s.text === 'day';
}

function asksDecision(line: string, statement: Uint8Array): boolean {
  const s = parse(statement);
  const words = line.slice(1).split(/\s+/).filter((w) => w !== '');
  if (!s || !line.startsWith('/') || words.length === 0) return false;
  let verb = words.shift()!.toLowerCase();
  if (s.topic === SETTING || s.topic === WARP) return settingAskedBy(s, verb, words);
  if (words.length === 0) return false;
  if (verb === 'whitelist') verb += ` ${words.shift()!.toLowerCase()}`;
  if (verb === 'time' && s.topic === TIME && words.length === 2) {
    return words[0] === 'set' ? words[1] === s.text : words[0] === 'add';
  }
  const want = verbs[verb];
  if (!want || s.topic !== want[0] || s.on !== want[1]) return false;
  if (s.topic === WHITELIST) return words.length === 0;
  if (s.topic === LAND) return landAskedBy(s, words);
  if (s.topic === APPOINT && (words.length < 2 || words.at(-1) !== s.text)) return false;
  // An abbreviation of one address is another address.
  if (s.topic === ADDRESS_BAN) return s.name !== '' && s.name === words[0];
  const typed = fold(words.join(' ').replaceAll('"', ''));
  const name = fold(s.name);
  if (name === '' || typed === '') return false;
  if (typed === name || typed.startsWith(`${name} `)) return true;
  // An abbreviation will not do where somebody would become an operator by a mistake.
  return !(s.topic === OPERATOR && s.on) && name.startsWith(fold(words[0]!.replace(/^"+|"+$/g, '')));
}

/** Whether what was typed asks for a setting or a named place; where the player stands the node says. */
function settingAskedBy(s: Proposal, verb: string, [name, ...value]: string[]): boolean {
  const setting = s.topic === SETTING;
  if (verb === 'setspawn') return setting && s.on && s.name === 'spawn' && name === undefined;
  if (s.name !== name) return false;
  if (setting) return verb === 'setting' && value.length > 0 && value.join(' ') === (s.on ? s.text : 'default');
  return verb === (s.on ? 'setwarp' : 'delwarp') && value.length === 0;
}

/** Whether what stands behind /claim or /unclaim is a statement about land: corners that are named are its corners. */
function landAskedBy(s: Proposal, words: string[]): boolean {
  if (s.name !== words[0]) return false;
  if (!s.on) return true;
  if (words.length === 2) return true;
  const box = words.length === 7 ? corners(words) : null;
  return box !== null && s.text.startsWith(box);
}

/** The proposal with the player as its issuer, signed. */
export function sign(statement: Uint8Array, identity: Identity): Uint8Array {
  const out = statement.slice();
  out.set(identity.publicKey, ISSUER);
  const body = out.subarray(0, out.length - SIGNATURE);
  const context = isOrder(statement) ? ORDER_CONTEXT : CONTEXT;
  const text = new Uint8Array(context.length + body.length);
  text.set(context);
  text.set(body, context.length);
  out.set(identity.sign(text), body.length);
  return out;
}
