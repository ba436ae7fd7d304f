import type { Identity } from './identity';

// Decisions of operators (docs/protocols/decisions.md): the node proposes what a
// command of the player asks for, the player's key signs it. Neither the node nor
// the host of the lobby is trusted: only what was typed is signed.

const CONTEXT = new TextEncoder().encode('voxelpopuli decision 1\n');
const SIGNATURE = 64;
const ISSUER = 21;
const HEAD = 92;
const ON = 1;

/** What a proposal is about, as far as it is compared with what was typed. */
interface Proposal {
  topic: number;
  on: boolean;
  name: string;
}

const OPERATOR = 1;
const WHITELIST = 4;
const ADDRESS_BAN = 6;
const verbs: Record<string, readonly [topic: number, on: boolean]> = {
  op: [OPERATOR, true], deop: [OPERATOR, false], ban: [2, true], unban: [2, false],
  banip: [ADDRESS_BAN, true], unbanip: [ADDRESS_BAN, false],
  'whitelist on': [WHITELIST, true], 'whitelist off': [WHITELIST, false],
  'whitelist add': [3, true], 'whitelist remove': [3, false],
};

function parse(b: Uint8Array): Proposal | null {
  if (b.length < HEAD + 2 + SIGNATURE || b[0] !== 1) return null;
  const end = HEAD + b[HEAD - 1]!;
  if (end + 2 + SIGNATURE > b.length) return null;
  return { topic: b[61]!, on: (b[62]! & ON) !== 0, name: new TextDecoder().decode(b.subarray(HEAD, end)) };
}

const fold = (s: string): string => s.normalize('NFKC').toLowerCase().normalize('NFKC');

/** Whether a typed line asks for a proposal: the rules of decision.Asks. */
export function asks(line: string, statement: Uint8Array): boolean {
  const s = parse(statement);
  const words = line.slice(1).split(/\s+/).filter((w) => w !== '');
  if (!s || !line.startsWith('/') || words.length < 2) return false;
  let verb = words.shift()!.toLowerCase();
  if (verb === 'whitelist') verb += ` ${words.shift()!.toLowerCase()}`;
  const want = verbs[verb];
  if (!want || s.topic !== want[0] || s.on !== want[1]) return false;
  if (s.topic === WHITELIST) return words.length === 0;
  // An abbreviation of one address is another address.
  if (s.topic === ADDRESS_BAN) return s.name !== '' && s.name === words[0];
  const typed = fold(words.join(' ').replaceAll('"', ''));
  const name = fold(s.name);
  if (name === '' || typed === '') return false;
  if (typed === name || typed.startsWith(`${name} `)) return true;
  // An abbreviation will not do where somebody would become an operator by a mistake.
  return !(s.topic === OPERATOR && s.on) && name.startsWith(fold(words[0]!.replace(/^"+|"+$/g, '')));
}

/** The statement with the player as its issuer, signed. */
export function sign(statement: Uint8Array, identity: Identity): Uint8Array {
  const out = statement.slice();
  out.set(identity.publicKey, ISSUER);
  const body = out.subarray(0, out.length - SIGNATURE);
  const text = new Uint8Array(CONTEXT.length + body.length);
  text.set(CONTEXT);
  text.set(body, CONTEXT.length);
  out.set(identity.sign(text), body.length);
  return out;
}
