import { hue, sameId, shortId, type Hosts } from '../game/hosts';
import { h } from './dom';
import { t } from './strings';

type Axis = (metres: number) => number;
type Cell = { x: number; z: number }[];

/** The world reaches so far from its middle, in metres. */
const WORLD_EDGE = 262_144;
const PLAN_SIDE = 168;
const LIED = 'rgb(229,72,77)';

/** The part of the map that shows who hosts what: regions in their leader's colour, and a list of the nodes. */
export class MapHosts {
  readonly legend = h('ul', { class: 'map-hosts', attr: { 'aria-label': t.map.hosts } });
  private shown = '';
  private readonly plan = h('canvas', { class: 'map-plan', width: 2 * PLAN_SIDE, height: 2 * PLAN_SIDE, attr: { role: 'img', 'aria-label': t.map.plan } });

  constructor(private readonly hosts: Hosts) {}

  draw(ctx: CanvasRenderingContext2D, px: Axis, pz: Axis): void {
    this.list();
    if (this.hosts.nodes.length < 2) return; // all is hosted by one node: a colour would only tint the land
    for (const r of this.hosts.regions) {
      const leader = this.hosts.nodes[r.members[0] ?? -1];
      if (!leader) continue;
      const [x, y, side] = [px(r.x * 128), pz(r.z * 128), px(128) - px(0)];
      ctx.fillStyle = `hsl(${hue(leader.id)} 80% 55% / ${r.awake ? 0.24 : 0.1})`;
      ctx.fillRect(x, y, side, side);
      if (this.hosts.lied(leader)) {
        ctx.strokeStyle = LIED;
        ctx.lineWidth = 3;
        ctx.strokeRect(x + 2, y + 2, side - 4, side - 4);
      }
      if (side > 24) this.members(ctx, r.members, x, y, side);
    }
    for (const n of this.hosts.nodes) this.cell(ctx, n.cell, hue(n.id), px, pz);
    this.links(ctx, px, pz);
  }

  /** A square for each member in the region's corner, the leader's first and larger. */
  private members(ctx: CanvasRenderingContext2D, members: number[], x: number, y: number, side: number): void {
    const size = Math.max(4, Math.min(10, side / 14));
    let at = x + size;
    members.forEach((m, i) => {
      const node = this.hosts.nodes[m];
      if (!node) return;
      const s = i === 0 ? size * 1.5 : size;
      ctx.fillStyle = `hsl(${hue(node.id)} 85% 60%)`;
      ctx.strokeStyle = '#10141a';
      ctx.lineWidth = 1;
      ctx.fillRect(at, y + size, s, s);
      ctx.strokeRect(at, y + size, s, s);
      at += s + size / 2;
    });
  }

  private cell(ctx: CanvasRenderingContext2D, cell: Cell, colour: number, px: Axis, pz: Axis, fill = 0): void {
    if (cell.length < 3) return;
    ctx.beginPath();
    for (const c of cell) ctx.lineTo(px(c.x), pz(c.z));
    ctx.closePath();
    if (fill > 0) {
      ctx.fillStyle = `hsl(${colour} 80% 55% / ${fill})`;
      ctx.fill();
    }
    ctx.strokeStyle = `hsl(${colour} 90% 70%)`;
    ctx.lineWidth = 2;
    ctx.stroke();
  }

  /** The overlay of a verified world: its nodes where they stand, and a line between neighbours. */
  private links(ctx: CanvasRenderingContext2D, px: Axis, pz: Axis): void {
    const nodes = this.hosts.nodes;
    ctx.lineWidth = 1.5;
    for (const { a, b } of this.hosts.links) {
      const [from, to] = [nodes[a], nodes[b]];
      if (!from || !to) continue;
      ctx.strokeStyle = a === 0 ? '#ffffffd0' : '#ffffff60';
      ctx.beginPath();
      ctx.moveTo(px(from.place.x), pz(from.place.z));
      ctx.lineTo(px(to.place.x), pz(to.place.z));
      ctx.stroke();
    }
    ctx.strokeStyle = '#10141a';
    ctx.lineWidth = 1;
    nodes.forEach((n, i) => {
      if (n.cell.length < 3) return;
      ctx.fillStyle = `hsl(${hue(n.id)} 85% 60%)`;
      ctx.beginPath();
      ctx.arc(px(n.place.x), pz(n.place.z), i === 0 ? 7 : 5, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    });
  }

  /** The Voronoi cells and links of a verified world, which are much larger than the map: our node's is filled more. */
  private drawPlan(): boolean {
    const ctx = this.plan.getContext('2d');
    if (!ctx || !this.hosts.nodes.some((n) => n.cell.length > 2)) return false;
    const { width, height } = this.plan;
    const at = (size: number): Axis => (m) => 2 + ((m + WORLD_EDGE) / (2 * WORLD_EDGE)) * (size - 4);
    ctx.clearRect(0, 0, width, height);
    this.hosts.nodes.forEach((n, i) => this.cell(ctx, n.cell, hue(n.id), at(width), at(height), i === 0 ? 0.6 : 0.2));
    this.links(ctx, at(width), at(height));
    return true;
  }

  /** The list of nodes, made anew only when it has changed. */
  private list(): void {
    const rows = this.hosts.nodes.map((n, i) => {
      const trip = n.trip ? t.map.trip((n.trip / 1000).toFixed(n.trip < 10_000 ? 1 : 0)) : '';
      const lied = this.hosts.lied(n) ? t.map.lied : '';
      return { colour: lied ? LIED : `hsl(${hue(n.id)} 80% 55%)`, text: [i === 0 ? t.map.own : shortId(n.id), lied, t.map.leads(n.leads), trip].filter(Boolean).join(' · ') };
    });
    for (const who of this.hosts.convicted) {
      if (!this.hosts.nodes.some((n) => sameId(n.id, who))) rows.push({ colour: LIED, text: `${shortId(who)} · ${t.map.lied}` });
    }
    const key = JSON.stringify([rows, this.hosts.nodes.map((n) => n.cell), this.hosts.links]);
    if (key === this.shown) return;
    this.shown = key;
    const plan = this.drawPlan() ? [h('li', {}, this.plan)] : [];
    this.legend.replaceChildren(...plan, ...rows.map((r) => {
      const colour = h('span', { class: 'swatch' });
      colour.style.background = r.colour;
      return h('li', {}, colour, r.text);
    }));
  }
}
