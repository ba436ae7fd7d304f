import { decodeMessage, proofText, up } from './codec';
import type { Identity } from './identity';
import { WireError } from './reader';
import { openSession, type SessionError } from './session';
import type { Message, Refused } from './types';

/** How the connection stands. */
export type Link =
  | { state: 'idle' }
  /** `note`: what the node says of how long that takes */
  | { state: 'connecting'; attempt: number; note?: string }
  | { state: 'live' }
  /** lost or refused for the moment; tries again at `retryAt` (ms, as Date.now) */
  | { state: 'waiting'; attempt: number; retryAt: number; why: SessionError | null }
  /** the node does not want us: only a person can change something */
  | { state: 'refused'; why: Refused };

export interface ConnectionOptions {
  identity: Identity;
  client: string;
  onLink(link: Link): void;
  /** every message but the ones of the handshake; the Welcome is the first */
  onMessage(m: Message): void;
  /** something the node said could not be read; the connection goes on */
  onGarbage(e: WireError): void;
}

const BACKOFF_MS = [300, 700, 1500, 3000, 5000];
/** Refusals before the socket that pass by themselves. */
const passing = new Set(['full', 'busy', 'too-fast', 'restart', 'internal']);
const PASSING_MS = 10_000;
/** No handshake takes longer on a link that is any good, unless the node says so. */
const HANDSHAKE_MS = 10_000;
/** Nothing heard for so long: frames come 20 times a second, pongs every 2 s. */
const SILENCE_MS = 12_000;
/** The node drops us at this, see the page's limits; before that we hold back. */
const MAX_BUFFERED = 64 * 1024;

/** One player's connection to a node: handshake, reconnecting with back-off, liveness. */
export class Connection {
  private link: Link = { state: 'idle' };
  private socket: WebSocket | null = null;
  private timer = 0;
  private watch = 0;
  private heard = 0;
  private attempt = 0;
  private name = '';
  private code = '';
  private token: string | null = null;
  /** rises with each try, so that late answers of an old one are ignored */
  private generation = 0;

  constructor(private readonly options: ConnectionOptions) {
    addEventListener('online', () => this.retryNow());
  }

  /** Connects as `name`; `code` is the join code, `token` one that was just given out. */
  start(name: string, code: string, token: string | null): void {
    this.name = name;
    this.code = code;
    this.token = token;
    this.attempt = 0;
    void this.connect();
  }

  /** Leaves for good. */
  stop(): void {
    this.generation++;
    this.send(up.leave());
    this.drop();
    this.set({ state: 'idle' });
  }

  /** Does not wait for the back-off. */
  retryNow(): void {
    if (this.link.state === 'waiting') void this.connect();
  }

  /** Sends if the connection is live; says whether it did. */
  send(data: Uint8Array<ArrayBuffer>): boolean {
    const s = this.socket;
    if (this.link.state !== 'live' || !s || s.readyState !== WebSocket.OPEN || s.bufferedAmount > MAX_BUFFERED) return false;
    s.send(data);
    return true;
  }

  private async connect(): Promise<void> {
    this.drop();
    const mine = ++this.generation;
    this.set({ state: 'connecting', attempt: this.attempt });
    let token = this.token;
    this.token = null;
    if (!token) {
      const s = await openSession(this.code);
      if (mine !== this.generation) return;
      if (!s.ok) return this.failed(s.error);
      token = s.token;
    }
    this.dial(token, mine);
  }

  private dial(token: string, mine: number): void {
    const url = new URL(`ws?token=${encodeURIComponent(token)}`, document.baseURI);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    this.timer = window.setTimeout(() => socket.close(), HANDSHAKE_MS);
    const { identity, client } = this.options;
    socket.onopen = () => socket.send(up.hello(this.name, identity.publicKey, client));
    socket.onmessage = (e) => mine === this.generation && this.receive(socket, e.data);
    socket.onclose = () => mine === this.generation && this.failed(null);
  }

  private receive(socket: WebSocket, data: unknown): void {
    this.heard = performance.now();
    if (!(data instanceof ArrayBuffer)) return;
    let m: Message;
    try {
      m = decodeMessage(new Uint8Array(data));
    } catch (e) {
      if (!(e instanceof WireError)) throw e;
      return this.options.onGarbage(e);
    }
    switch (m.type) {
      case 'challenge':
        socket.send(up.proof(this.options.identity.sign(proofText(m.nonce, m.world))));
        return;
      case 'refused':
        return this.refused(m);
      case 'notice':
        if (this.link.state === 'live') break;
        return this.waits(socket, m.text); // the world is busy: we are in a line
      case 'welcome':
        this.live();
    }
    this.options.onMessage(m);
  }

  private waits(socket: WebSocket, note: string): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => socket.close(), HANDSHAKE_MS);
    this.set({ state: 'connecting', attempt: this.attempt, note });
  }

  private live(): void {
    clearTimeout(this.timer);
    this.attempt = 0;
    this.set({ state: 'live' });
    this.watch = window.setInterval(() => {
      if (performance.now() - this.heard > SILENCE_MS) this.socket?.close();
    }, 1000);
  }

  private refused(why: Refused): void {
    if (why.retry > 0) {
      return this.failed({ code: why.code, text: why.text, network: false }, why.retry * 1000);
    }
    this.generation++;
    this.drop();
    this.set({ state: 'refused', why });
  }

  private failed(why: SessionError | null, wait?: number): void {
    this.generation++;
    this.drop();
    if (why && !why.network && wait === undefined && !passing.has(why.code)) {
      return this.set({ state: 'refused', why: { code: why.code, text: why.text, retry: 0 } });
    }
    const base = BACKOFF_MS[Math.min(this.attempt, BACKOFF_MS.length - 1)]!;
    const least = wait ?? (why && passing.has(why.code) ? PASSING_MS : base * 0.75);
    const delay = least * (1 + Math.random() / 2); // spread: a node that restarts, or is busy, is not stormed
    this.attempt++;
    this.set({ state: 'waiting', attempt: this.attempt, retryAt: Date.now() + delay, why });
    this.timer = window.setTimeout(() => void this.connect(), delay);
  }

  private drop(): void {
    clearTimeout(this.timer);
    clearInterval(this.watch);
    const s = this.socket;
    this.socket = null;
    if (!s) return;
    s.onopen = s.onmessage = s.onclose = null;
    s.close();
  }

  private set(link: Link): void {
    this.link = link;
    this.options.onLink(link);
  }
}

