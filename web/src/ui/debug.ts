import type { Game } from '../game/game';
import { shortId } from '../game/hosts';
import { info } from '../game/physics/blocks';
import { h, setText } from './dom';
import { t } from './strings';

const facings = ['north (−z)', 'east (+x)', 'south (+z)', 'west (−x)'];

/** The time of day by the clock: the day (0 to 1) begins with the sunrise at six. */
function clockTime(day: number): string {
  const minutes = Math.floor(((day * 24 + 6) % 24) * 60);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)} ${day < 0.5 ? 'day' : 'night'}`;
}

/** Numbers for those who want them. */
export class Debug {
  readonly el = h('pre', { class: 'debug', hidden: true, attr: { 'aria-label': t.debug.title } });
  private last = 0;

  constructor(private readonly game: Game) {}

  toggle(): void {
    this.el.hidden = !this.el.hidden;
    this.last = 0;
  }

  frame(now: number): void {
    if (this.el.hidden || now - this.last < 250) return;
    this.last = now;
    this.game.hosts.ask(now);
    setText(this.el, this.lines().join('\n'));
  }

  /** Who hosts where we stand. */
  private host(x: number, z: number): string {
    const { hosts } = this.game;
    const r = hosts.region(x, z);
    if (!r) return 'hosted by –';
    const [leader, ...others] = r.members;
    const trip = leader === undefined ? 0 : (hosts.nodes[leader]?.trip ?? 0);
    return `hosted by ${hosts.name(leader)}${trip ? `  ${(trip / 1000).toFixed(1)} ms` : ''}  copies ${others.map((m) => hosts.name(m)).join(' ') || '–'}  nodes ${hosts.nodes.length}`;
  }

  /** What the replicated storage says of where we stand. */
  private storage(x: number, z: number): string[] {
    const { hosts } = this.game;
    const s = hosts.storage;
    if (!s) return [];
    const look = hosts.look(x, z);
    const storers = look?.storers.map((n) => `${hosts.name(n.node)} (zone ${n.zone})`).join(' ');
    return [
      `storage update ${s.update}  ${s.votes} of ${s.zones} zones agreed  failed ${s.failed}  this node keeps a part of zone ${s.zone}`,
      look ? `here ${look.agreed ? 'agreed' : 'disputed'} at update ${s.observedAt}  stored by ${storers || '–'}` : 'here not looked at',
      ...s.accused.map((a) => `tampered ${shortId(a.id)}  ${a.proofs} proofs, last at update ${a.update}  ${a.cut ? 'cut off' : 'not cut off'}`),
    ];
  }

  private lines(): string[] {
    const g = this.game;
    const s = g.engine.stats();
    const b = g.predictor.body;
    const m = (n: number): string => (n / 4096).toFixed(3);
    const [x, y, z] = [b.x, b.y, b.z].map((n) => Math.floor(n / 4096)) as [number, number, number];
    const hit = g.viewer.target.hit;
    const day = g.timeOfDay;
    const facing = facings[Math.round((g.look.yaw / Math.PI) * 2) % 4];
    const flags = Object.entries(b).filter(([, v]) => v === true).map(([k]) => k).join(' ');
    return [
      `${s.fps.toFixed(0)} fps  ${s.cpuMs.toFixed(1)} ms  ${s.gpu}`,
      `at ${m(b.x)} ${m(b.y)} ${m(b.z)}  block ${x} ${y} ${z}`,
      `time ${clockTime(day.tick / day.length)}  tick ${Math.floor(g.clock.tick(performance.now()))}`,
      `column ${x >> 5} ${z >> 5}  region ${x >> 7} ${z >> 7}`,
      `looks ${facing}  yaw ${((g.look.yaw * 180) / Math.PI).toFixed(1)}°  pitch ${((g.look.pitch * 180) / Math.PI).toFixed(1)}°`,
      this.host(x >> 7, z >> 7),
      ...this.storage(x >> 7, z >> 7),
      `speed ${((Math.hypot(b.vx, b.vz) / 4096) * 20).toFixed(2)} m/s  ${flags}`,
      hit ? `target ${info(hit.block).name} ${hit.x} ${hit.y} ${hit.z} face ${hit.face}` : 'target –',
      `light sky ${s.sky} lamp ${s.lamp}`,
      `round trip ${g.rtt} ms  jitter ${g.clock.jitter.toFixed(0)} ms  steps waiting ${g.predictor.waiting}  corrections ${g.predictor.corrections}`,
      `columns ${s.columns} (${s.meshedColumns} drawn ready)  chunks ${s.chunksDrawn}/${s.chunks}  queue ${s.queue}`,
      `draw calls ${s.drawCalls}  triangles ${s.triangles}  mesh ${s.meshMb.toFixed(1)} MB  scale ${s.scale.toFixed(2)}  distance ${s.viewDistance}`,
      `mesh ${s.meshMs.toFixed(2)} ms  light ${s.lightMs.toFixed(2)} ms  entities ${s.entities}  far tiles ${s.farTiles}`,
    ];
  }
}
