import type { Game } from '../game/game';
import type { Waypoint } from '../game/waypoints';
import { button, h } from './dom';
import { t } from './strings';

/** The list of marked places on the map: to rename, to remove, to look at. */
export class MapPlaces {
  readonly el = h('ul', { class: 'map-hosts map-places', attr: { 'aria-label': t.map.places } });

  constructor(private readonly game: Game, private readonly look: (w: Waypoint) => void) {}

  refresh(): void {
    const { waypoints } = this.game;
    this.el.replaceChildren(...waypoints.list.map((w) => h('li', {},
      h('input', { type: 'text', value: w.name, maxLength: 24, attr: { 'aria-label': t.map.placeName }, on: { change: (e) => waypoints.rename(w, (e.target as HTMLInputElement).value), keydown: (e) => e.stopPropagation() } }),
      button('◎', () => this.look(w), 'small'), button('×', () => { waypoints.remove(w); this.refresh(); }, 'small'))));
    const [show, remove] = [t.map.showPlace, t.map.removePlace];
    this.el.querySelectorAll('button').forEach((b, i) => b.setAttribute('aria-label', i % 2 ? remove : show));
  }
}
