// What a link to a world says of the nodes that it is reached by over WebRTC:
// `at=ADDRESS:PORT_FINGERPRINT`, one to three of them, behind #.

/** A node's UDP address, and the SHA-256 of its certificate. */
export interface At {
  readonly ip: string;
  readonly port: number;
  /** 32 bytes in base64 for URLs */
  readonly fingerprint: string;
}

const MAX_AT = 3;
const FORM = /^(?:\[([0-9a-f:.]{2,45})\]|([0-9.]{7,15})):([0-9]{1,5})_([A-Za-z0-9_-]{43})$/i;

/** Reads one; null: it is none. Addresses only: no name is looked up for a link. */
export function readAt(text: string): At | null {
  const m = FORM.exec(text);
  const port = Number(m?.[3]);
  return m && port > 0 && port < 65536 ? { ip: (m[1] ?? m[2])!, port, fingerprint: m[4]! } : null;
}

/** Reads those that stand in one text, with spaces between them. */
export function readAll(text: string): At[] {
  return text.split(' ').map(readAt).filter((a) => a !== null).slice(0, MAX_AT);
}

/** Whether the page was served by a static server, and so by no node (`voxelpopuli page`). */
export const fromNowhere = (): boolean => document.querySelector('meta[name="voxelpopuli-page"]') !== null;
