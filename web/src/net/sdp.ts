import type { At } from './invited';

/** What node and page have agreed on for ever: socket.BrowserUfrag of the node. */
const PREFIX = 'vp1+';
const ICE_CHARS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DRAWN = 24;

/** Draws the fragment of the node's side, which is its password as well. */
export function drawUfrag(random: (b: Uint8Array<ArrayBuffer>) => Uint8Array): string {
  return PREFIX + Array.from(random(new Uint8Array(DRAWN)), (b) => ICE_CHARS[b & 63]).join('');
}

/** The node's answer, which the node never sees: all of it is known beforehand. */
export function answerOf(at: At, ufrag: string): string {
  const family = at.ip.includes(':') ? 'IP6' : 'IP4';
  return [
    'v=0', `o=- 1 1 IN ${family} ${at.ip}`, 's=-', 't=0 0', 'a=ice-lite', 'a=group:BUNDLE 0',
    `m=application ${at.port} UDP/DTLS/SCTP webrtc-datachannel`, `c=IN ${family} ${at.ip}`,
    'a=mid:0', `a=ice-ufrag:${ufrag}`, `a=ice-pwd:${ufrag}`, `a=fingerprint:sha-256 ${colons(at.fingerprint)}`,
    'a=setup:passive', 'a=sctp-port:5000', 'a=max-message-size:4096',
    `a=candidate:1 1 udp 2130706431 ${at.ip} ${at.port} typ host`, 'a=end-of-candidates', '',
  ].join('\r\n');
}

function colons(fingerprint: string): string {
  const raw = atob(fingerprint.replaceAll('-', '+').replaceAll('_', '/'));
  return Array.from(raw, (c) => c.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()).join(':');
}
