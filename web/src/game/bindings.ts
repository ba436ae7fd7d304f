// Which key does what. Keys are KeyboardEvent.code: the place on the keyboard,
// whatever letter is printed there.

export type Action =
  | 'forward' | 'back' | 'left' | 'right' | 'jump' | 'sneak' | 'sprint' | 'fly'
  | 'inventory' | 'chat' | 'command' | 'players' | 'map' | 'drop' | 'debug' | 'hud' | 'zoom' | 'waypoint' | 'screenshot' | 'wand';

export type Bindings = Record<Action, string[]>;

// Ctrl is no key of ours: Ctrl+W closes the tab.
export const defaultBindings: Bindings = {
  forward: ['KeyW', 'ArrowUp'],
  back: ['KeyS', 'ArrowDown'],
  left: ['KeyA', 'ArrowLeft'],
  right: ['KeyD', 'ArrowRight'],
  jump: ['Space'],
  sneak: ['ShiftLeft', 'ShiftRight'],
  sprint: ['KeyR'],
  fly: ['KeyF'],
  inventory: ['KeyE'],
  chat: ['KeyT', 'Enter'],
  command: ['Slash'],
  players: ['Tab'],
  map: ['KeyM'],
  drop: ['KeyQ'],
  debug: ['F3'],
  hud: ['F1'],
  zoom: ['KeyC'],
  waypoint: ['KeyB'],
  screenshot: ['F2'],
  wand: ['KeyG'],
};

const reserved = new Set(['Escape', 'F5', 'F11', 'F12', 'ControlLeft', 'ControlRight', 'AltLeft', 'AltRight', 'MetaLeft', 'MetaRight']);

/** Whether a key can be bound: the browser keeps some for itself, 1–9 are the hot bar's. */
export const bindable = (code: string): boolean => code !== '' && !reserved.has(code) && !/^Digit[1-9]$/.test(code);

/** The action of a key, if it has one. */
export function actionOf(bindings: Bindings, code: string): Action | null {
  for (const [action, codes] of Object.entries(bindings)) if (codes.includes(code)) return action as Action;
  return null;
}

/** Gives a key to an action and takes it from any other. */
export function bind(bindings: Bindings, action: Action, code: string): Bindings {
  const out = structuredClone(bindings);
  for (const codes of Object.values(out)) {
    const i = codes.indexOf(code);
    if (i >= 0) codes.splice(i, 1);
  }
  out[action] = [code];
  return out;
}

/** Letters as they are printed on this keyboard, once the browser has told (Chromium only). */
let layout: ReadonlyMap<string, string> | null = null;

/** Asks the browser for the keyboard's layout. */
export async function learnLayout(): Promise<void> {
  const kb = (navigator as Navigator & { keyboard?: { getLayoutMap?(): Promise<ReadonlyMap<string, string>> } }).keyboard;
  try {
    layout = (await kb?.getLayoutMap?.()) ?? null;
  } catch {
    layout = null;
  }
}

/** What is printed on a key of this keyboard, if the browser has told. */
export const printedOn = (code: string): string => layout?.get(code)?.trim().toUpperCase() ?? '';
