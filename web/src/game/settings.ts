// What a person has chosen, remembered in localStorage.
import { localProof } from '../net/local';
import { type Bindings, defaultBindings } from './bindings';

export type Quality = 'auto' | 'low' | 'medium' | 'high';

/** Colours that mean something, chosen so that they can be told apart. */
export type Palette = 'normal' | 'redGreen' | 'blueYellow' | 'contrast';

export interface Settings {
  name: string;
  code: string;
  /** nodes of the last link, for a page that is no node's */
  at: string;
  viewDistance: number;
  farDistance: number;
  fov: number;
  quality: Quality;
  brightness: number;
  clouds: boolean;
  showFps: boolean;
  sensitivity: number;
  invertY: boolean;
  touch: 'auto' | 'on' | 'off';
  bindings: Bindings;
  master: number;
  effects: number;
  ambience: number;
  scale: number;
  reducedMotion: 'system' | 'on' | 'off';
  bobbing: boolean;
  compass: boolean;
  /** sounds in words */
  subtitles: boolean;
  palette: Palette;
  /** empty: looks by the name; the number of a built-in look; own */
  skin: string;
  /** the own looks, base64 */
  ownSkin: string;
  /** show the pictures that others have of their own */
  othersSkins: boolean;
  /** auto, or the code of a language */
  language: string;
  /** the hint card for first-time players has done its work */
  hinted: boolean;
}

export const defaults: Settings = {
  name: '',
  code: '',
  at: '',
  viewDistance: 8,
  farDistance: 4,
  fov: 75,
  quality: 'auto',
  brightness: 0.2,
  clouds: true,
  showFps: false,
  sensitivity: 1,
  invertY: false,
  touch: 'auto',
  bindings: defaultBindings,
  master: 0.8,
  effects: 1,
  ambience: 0.6,
  scale: 1,
  reducedMotion: 'system',
  bobbing: true,
  compass: true,
  subtitles: false,
  palette: 'normal',
  skin: '',
  ownSkin: '',
  othersSkins: true,
  language: 'auto',
  hinted: false,
};

const STORE_KEY = 'voxelpopuli.settings';

/** The settings with who wants to know of changes. */
export class SettingsStore {
  readonly now: Settings;
  private readonly listeners: ((s: Settings, changed: Partial<Settings>) => void)[] = [];
  private readonly calm = matchMedia('(prefers-reduced-motion: reduce)');

  constructor() {
    this.now = load();
    this.calm.addEventListener('change', () => this.tell({ reducedMotion: this.now.reducedMotion }));
  }

  /** Whether to move less: as chosen here, or else in the system. */
  get reducedMotion(): boolean {
    return this.now.reducedMotion === 'system' ? this.calm.matches : this.now.reducedMotion === 'on';
  }

  set(changed: Partial<Settings>): void {
    Object.assign(this.now, changed);
    try {
      localStorage.setItem(STORE_KEY, JSON.stringify(this.now));
    } catch {
      // private windows forbid it: the settings last as long as the page
    }
    this.tell(changed);
  }

  reset(): void {
    const { name, code, at, hinted } = this.now;
    this.set({ ...structuredClone(defaults), name, code, at, hinted });
  }

  onChange(f: (s: Settings, changed: Partial<Settings>) => void): void {
    this.listeners.push(f);
  }

  private tell(changed: Partial<Settings>): void {
    for (const f of this.listeners) f(this.now, changed);
  }
}

/** Reads what is stored; whatever is missing or of another type is the default. */
function load(): Settings {
  const out = structuredClone(defaults);
  let kept: Record<string, unknown>;
  try {
    kept = (JSON.parse(localStorage.getItem(STORE_KEY) ?? '{}') ?? {}) as Record<string, unknown>;
  } catch {
    return out;
  }
  for (const key of Object.keys(out) as (keyof Settings)[]) {
    if (key !== 'bindings' && typeof kept[key] === typeof out[key]) (out as unknown as Record<string, unknown>)[key] = kept[key];
  }
  const bindings = kept.bindings as Record<string, unknown> | undefined;
  for (const action of Object.keys(out.bindings) as (keyof Bindings)[]) {
    const codes = bindings?.[action];
    if (Array.isArray(codes) && codes.every((c) => typeof c === 'string')) out.bindings[action] = codes as string[];
  }
  return out;
}

/** Takes the join code, the proof of who is local and the nodes out of a link that ends in `#code=…&local=…&at=…`; what stands behind # is not sent over the network. */
export function rememberLink(settings: SettingsStore): void {
  const link = new URLSearchParams(location.hash.slice(1));
  const code = link.get('code');
  const local = link.get('local');
  const at = link.getAll('at').join(' ');
  if (code) settings.set({ code });
  if (at) settings.set({ at, code: code ?? '' }); // another world's code is of no use there
  if (local) localProof.keep(local);
  if (!code && !local && !at) return;
  history.replaceState(null, '', location.pathname + location.search);
}
