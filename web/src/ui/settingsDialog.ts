import { type Action, bind, bindable, defaultBindings } from '../game/bindings';
import type { SettingsStore } from '../game/settings';
import { chosenSkin } from '../game/skins';
import { button, Dialog, h, setText } from './dom';
import { choice, slider, toggle } from './fields';
import { drawFront, readSkin } from './skinFile';
import { keyName, t } from './strings';

/** All settings; each takes effect at once and is remembered. */
export class SettingsDialog {
  readonly dialog: Dialog;
  private capturing: Action | null = null;

  constructor(private readonly settings: SettingsStore, closed: () => void) {
    const done = h('button', { type: 'button', class: 'close', on: { click: () => this.dialog.close() } }, t.settings.close);
    this.dialog = new Dialog('settings', t.settings.title, { closed, header: [done] });
    this.dialog.el.addEventListener('keydown', (e) => this.capture(e), { capture: true });
  }

  show(): void {
    this.fill();
    this.dialog.show();
  }

  private fill(focus?: Action): void {
    const s = t.settings;
    const top = this.dialog.body.scrollTop;
    this.dialog.body.replaceChildren(
      this.group(s.graphics, this.graphics()),
      this.group(s.controls, this.controls()),
      this.group(s.sound, this.sound()),
      this.group(s.interface, this.interface()),
      this.group(s.keys, this.keys()),
      h('div', { class: 'row' },
        button(s.resetKeys, () => { this.settings.set({ bindings: structuredClone(defaultBindings) }); this.fill(); }),
        button(s.reset, () => { this.settings.reset(); this.fill(); })),
    );
    this.dialog.body.scrollTop = top;
    if (focus) this.dialog.body.querySelector<HTMLElement>(`[data-action=${focus}]`)?.focus();
  }

  private group(title: string, rows: HTMLElement[]): HTMLElement {
    return h('fieldset', {}, h('legend', {}, title), ...rows);
  }

  private graphics(): HTMLElement[] {
    const s = t.settings;
    const n = this.settings.now;
    const set = this.settings.set.bind(this.settings);
    return [
      choice(s.quality, n.quality, s.qualities, (quality) => set({ quality })),
      slider(s.viewDistance, n.viewDistance, 2, 16, 1, s.columns, (viewDistance) => set({ viewDistance })),
      slider(s.farDistance, n.farDistance, 0, 8, 1, s.regions, (farDistance) => set({ farDistance })),
      slider(s.fov, n.fov, 50, 110, 1, s.degrees, (fov) => set({ fov })),
      slider(s.brightness, Math.round(n.brightness * 100), 0, 100, 5, s.percent, (v) => set({ brightness: v / 100 })),
      toggle(s.clouds, n.clouds, (clouds) => set({ clouds })),
      toggle(s.showFps, n.showFps, (showFps) => set({ showFps })),
    ];
  }

  private controls(): HTMLElement[] {
    const s = t.settings;
    const n = this.settings.now;
    const set = this.settings.set.bind(this.settings);
    return [
      slider(s.sensitivity, Math.round(n.sensitivity * 100), 10, 300, 5, s.percent, (v) => set({ sensitivity: v / 100 })),
      toggle(s.invertY, n.invertY, (invertY) => set({ invertY })),
      choice(s.touch, n.touch, s.touchModes, (touch) => set({ touch })),
    ];
  }

  private sound(): HTMLElement[] {
    const s = t.settings;
    const volume = (label: string, key: 'master' | 'effects' | 'ambience'): HTMLElement =>
      slider(label, Math.round(this.settings.now[key] * 100), 0, 100, 5, s.percent, (v) => this.settings.set({ [key]: v / 100 }));
    return [volume(s.master, 'master'), volume(s.effects, 'effects'), volume(s.ambience, 'ambience')];
  }

  private interface(): HTMLElement[] {
    const s = t.settings;
    const n = this.settings.now;
    const set = this.settings.set.bind(this.settings);
    return [
      slider(s.scale, Math.round(n.scale * 100), 70, 200, 5, s.percent, (v) => set({ scale: v / 100 })),
      choice(s.reducedMotion, n.reducedMotion, s.reducedModes, (reducedMotion) => set({ reducedMotion })),
      toggle(s.bobbing, n.bobbing, (bobbing) => set({ bobbing })),
      choice(s.palette, n.palette, s.palettes, (palette) => set({ palette })),
      choice(s.skin, n.skin, s.skins as Record<string, string>, (skin) => { set({ skin }); this.fill(); }),
      ...(n.skin === 'own' ? [this.ownSkin()] : []),
      toggle(s.othersSkins, n.othersSkins, (othersSkins) => set({ othersSkins })),
      toggle(s.compass, n.compass, (compass) => set({ compass })),
      toggle(s.subtitles, n.subtitles, (subtitles) => set({ subtitles })),
      choice(s.language, n.language, s.languages as Record<string, string>, (language) => { set({ language }); location.reload(); }),
    ];
  }

  /** A picture of the own looks: what is chosen, and a file to choose. */
  private ownSkin(): HTMLElement {
    const s = t.settings;
    const front = h('canvas', { class: 'skin', attr: { 'aria-hidden': true } });
    const says = h('span', { class: 'dim', attr: { role: 'status' } }, s.skinHint);
    const file = h('input', { type: 'file', accept: 'image/png', attr: { 'aria-label': s.skinFile } });
    const show = (): void => {
      const skin = chosenSkin(this.settings.now);
      front.hidden = skin.length < 2;
      if (!front.hidden) drawFront(front, skin);
    };
    file.addEventListener('change', async () => {
      const skin = file.files?.[0] && (await readSkin(file.files[0]));
      setText(says, skin ? s.skinHint : s.skinWrong);
      if (skin) this.settings.set({ ownSkin: btoa(String.fromCharCode(...skin)) });
      show();
    });
    show();
    return h('div', { class: 'setting own-skin' }, h('span', {}, s.skinFile, h('br'), says), front, file);
  }

  private keys(): HTMLElement[] {
    const rows = (Object.keys(t.actions) as Action[]).map((action) => {
      const names = this.settings.now.bindings[action].map(keyName).join(', ') || t.settings.unbound;
      const b = h('button', {
        type: 'button', class: 'key', attr: { 'aria-label': t.settings.bind(t.actions[action], names), 'data-action': action },
        on: { click: () => { this.capturing = action; b.textContent = t.settings.press; b.classList.add('waiting'); } },
      }, names);
      return h('div', { class: 'setting' }, h('span', {}, t.actions[action]), b);
    });
    const fixed = t.fixedKeys.map(([key, what]) => h('div', { class: 'setting fixed' }, h('span', {}, what), h('span', { class: 'dim' }, key)));
    return [...rows, ...fixed];
  }

  private capture(e: KeyboardEvent): void {
    const action = this.capturing;
    if (!action) return;
    e.preventDefault(); // Esc would close the dialog
    e.stopPropagation();
    this.capturing = null;
    if (e.code !== 'Escape' && bindable(e.code)) this.settings.set({ bindings: bind(this.settings.now.bindings, action, e.code) });
    this.fill(action);
    if (e.code !== 'Escape' && !bindable(e.code)) {
      const b = this.dialog.body.querySelector<HTMLElement>(`[data-action=${action}]`);
      if (b) b.textContent = t.settings.reserved;
    }
  }
}
