import { readAt, type At } from './invited';
import type { Entrance } from './types';

/** A node to connect to. */
export interface Target {
  /** URL of its gateway, ending in a slash; or `webrtc:` and the fingerprint of its certificate */
  readonly base: string;
  /** the node that must answer there; null: the page's own, which has served this very program, or one of the link */
  readonly node: Uint8Array | null;
  /** where it is reached over data channels */
  readonly direct?: At;
}

/** So many tries at the node that one was at before others are tried: about three seconds. */
const PATIENCE = 4;
/** Before the first try at another node. */
const HOP_MS = 200;
const BACKOFF_MS = [300, 700, 1500, 3000, 5000];
/** What a node names is not believed to be short. */
const MAX_OTHERS = 16;

/**
 * Which node to connect to: the one that the page is from, or, when that is gone,
 * another node of the same world. The page stays where it is and takes its key
 * nowhere; it only signs there.
 */
export class Targets {
  /** the page's own node; or those of the link, if the page is no node's */
  private readonly own: readonly [Target, ...Target[]];
  private others: Target[] = [];
  private now: Target;
  /** where one was last let in: that node is tried for longer */
  private home: Target;
  private tries = 0;
  private turns = 0;

  /** `page`: the page's own base URL; `link`: nodes to use instead of its server. */
  constructor(private readonly page: string, link: readonly At[] = []) {
    const [first, ...rest] = link.map((at) => directTarget(at, null));
    this.own = first ? [first, ...rest] : [{ base: page, node: null }];
    this.now = this.home = this.own[0];
  }

  /** What a proof names as the address that was dialled. */
  get audience(): string {
    return this.now.direct ? this.now.base : new URL(this.now.base).host;
  }

  get current(): Target {
    return this.now;
  }

  /** The node that the page is from is not the one that is used. */
  get elsewhere(): boolean {
    return this.now.node !== null;
  }

  /** How many other addresses are known. */
  get known(): number {
    return this.others.length;
  }

  /** A node has said where else the world can be entered. */
  learn(list: readonly Entrance[]): void {
    const page = new URL(this.page);
    const found = list.map((e) => targetOf(e, page)).filter((t) => t !== null);
    for (let i = found.length - 1; i > 0; i--) { // players of a node that dies do not all go to the same one
      const j = Math.floor(Math.random() * (i + 1));
      [found[i], found[j]] = [found[j]!, found[i]!];
    }
    found.sort((a, b) => Number(!!a.direct) - Number(!!b.direct)); // data channels are for nodes that nothing else reaches
    this.others = found.filter((t) => t.base !== this.now.base && this.own.every((o) => o.base !== t.base)).slice(0, MAX_OTHERS);
    if (this.elsewhere) this.others.push(this.now);
  }

  /** Let in. */
  reached(): void {
    this.home = this.now;
    this.tries = this.turns = 0;
  }

  /**
   * A try has failed; `hopeless`: more of them there would too. Says how many ms to wait
   * for the next, and whether that is at another node.
   */
  failed(hopeless = false): { wait: number; moved: boolean } {
    this.tries++;
    const ring = [...this.own, ...this.others];
    const backoff = (n: number): number => BACKOFF_MS[Math.min(n, BACKOFF_MS.length - 1)]!;
    const stays = ring.length === 1 || (!hopeless && this.turns === 0 && this.now === this.home && this.tries < PATIENCE);
    if (stays) return { wait: backoff(this.tries - 1), moved: false };
    this.now = ring[(ring.indexOf(this.now) + 1) % ring.length]!;
    if (this.now === this.home) this.turns++;
    return { wait: this.turns === 0 ? HOP_MS : backoff(this.turns + 1), moved: true };
  }
}

const directTarget = (at: At, node: Uint8Array | null): Target => ({ base: `webrtc:${at.fingerprint}`, node, direct: at });

/** Reads what a node has said of another; null: it is of no use to this page. */
function targetOf(e: Entrance, page: URL): Target | null {
  const at = e.url.startsWith('webrtc:') ? readAt(e.url.slice('webrtc:'.length)) : null;
  if (at) return directTarget(at, e.node);
  return usable(e.url, page) ? { base: e.url, node: e.node } : null;
}

/** A browser lets a page that came by https talk over https only, or to its own machine. */
function usable(url: string, page: URL): boolean {
  try {
    const u = new URL(url);
    const safe = u.protocol === 'https:' || page.protocol !== 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(u.hostname);
    return /^https?:$/.test(u.protocol) && safe && u.pathname === '/' && !u.search && !u.username;
  } catch {
    return false;
  }
}
