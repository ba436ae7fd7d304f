import { up } from '../net/codec';
import type { HostLand, HostLink, HostNode, HostRegion, HostStorage } from '../net/types';
import type { GameState } from './state';

const ASK_MS = 1000;

/** Who hosts the world, as far as our node knows. Asked for only while somebody looks. */
export class Hosts {
  nodes: HostNode[] = [];
  regions: HostRegion[] = [];
  links: HostLink[] = [];
  /** of the replicated storage, in worlds that have one */
  storage: HostStorage | undefined;
  /** nodes that are proven to have lied about a region that they led */
  convicted: Uint8Array[] = [];
  /** that players have claimed */
  lands: HostLand[] = [];
  private readonly byPlace = new Map<string, HostRegion>();
  private last = -Infinity;

  constructor(private readonly game: Pick<GameState, 'ready' | 'send'>) {}

  /** To be called as long as the answer is shown. */
  ask(now: number): void {
    if (now - this.last < ASK_MS || !this.game.ready) return;
    this.last = now;
    this.game.send(up.askHosts());
  }

  arrived(nodes: HostNode[], regions: HostRegion[], links: HostLink[], storage: HostStorage | undefined, convicted: Uint8Array[], lands: HostLand[]): void {
    this.nodes = nodes;
    this.lands = lands;
    this.convicted = convicted;
    this.storage = storage;
    this.links = links;
    this.regions = regions;
    this.byPlace.clear();
    for (const r of regions) this.byPlace.set(`${r.x},${r.z}`, r);
  }

  region(x: number, z: number): HostRegion | undefined {
    return this.byPlace.get(`${x},${z}`);
  }

  /** Whether a node is proven to have lied. */
  lied(node: HostNode): boolean {
    return this.convicted.some((who) => sameId(who, node.id));
  }

  /** How the zones of the storage agreed about a region, if our node has looked there. */
  look(x: number, z: number): HostStorage['observed'][number] | undefined {
    return this.storage?.observed.find((l) => l.x === x && l.z === z);
  }

  /** What a region's leader is called: our own node, or the beginning of its id. */
  name(place: number | undefined): string {
    const node = place === undefined ? undefined : this.nodes[place];
    if (!node) return '–';
    return place === 0 ? `this node (${shortId(node.id)})` : shortId(node.id);
  }
}

export function shortId(id: Uint8Array): string {
  return Array.from(id.subarray(0, 4), (b) => b.toString(16).padStart(2, '0')).join('');
}

export function sameId(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((v, i) => v === b[i]);
}

/** A colour that a node keeps, far from that of most others. */
export function hue(id: Uint8Array): number {
  return (((id[0]! << 8) | id[1]!) * 137.508) % 360;
}
