import type { At } from './invited';

/** What node and page have agreed on for ever: socket.BrowserUfrag of the node. */
const PREFIX = 'vp1+';
const ICE_CHARS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DRAWN = 24;
/** so many characters of the fingerprint name the node, so that another one knows for whom a check is */
const NAME = 16;

/** Draws the fragment of the node's side, which is its password as well. */
export function drawUfrag(at: At, random: (b: Uint8Array<ArrayBuffer>) => Uint8Array): string {
  return PREFIX + at.fingerprint.slice(0, NAME).replaceAll('-', '+').replaceAll('_', '/') + chars(DRAWN, random);
}

/** That of an ICE restart begins in the same way, and is another. */
export function nextUfrag(ufrag: string, random: (b: Uint8Array<ArrayBuffer>) => Uint8Array): string {
  return ufrag + chars(4, random);
}

function chars(n: number, random: (b: Uint8Array<ArrayBuffer>) => Uint8Array): string {
  return Array.from(random(new Uint8Array(n)), (b) => ICE_CHARS[b & 63]).join('');
}

/** The node's answer, which the node never sees: all of it is known beforehand. */
export function answerOf(at: At, ufrag: string, others: readonly string[] = []): string {
  const family = at.ip.includes(':') ? 'IP6' : 'IP4';
  return [
    'v=0', `o=- 1 1 IN ${family} ${at.ip}`, 's=-', 't=0 0', 'a=ice-lite', 'a=group:BUNDLE 0',
    `m=application ${at.port} UDP/DTLS/SCTP webrtc-datachannel`, `c=IN ${family} ${at.ip}`,
    'a=mid:0', `a=ice-ufrag:${ufrag}`, `a=ice-pwd:${ufrag}`, `a=fingerprint:sha-256 ${colons(at.fingerprint)}`,
    'a=setup:passive', 'a=sctp-port:5000', 'a=max-message-size:4096',
    `a=candidate:1 1 udp ${LAST} ${at.ip} ${at.port} typ host`, ...others.map((c) => `a=${c}`), '',
  ].join('\r\n');
}

/** Priorities of candidates: what stands in the link may be another node that passes everything on. */
const LAST = 1;
const FIRST = 2130706431;

/** What a hidden node says of where else it may be reached, as candidates. */
export function candidatesOf(said: unknown): string[] {
  if (!Array.isArray(said)) return [];
  return said.slice(0, MAX_CANDIDATES).map((text, i) => {
    const m = typeof text === 'string' ? ADDRESS.exec(text) : null;
    return m ? `candidate:${i + 2} 1 udp ${FIRST - i} ${m[1] ?? m[2]} ${m[3]} typ host` : '';
  }).filter((c) => c !== '');
}

const MAX_CANDIDATES = 8;
const ADDRESS = /^(?:\[([0-9a-f:.]{2,45})\]|([0-9.]{7,15})):([0-9]{1,5})$/i;

/** The page's own side, of its description; null: it has none yet. */
export function sideOf(sdp: string): { ufrag: string; pwd: string } | null {
  const [ufrag, pwd] = ['ufrag', 'pwd'].map((k) => new RegExp(`^a=ice-${k}:(\\S+)`, 'm').exec(sdp)?.[1]);
  return ufrag && pwd ? { ufrag, pwd } : null;
}

function colons(fingerprint: string): string {
  const raw = atob(fingerprint.replaceAll('-', '+').replaceAll('_', '/'));
  return Array.from(raw, (c) => c.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()).join(':');
}
