import { HOSTILE } from '../engine';
import type { Game } from '../game/game';
import { mobOf } from '../game/mobs';
import { button, Dialog, h, setText } from './dom';
import { MapHosts } from './mapHosts';
import { drawLands } from './mapLands';
import { MapPlaces } from './mapPlaces';
import { MapTiles } from './mapTiles';
import { MapStorage } from './mapStorage';
import { t } from './strings';

/** Pixels a metre. */
const MIN_ZOOM = 0.15;
const MAX_ZOOM = 8;
/** Time for painting columns anew, for each picture (ms). */
const PAINT_MS = 8;
/** Far tiles are asked for this far around while the map is open, in regions. */
const LOOK = 8;

/** The map: the land from above, north up, with everybody who is known to be somewhere. */
export class MapDialog {
  readonly dialog: Dialog;
  private readonly canvas: HTMLCanvasElement;
  private readonly tiles: MapTiles;
  private readonly place = h('output', { class: 'map-place' });
  private zoom = 2;
  private grid = true;
  private showHosts = true;
  private showLands = true;
  private readonly hosts: MapHosts;
  private showStorage = true;
  private readonly storageChoice: HTMLElement;
  private readonly storage: MapStorage;
  private readonly places: MapPlaces;
  /** the middle of the picture relative to the player, in metres */
  private pan = { x: 0, z: 0 };
  private readonly pointers = new Map<number, { x: number; y: number }>();

  constructor(private readonly game: Game, closed: () => void) {
    this.tiles = new MapTiles(game);
    this.hosts = new MapHosts(game.hosts);
    this.storage = new MapStorage(game.hosts);
    this.places = new MapPlaces(game, (w) => { this.pan = { x: w.x - game.viewer.eye.x, z: w.z - game.viewer.eye.z }; });
    this.canvas = h('canvas', { class: 'map-canvas', tabIndex: 0, attr: { role: 'img', 'aria-label': t.map.canvas } });
    const done = h('button', { type: 'button', class: 'close', on: { click: () => this.dialog.close() } }, t.map.close);
    this.dialog = new Dialog('map', t.map.title, { closed, header: [this.place, done] });
    const grid = this.choice('map-grid', t.map.grid, (on) => { this.grid = on; });
    const hosts = this.choice('map-hosts', t.map.hosts, (on) => {
      this.showHosts = on;
      this.hosts.legend.hidden = !on;
    });
    const lands = this.choice('map-lands', t.map.lands, (on) => { this.showLands = on; });
    this.storageChoice = this.choice('map-storage', t.map.storage, (on) => {
      this.showStorage = on;
      this.storage.legend.hidden = !on;
    });
    this.dialog.body.append(h('div', { class: 'map-view' }, this.canvas, this.hosts.legend, this.storage.legend, this.places.el), h('div', { class: 'row map-tools' },
      button(t.map.zoomIn, () => this.scale(1.5)), button(t.map.zoomOut, () => this.scale(1 / 1.5)),
      button(t.map.addPlace, () => this.addPlace()),
      button(t.map.centre, () => { this.pan = { x: 0, z: 0 }; }), grid, lands, hosts, this.storageChoice, h('small', { class: 'map-help' }, t.map.help)));
    this.handle();
  }

  private choice(id: string, label: string, changed: (on: boolean) => void): HTMLElement {
    const box = h('input', { type: 'checkbox', id, checked: true, on: { change: () => changed(box.checked) } });
    return h('label', { htmlFor: id }, box, ' ', label);
  }

  show(): void {
    this.pan = { x: 0, z: 0 };
    this.places.refresh();
    this.dialog.show();
    this.canvas.focus();
    const draw = (): void => {
      if (!this.dialog.open) return;
      this.draw(performance.now());
      requestAnimationFrame(draw);
    };
    draw();
  }

  /** Marks the middle of the map. */
  private addPlace(): void {
    const { x, z } = this.middle();
    const { waypoints, viewer } = this.game;
    waypoints.add(t.map.place(waypoints.list.length + 1), x, viewer.eye.y, z);
    this.places.refresh();
  }

  private handle(): void {
    const c = this.canvas;
    c.addEventListener('wheel', (e) => { e.preventDefault(); this.scale(Math.exp(-e.deltaY * 0.0015)); }, { passive: false });
    c.addEventListener('pointerdown', (e) => { c.setPointerCapture(e.pointerId); this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY }); });
    c.addEventListener('pointermove', (e) => this.drag(e));
    for (const type of ['pointerup', 'pointercancel'] as const) c.addEventListener(type, (e) => this.pointers.delete(e.pointerId));
    c.addEventListener('keydown', (e) => this.key(e));
  }

  private drag(e: PointerEvent): void {
    this.showPlace(e);
    const p = this.pointers.get(e.pointerId);
    if (!p) return;
    const other = [...this.pointers].find(([id]) => id !== e.pointerId)?.[1];
    if (other) {
      const before = Math.hypot(p.x - other.x, p.y - other.y);
      const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
      if (before > 0) this.scale(after / before);
    } else {
      this.pan.x -= (e.clientX - p.x) / this.zoom;
      this.pan.z -= (e.clientY - p.y) / this.zoom;
    }
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  }

  private key(e: KeyboardEvent): void {
    const step = 40 / this.zoom;
    const moves: Record<string, [number, number]> = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const move = moves[e.key];
    if (move) {
      this.pan.x += move[0];
      this.pan.z += move[1];
    } else if (e.key === '+' || e.key === '=') this.scale(1.25);
    else if (e.key === '-') this.scale(0.8);
    else if (e.key === '0') this.pan = { x: 0, z: 0 };
    else return;
    e.preventDefault();
  }

  private scale(by: number): void {
    this.zoom = Math.max(MIN_ZOOM, Math.min(MAX_ZOOM, this.zoom * by));
  }

  private showPlace(e: PointerEvent): void {
    const r = this.canvas.getBoundingClientRect();
    const { x, z } = this.middle();
    const wx = Math.floor(x + (e.clientX - r.left - r.width / 2) / this.zoom);
    const wz = Math.floor(z + (e.clientY - r.top - r.height / 2) / this.zoom);
    setText(this.place, `${wx}, ${wz}`);
  }

  private middle(): { x: number; z: number } {
    const { eye } = this.game.viewer;
    return { x: eye.x + this.pan.x, z: eye.z + this.pan.z };
  }

  private draw(now: number): void {
    this.game.far.ask(now, LOOK);
    this.game.hosts.ask(now);
    const c = this.canvas;
    const dpr = Math.min(devicePixelRatio || 1, 2);
    const [w, hgt] = [c.clientWidth, c.clientHeight];
    if (c.width !== Math.round(w * dpr) || c.height !== Math.round(hgt * dpr)) [c.width, c.height] = [Math.round(w * dpr), Math.round(hgt * dpr)];
    const ctx = c.getContext('2d')!;
    const { x, z } = this.middle();
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    ctx.fillStyle = '#0d1117';
    ctx.fillRect(0, 0, w, hgt);
    ctx.imageSmoothingEnabled = false;
    const px = (wx: number): number => w / 2 + (wx - x) * this.zoom;
    const pz = (wz: number): number => hgt / 2 + (wz - z) * this.zoom;
    const view = { x0: x - w / 2 / this.zoom, x1: x + w / 2 / this.zoom, z0: z - hgt / 2 / this.zoom, z1: z + hgt / 2 / this.zoom };
    this.land(ctx, view, px, pz, now);
    if (this.showHosts) this.hosts.draw(ctx, px, pz);
    this.storageChoice.hidden = !this.game.hosts.storage;
    if (this.showStorage) this.storage.draw(ctx, px, pz);
    if (this.grid) this.lines(ctx, view, px, pz, w, hgt);
    if (this.showLands) drawLands(ctx, this.game.hosts.lands, px, pz);
    this.people(ctx, px, pz);
  }

  private land(ctx: CanvasRenderingContext2D, v: { x0: number; x1: number; z0: number; z1: number }, px: (x: number) => number, pz: (z: number) => number, now: number): void {
    const put = (image: HTMLCanvasElement | null, x: number, z: number, size: number): void => {
      if (!image) return;
      const [a, b] = [Math.floor(px(x * size)), Math.floor(pz(z * size))];
      ctx.drawImage(image, a, b, Math.floor(px((x + 1) * size)) - a, Math.floor(pz((z + 1) * size)) - b);
    };
    for (let z = Math.floor(v.z0 / 128); z <= v.z1 / 128; z++) {
      for (let x = Math.floor(v.x0 / 128); x <= v.x1 / 128; x++) put(this.tiles.region(x, z), x, z, 128);
    }
    const until = performance.now() + PAINT_MS;
    const budget = (): boolean => performance.now() < until;
    for (const [x, z] of this.columnsIn(v)) put(this.tiles.column(x, z, now, budget), x, z, 32);
  }

  /** Columns in the picture, from its middle outwards. */
  private columnsIn(v: { x0: number; x1: number; z0: number; z1: number }): [number, number][] {
    const all: [number, number][] = [];
    for (let z = Math.floor(v.z0 / 32); z <= v.z1 / 32; z++) {
      for (let x = Math.floor(v.x0 / 32); x <= v.x1 / 32; x++) if (this.game.frames.loaded.has(`${x},${z}`)) all.push([x, z]);
    }
    const [mx, mz] = [(v.x0 + v.x1) / 64 - 0.5, (v.z0 + v.z1) / 64 - 0.5];
    return all.sort((a, b) => Math.hypot(a[0] - mx, a[1] - mz) - Math.hypot(b[0] - mx, b[1] - mz));
  }

  private lines(ctx: CanvasRenderingContext2D, v: { x0: number; x1: number; z0: number; z1: number }, px: (x: number) => number, pz: (z: number) => number, w: number, hgt: number): void {
    ctx.strokeStyle = 'rgba(255,255,255,.22)';
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let x = Math.ceil(v.x0 / 128); x <= v.x1 / 128; x++) {
      ctx.moveTo(Math.round(px(x * 128)) + 0.5, 0);
      ctx.lineTo(Math.round(px(x * 128)) + 0.5, hgt);
    }
    for (let z = Math.ceil(v.z0 / 128); z <= v.z1 / 128; z++) {
      ctx.moveTo(0, Math.round(pz(z * 128)) + 0.5);
      ctx.lineTo(w, Math.round(pz(z * 128)) + 0.5);
    }
    ctx.stroke();
  }

  private people(ctx: CanvasRenderingContext2D, px: (x: number) => number, pz: (z: number) => number): void {
    const g = this.game;
    const seen = new Set<number>();
    for (const s of g.entities.all.values()) {
      const p = g.viewer.place(s.entity);
      if (!p) continue;
      seen.add(s.entity);
      if (s.kind === 0) this.dot(ctx, px(p.x), pz(p.z), '#4cc9f0', s.name || g.roster.get(s.entity)?.name);
      else this.dot(ctx, px(p.x), pz(p.z), HOSTILE.has(mobOf(s.kind)?.model ?? '') ? '#e5484d' : '#f1e9dc', undefined, 2.2);
    }
    for (const p of g.roster.list) {
      if (seen.has(p.entity) || p.entity === g.welcome?.entity) continue;
      this.dot(ctx, px(p.regionX * 128 + 64), pz(p.regionZ * 128 + 64), 'rgba(76,201,240,.5)', p.name); // only the region is known
    }
    for (const w of g.waypoints.list) this.dot(ctx, px(w.x), pz(w.z), '#ff9de2', w.name);
    if (g.welcome) this.dot(ctx, px(g.welcome.spawn.x / 4096), pz(g.welcome.spawn.z / 4096), '#ffd166');
    this.arrow(ctx, px(g.viewer.eye.x), pz(g.viewer.eye.z), g.look.yaw);
  }

  private dot(ctx: CanvasRenderingContext2D, x: number, y: number, color: string, name?: string, size = 4): void {
    ctx.fillStyle = color;
    ctx.strokeStyle = '#10141a';
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.arc(x, y, size, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
    if (!name) return;
    ctx.font = '600 12px system-ui, sans-serif';
    ctx.textAlign = 'center';
    ctx.lineWidth = 3;
    ctx.strokeText(name, x, y - 8);
    ctx.fillStyle = '#fff';
    ctx.fillText(name, x, y - 8);
  }

  private arrow(ctx: CanvasRenderingContext2D, x: number, y: number, yaw: number): void {
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(yaw);
    ctx.beginPath();
    ctx.moveTo(0, -10);
    ctx.lineTo(7, 8);
    ctx.lineTo(0, 4);
    ctx.lineTo(-7, 8);
    ctx.closePath();
    ctx.fillStyle = '#fff';
    ctx.strokeStyle = '#10141a';
    ctx.lineWidth = 2;
    ctx.fill();
    ctx.stroke();
    ctx.restore();
  }
}
