import * as ed from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';

// WebCrypto is missing on plain http at a LAN address, so that the hash comes along.
ed.hashes.sha512 = sha512;

const STORE_KEY = 'voxelpopuli.key';

/** The player's key: who holds it is that player. It leaves this browser only as a text that a person takes along. */
export interface Identity {
  readonly publicKey: Uint8Array;
  /** false: this browser forbids keeping it, the next visit is another player's */
  readonly kept: boolean;
  /** as `readKey` reads it: the secret itself */
  readonly text: string;
  sign(text: Uint8Array): Uint8Array;
  /** the same signature, where possible by the browser itself, which takes a tenth of the time */
  signLater(text: Uint8Array): Promise<Uint8Array>;
}

/** The browser's storage; even naming it can throw where it is forbidden. */
export const browserStore: Pick<Storage, 'getItem' | 'setItem'> = {
  getItem: (k) => localStorage.getItem(k),
  setItem: (k, v) => localStorage.setItem(k, v),
};

/** Loads the key kept in `store`, or makes one and keeps it there. */
export function loadIdentity(store: Pick<Storage, 'getItem' | 'setItem'>): Identity {
  const kept = parseHex(safeGet(store));
  const secret = kept ?? ed.keygen().secretKey;
  const stays = kept !== null || safeSet(store, toHex(secret));
  const sign = (text: Uint8Array): Uint8Array => ed.sign(text, secret);
  return { publicKey: ed.getPublicKey(secret), kept: stays, text: keyText(secret), sign, signLater: native(secret, sign) };
}

// An Ed25519 secret as WebCrypto wants it: PKCS #8 (RFC 8410).
const PKCS8 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

/** Signs by WebCrypto if there is one that knows Ed25519, otherwise by `sign`. */
function native(secret: Uint8Array, sign: (text: Uint8Array) => Uint8Array): Identity['signLater'] {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return async (text) => sign(text);
  const key = subtle.importKey('pkcs8', Uint8Array.of(...PKCS8, ...secret), 'Ed25519', false, ['sign']).catch(() => null);
  return async (text) => {
    const k = await key;
    return k ? new Uint8Array(await subtle.sign('Ed25519', k, Uint8Array.from(text))) : sign(text);
  };
}

// Kinds of keys and their check, in which a wrong letter shows.
const HEAD = 'vpk1-';
const check = (secret: Uint8Array): string => toHex(sha512(secret).subarray(0, 4));

function keyText(secret: Uint8Array): string {
  return HEAD + toHex(secret) + check(secret);
}

/** The secret in a text that somebody has typed, pasted or kept in a file; null: there is none in it. */
export function readKey(text: string): Uint8Array | null {
  const digits = new RegExp(`${HEAD}([0-9a-f]{72})(?![0-9a-f])`, 'i').exec(text)?.[1]?.toLowerCase();
  const secret = parseHex(digits?.slice(0, 64) ?? null);
  return secret && digits!.slice(64) === check(secret) ? secret : null;
}

/** Puts a key in the place of the one that is kept; false: this browser forbids it. */
export function keepKey(store: Pick<Storage, 'setItem'>, secret: Uint8Array): boolean {
  return safeSet(store, toHex(secret));
}

// A browser may forbid storage (private windows): then the key lives as long as the page.
function safeGet(store: Pick<Storage, 'getItem'>): string | null {
  try {
    return store.getItem(STORE_KEY);
  } catch {
    return null;
  }
}

function safeSet(store: Pick<Storage, 'setItem'>, value: string): boolean {
  try {
    store.setItem(STORE_KEY, value);
    return true;
  } catch {
    return false;
  }
}

export function toHex(b: Uint8Array): string {
  return Array.from(b, (v) => v.toString(16).padStart(2, '0')).join('');
}

function parseHex(s: string | null): Uint8Array | null {
  if (!s || !/^[0-9a-f]{64}$/.test(s)) return null;
  return Uint8Array.from(s.match(/../g)!, (h) => parseInt(h, 16));
}
