import { contentHash, contentOf, useContent } from '../content';
import { decodeMessage, proofText, saidText, up } from './codec';
import { asks, isDawn, sign } from './decisions';
import { contentDirect, DirectSocket, type Socket } from './direct';
import type { Identity } from './identity';
import type { At } from './invited';
import { WireError } from './reader';
import { Signing } from './signing';
import { openSession, type SessionError } from './session';
import { Targets } from './targets';
import type { Message, Refused } from './types';

/** How the connection stands. */
export type Link =
  | { state: 'idle' }
  /** `note`: what the node says of how long that takes; `elsewhere`: it is not the page's own */
  | { state: 'connecting'; attempt: number; elsewhere: boolean; note?: string }
  | { state: 'live' }
  /** lost or refused for the moment; tries again at `retryAt` (ms, as Date.now) */
  | { state: 'waiting'; attempt: number; retryAt: number; why: SessionError | null }
  /** the node does not want us: only a person can change something */
  | { state: 'refused'; why: Refused };

export interface ConnectionOptions {
  identity: Identity;
  client: string;
  /** nodes of the link; empty: the page's own is used */
  link: readonly At[];
  onLink(link: Link): void;
  /** every message but the ones of the handshake; the Welcome is the first */
  onMessage(m: Message): void;
  /** something the node said could not be read; the connection goes on */
  onGarbage(e: WireError): void;
  /** whether the player has lain down and not got up since */
  inBed(): boolean;
}

/** Refusals before the socket that pass by themselves. */
const passing = new Set(['full', 'busy', 'too-fast', 'restart', 'internal']);
const PASSING_MS = 10_000;
/** Refusals that are about one node and not about the player: another may let us in. */
const ofOneNode = new Set(['host', 'origin', 'version', 'world', 'proof', 'token', 'code', 'not-whitelisted']);
/** How often a node is asked where else the world can be entered. */
const ASK_ENTRANCES_MS = 10_000;
/** No handshake takes longer on a link that is any good, unless the node says so. */
/** how many commands wait for something to sign */
const MAX_TYPED = 8;
const HANDSHAKE_MS = 10_000;
/** Nothing heard for so long: frames come 20 times a second, pongs every 2 s. */
const SILENCE_MS = 12_000;
/** The node drops us at this, see the page's limits; before that we hold back. */
const MAX_BUFFERED = 64 * 1024;

/** One player's connection to a node: handshake, reconnecting with back-off, liveness. */
export class Connection {
  private link: Link = { state: 'idle' };
  private socket: Socket | null = null;
  private timer = 0;
  private watch = 0;
  private heard = 0;
  private attempt = 0;
  private name = '';
  private code = '';
  private token: string | null = null;
  /** the last lines that were typed and for which nothing was signed */
  private typed: string[] = [];
  /** signs what the player does; of the socket that is used */
  private signing: Signing | null = null;
  /** rises with each try, so that late answers of an old one are ignored */
  private generation = 0;
  private readonly targets: Targets;
  /** the world's id, once the page's own node has said it */
  private world: Uint8Array | null = null;
  private asked = 0;
  /** what the node has given us to show at other nodes; empty: nothing */
  private admission = '';

  constructor(private readonly options: ConnectionOptions) {
    this.targets = new Targets(new URL('.', document.baseURI).href, options.link);
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

  /** The node that is used: URL of its gateway, whether the page is from another, and how many others are known. */
  get at(): { base: string; elsewhere: boolean; others: number } {
    const { current, elsewhere, known } = this.targets;
    return { base: current.base, elsewhere, others: known };
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
    const text = saidText(data);
    if (text) this.typed = [...this.typed, text].slice(-MAX_TYPED);
    if (this.signing) this.signing.pass(data);
    else s.send(data);
    return true;
  }

  private async connect(): Promise<void> {
    this.drop();
    const mine = ++this.generation;
    this.set({ state: 'connecting', attempt: this.attempt, elsewhere: this.targets.elsewhere });
    const { direct } = this.targets.current;
    const code = (this.targets.elsewhere && this.admission) || this.code;
    if (direct) return this.dialDirect(direct, code, mine);
    let token = this.targets.elsewhere ? null : this.token;
    this.token = null;
    if (!token) {
      const s = await openSession(code, this.targets.current.base);
      if (mine !== this.generation) return;
      if (!s.ok) return this.failed(s.error);
      const { base } = this.targets.current;
      if (!await this.hasContent(s.content, () => contentOf(s.content, base), mine)) return;
      token = s.token;
    }
    this.dial(token, mine);
  }

  /** Whether the page has what the world's packs define; otherwise it loads itself again. */
  private async hasContent(hash: string, get: () => Promise<string>, mine: number): Promise<boolean> {
    try {
      return await useContent(hash, get, true) && mine === this.generation;
    } catch (e) {
      if (mine === this.generation) this.failed({ code: 'content', text: (e as Error).message, network: e instanceof TypeError }); // as fetch throws without an answer
      return false;
    }
  }

  private dial(token: string, mine: number): void {
    const url = new URL(`ws?token=${encodeURIComponent(token)}`, this.targets.current.base);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    this.use(socket, mine);
  }

  private dialDirect(at: At, code: string, mine: number): void {
    const socket = new DirectSocket(at, code);
    socket.onsession = (s) => {
      if (mine !== this.generation) return;
      if (!s.ok) return this.failed(s.error);
      if (s.content === contentHash) return;
      this.drop();
      void this.hasContent(s.content, () => contentDirect([at], code, s.content), mine);
    };
    this.use(socket, mine);
  }

  private use(socket: Socket, mine: number): void {
    this.socket = socket;
    this.timer = window.setTimeout(() => socket.close(), HANDSHAKE_MS);
    const { identity, client } = this.options;
    socket.onopen = () => socket.send(up.hello(this.name, identity.publicKey, client));
    socket.onmessage = (e) => mine === this.generation && this.receive(socket, e.data);
    socket.onclose = () => mine === this.generation && this.failed(null);
  }

  private receive(socket: Socket, data: unknown): void {
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
        return this.prove(socket, m.nonce, m.world);
      case 'entrances':
        this.admission = m.code || this.admission;
        return this.targets.learn(m.list);
      case 'sign':
        return this.decide(m.statement);
      case 'pong':
        this.signing?.heard(m.tick);
        break;
      case 'refused':
        return this.refused(m);
      case 'notice':
        if (this.link.state === 'live') break;
        return this.waits(socket, m.text); // the world is busy: we are in a line
      case 'welcome':
        this.signing?.heard(m.tick);
        this.live();
    }
    this.options.onMessage(m);
  }

  /**
   * Signs the challenge, if it is of the node and the world that are meant. The
   * signature names both and the address that was dialled: it is of no use elsewhere.
   */
  private prove(socket: Socket, nonce: Uint8Array, world: Uint8Array): void {
    const { node } = this.targets.current;
    if (node ? !this.world || !same(world, this.world) || !same(nonce.subarray(0, node.length), node) : this.world && !same(world, this.world)) {
      return this.failed({ code: 'world', text: '', network: false }, undefined, true);
    }
    this.world = world;
    this.signing = new Signing(this.options.identity, world, nonce, this.name, (data) => socket.readyState === WebSocket.OPEN && socket.send(data));
    socket.send(up.proof(this.options.identity.sign(proofText(nonce, world, this.targets.audience, this.name))));
  }

  /** Signs a decision or an order, if the player has asked for it. */
  private decide(proposal: Uint8Array): void {
    const { identity } = this.options;
    const i = this.typed.findIndex((line) => asks(line, proposal, identity.publicKey, Date.now()));
    if (i >= 0) this.typed.splice(i, 1);
    else if (!isDawn(proposal) || !this.options.inBed()) return;
    this.send(up.signed(sign(proposal, identity)));
  }

  private waits(socket: Socket, note: string): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => socket.close(), HANDSHAKE_MS);
    this.set({ state: 'connecting', attempt: this.attempt, elsewhere: this.targets.elsewhere, note });
  }

  private live(): void {
    clearTimeout(this.timer);
    this.attempt = 0;
    this.asked = -Infinity;
    this.targets.reached();
    this.set({ state: 'live' });
    this.watch = window.setInterval(() => this.tend(), 1000);
  }

  /** Once a second while the connection is live. */
  private tend(): void {
    const now = performance.now();
    // A node that says nothing would not answer another socket either.
    if (now - this.heard > SILENCE_MS) return this.failed(null, undefined, true);
    if (now - this.asked < ASK_ENTRANCES_MS) return;
    this.asked = now;
    this.send(up.askEntrances());
  }

  private refused(why: Refused): void {
    if (this.targets.elsewhere && ofOneNode.has(why.code)) {
      return this.failed({ code: why.code, text: why.text, network: false }, undefined, true);
    }
    if (why.retry > 0) {
      return this.failed({ code: why.code, text: why.text, network: false }, why.retry * 1000);
    }
    this.generation++;
    this.drop();
    this.set({ state: 'refused', why });
  }

  /** `hopeless`: this node will not do better at the next try. */
  private failed(why: SessionError | null, wait?: number, hopeless = false): void {
    this.generation++;
    this.drop();
    hopeless ||= this.targets.elsewhere && why !== null && ofOneNode.has(why.code) || why?.silent === true;
    if (why && !why.network && wait === undefined && !passing.has(why.code) && !hopeless) {
      return this.set({ state: 'refused', why: { code: why.code, text: why.text, retry: 0 } });
    }
    const next = this.targets.failed(hopeless);
    const here = wait ?? (why && passing.has(why.code) ? PASSING_MS : next.wait * 0.75);
    const least = next.moved ? next.wait : here;
    const delay = least * (1 + Math.random() / 2); // spread: a node that restarts, or is busy, is not stormed
    this.attempt++;
    this.set({ state: 'waiting', attempt: this.attempt, retryAt: Date.now() + delay, why });
    this.timer = window.setTimeout(() => void this.connect(), delay);
  }

  private drop(): void {
    clearTimeout(this.timer);
    clearInterval(this.watch);
    const s = this.socket;
    this.socket = this.signing = null;
    if (!s) return;
    s.onopen = s.onmessage = s.onclose = null;
    s.close();
  }

  private set(link: Link): void {
    this.link = link;
    this.options.onLink(link);
  }
}

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((v, i) => v === b[i]);
