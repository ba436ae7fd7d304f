import { gunzipSync, strFromU8 } from 'fflate';
import { MAX_CONTENT } from '../content';
import type { At } from './invited';
import { answerOf, candidatesOf, drawUfrag, nextUfrag, sideOf } from './sdp';
import { readSession, type Session, type SessionError } from './session';
import { Up } from './types';

/** What Connection needs of a WebSocket, and data channels have as well. */
export interface Socket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  onopen: ((e: Event) => void) | null;
  onmessage: ((e: MessageEvent) => void) | null;
  onclose: ((e: CloseEvent) => void) | null;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

/**
 * Two data channels to a node: an ordered one, and one for inputs and frames on which
 * nothing is sent twice (docs/protocols/datachannel.md). It is open once the node has
 * accepted the code.
 */
export class DirectSocket implements Socket {
  onopen: ((e: Event) => void) | null = null;
  onmessage: ((e: MessageEvent) => void) | null = null;
  onclose: ((e: CloseEvent) => void) | null = null;
  /** the node's answer to the code, before onopen */
  onsession: ((s: Session) => void) | null = null;
  readyState: number = WebSocket.CONNECTING;
  private readonly peer = new RTCPeerConnection();
  private readonly ordered = this.peer.createDataChannel('', { negotiated: true, id: 0 });
  private readonly fast = this.peer.createDataChannel('', { negotiated: true, id: 1, ordered: false, maxRetransmits: 0 });

  private ufrag = '';
  /** of a hidden node, where it may be reached directly */
  private candidates: string[] = [];
  private heard = 0;
  private watch = 0;

  /** the size of what comes instead of a session */
  onsize: ((bytes: number) => void) | null = null;

  /** `plays`: not only to look what world this is; `content`: the hash of what is wanted of its packs. */
  constructor(private readonly at: At, code: string, plays = true, content = '') {
    for (const channel of [this.ordered, this.fast]) {
      channel.binaryType = 'arraybuffer';
      channel.onmessage = (e) => this.receive(e);
      channel.onclose = () => this.close();
    }
    this.ordered.onopen = () => this.ordered.send(JSON.stringify(plays ? { code, ice: this.side() } : { code, content }));
    this.peer.onconnectionstatechange = () => this.peer.connectionState === 'failed' && this.close();
    this.dial().catch(() => this.close());
  }

  get bufferedAmount(): number {
    return this.ordered.bufferedAmount + this.fast.bufferedAmount;
  }

  send(data: Uint8Array<ArrayBuffer>): void {
    const channel = data[0] === Up.Input ? this.fast : this.ordered;
    if (channel.readyState === 'open') channel.send(data);
  }

  close(): void {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    clearInterval(this.watch);
    this.peer.close();
    this.onclose?.(new CloseEvent('close'));
  }

  private async dial(): Promise<void> {
    this.ufrag = drawUfrag(this.at, random);
    await this.negotiate(this.ufrag);
  }

  private async negotiate(ufrag: string): Promise<void> {
    await this.peer.setLocalDescription();
    await this.peer.setRemoteDescription({ type: 'answer', sdp: answerOf(this.at, ufrag, this.candidates) });
  }

  /** Twice a second: looks for another path while nothing is heard. The channels go on there. */
  private tend(): void {
    if (performance.now() - this.heard < QUIET_MS || this.peer.signalingState !== 'stable') return;
    this.heard = performance.now(); // so long the next one waits
    this.restart().catch(() => this.close());
  }

  /** An ICE restart: as when dialling, but the fragment names the connection that goes on. */
  private async restart(): Promise<void> {
    this.peer.restartIce();
    await this.negotiate(nextUfrag(this.ufrag, random));
    // arrives when there is a path; a hidden node opens its router for what it names
    if (this.ordered.readyState === 'open') this.ordered.send(JSON.stringify({ ice: this.side() }));
  }

  /** What the node accepts our checks by. */
  private side(): ReturnType<typeof sideOf> {
    return sideOf(this.peer.localDescription?.sdp ?? '');
  }

  /** A hidden node says where else it may be. */
  private reachAt(said: unknown): void {
    this.candidates = candidatesOf(said);
    for (const candidate of this.candidates) void this.peer.addIceCandidate({ candidate, sdpMid: '0' }).catch(() => {});
  }

  private receive(e: MessageEvent): void {
    this.heard = performance.now();
    if (this.readyState === WebSocket.OPEN) return this.onmessage?.(e);
    if (typeof e.data !== 'string' || this.readyState !== WebSocket.CONNECTING) return;
    const said = parse(e.data) as { at?: unknown; size?: unknown } | null;
    if (said?.at !== undefined) return this.reachAt(said.at);
    if (typeof said?.size === 'number') {
      this.readyState = WebSocket.OPEN;
      return this.onsize?.(said.size);
    }
    const s = readSession(said);
    if (s.ok) {
      this.readyState = WebSocket.OPEN;
      this.watch = window.setInterval(() => this.tend(), 500);
    }
    this.onsession?.(s);
    if (s.ok) this.onopen?.(new Event('open'));
  }
}

const random = (b: Uint8Array<ArrayBuffer>): Uint8Array => crypto.getRandomValues(b);

/** Frames come 20 times a second: after so long without any the path is taken for lost. */
const QUIET_MS = 2000;

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** No handshake takes longer, on a path that is any good. */
const PROBE_MS = 6000;
const silent: SessionError = { code: 'network', text: '', network: true, silent: true };

/** So long the next node of a link is not asked: one that is there answers sooner. */
const STAGGER_MS = 1000;

/** Asks the nodes of a link what world they are of. The first that answers counts. */
export function lookDirect(all: readonly At[], code: string): Promise<Session> {
  return new Promise((resolve) => {
    let left = all.length;
    const late = all.map((at, i) => window.setTimeout(() => void probe(at, code).then((s) => {
      left--;
      if (!s.ok && s.error.network && left > 0) return;
      late.forEach(clearTimeout);
      resolve(s);
    }), i * STAGGER_MS));
  });
}

/** So long a node may take for its content. */
const CONTENT_MS = 60_000;

/** Gets what the packs of the world define, from the first node of a link that gives it. */
export async function contentDirect(all: readonly At[], code: string, hash: string): Promise<string> {
  for (const at of all) {
    const packed = await content(at, code, hash);
    if (packed) return strFromU8(gunzipSync(packed));
  }
  throw new TypeError('no node answers'); // as fetch throws
}

function content(at: At, code: string, hash: string): Promise<Uint8Array | null> {
  return new Promise((resolve) => {
    const socket = new DirectSocket(at, code, false, hash);
    const done = (packed: Uint8Array | null): void => {
      clearTimeout(late);
      socket.onclose = null;
      socket.close();
      resolve(packed);
    };
    const late = setTimeout(() => done(null), CONTENT_MS);
    socket.onclose = () => done(null);
    socket.onsession = () => done(null); // it says why it does not give it
    socket.onsize = (size) => {
      if (size > MAX_CONTENT) return done(null);
      const packed = new Uint8Array(size);
      let have = 0;
      socket.onmessage = (e) => {
        if (!(e.data instanceof ArrayBuffer) || have + e.data.byteLength > size) return done(null);
        packed.set(new Uint8Array(e.data), have);
        have += e.data.byteLength;
        if (have === size) done(packed);
      };
    };
  });
}

function probe(at: At, code: string): Promise<Session> {
  return new Promise((resolve) => {
    const socket = new DirectSocket(at, code, false);
    const done = (s: Session): void => {
      clearTimeout(late);
      socket.onclose = null;
      socket.close();
      resolve(s);
    };
    const late = setTimeout(() => done({ ok: false, error: silent }), PROBE_MS);
    socket.onsession = done;
    socket.onclose = () => done({ ok: false, error: { ...silent, silent: false } });
  });
}
