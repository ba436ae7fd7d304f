import { hue, shortId, type Hosts } from '../game/hosts';
import { h } from './dom';
import { t } from './strings';

type Axis = (metres: number) => number;

/** The part of the map that shows the replicated storage of a verified world: who keeps what, what is voted, who was proven to tamper. */
export class MapStorage {
  readonly legend = h('ul', { class: 'map-hosts map-storage', attr: { 'aria-label': t.map.storers } });
  private shown = '';

  constructor(private readonly hosts: Hosts) {}

  draw(ctx: CanvasRenderingContext2D, px: Axis, pz: Axis): void {
    const s = this.hosts.storage;
    if (s) {
      const side = px(128) - px(0);
      for (const l of s.observed) {
        ctx.fillStyle = l.agreed ? 'rgba(91,214,141,.2)' : 'rgba(255,176,32,.35)';
        ctx.fillRect(px(l.x * 128), pz(l.z * 128), side, side);
      }
      for (const p of s.cells) this.part(ctx, p.cell, this.hosts.nodes[p.node]?.id, px, pz);
    }
    this.list();
  }

  /** The edge of what a node keeps, in its colour: dashed, since those of different zones lie over each other. */
  private part(ctx: CanvasRenderingContext2D, cell: { x: number; z: number }[], id: Uint8Array | undefined, px: Axis, pz: Axis): void {
    if (cell.length < 3 || !id) return;
    ctx.save();
    ctx.beginPath();
    for (const c of cell) ctx.lineTo(px(c.x), pz(c.z));
    ctx.closePath();
    ctx.setLineDash([10, 6]);
    ctx.strokeStyle = `hsl(${hue(id)} 90% 70%)`;
    ctx.lineWidth = 2;
    ctx.stroke();
    ctx.restore();
  }

  /** Made anew only when it has changed. */
  private list(): void {
    const rows = this.rows();
    const key = JSON.stringify(rows);
    if (key === this.shown) return;
    this.shown = key;
    this.legend.replaceChildren(...rows.map((r) => {
      const colour = h('span', { class: 'swatch' });
      colour.style.background = r.colour;
      return h('li', {}, colour, r.text);
    }));
  }

  private rows(): { colour: string; text: string }[] {
    const s = this.hosts.storage;
    if (!s) return [];
    const agreed = s.observed.every((l) => l.agreed);
    return [
      { colour: agreed ? 'rgb(91,214,141)' : 'rgb(255,176,32)', text: t.map.update(s.update, s.votes, s.zones) },
      ...(s.failed > 0 ? [{ colour: 'rgb(255,176,32)', text: t.map.failed(s.failed) }] : []),
      ...s.cells.flatMap((p) => {
        const node = this.hosts.nodes[p.node];
        return node ? [{ colour: `hsl(${hue(node.id)} 80% 55%)`, text: t.map.stores(p.node === 0 ? t.map.own : shortId(node.id), p.zone) }] : [];
      }),
      ...s.accused.map((a) => ({ colour: 'rgb(229,72,77)', text: `${t.map.tampered(shortId(a.id), a.proofs, a.update)} · ${a.cut ? t.map.cut : t.map.notCut}` })),
    ];
  }
}
