// The page /map: the world from above for people who are not in it. It shares nothing with
// the game's page, so that it is small.

interface Claim { name: string; owner: string; from: [number, number]; to: [number, number] }
interface World { name: string; spawn: [number, number]; zooms: number; claims: Claim[]; players: { name: string; x: number; z: number }[] | null }
interface Tile { image: HTMLCanvasElement | null; etag: string; at: number; busy: boolean }

const SIZE = 128;
const AT_ONCE = 4;
/** a tile is asked for again after this time (ms); the answer is empty if nothing has changed */
const AGAIN = 60_000;
const WORLD_AGAIN = 3000;
const MAX_TILES = 600;
const german = navigator.language.startsWith('de');
const words = german
  ? { map: 'Karte', of: (w: string) => `Karte von ${w}`, in: 'näher', out: 'weiter', spawn: 'zum Anfang', gone: 'Keine Verbindung. Es wird wieder versucht …', help: 'Karte: ziehen, Pfeiltasten; + und − vergrößern und verkleinern' }
  : { map: 'Map', of: (w: string) => `Map of ${w}`, in: 'closer', out: 'further away', spawn: 'to the spawn', gone: 'No connection. Trying again …', help: 'Map: drag, arrow keys; + and − zoom' };

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const canvas = element<HTMLCanvasElement>('map');
const ctx = canvas.getContext('2d')!;
const tiles = new Map<string, Tile>();
const pointers = new Map<number, { x: number; y: number }>();
let world: World | null = null;
let [x, z, scale] = [0, 0, 2]; // the middle in metres; pixels a metre
let under = { x: -1, y: 0 }; // the pointer
let waiting = 0;
let lost = false;
let drawn = false;

const clamp = (n: number, low: number, high: number): number => Math.max(low, Math.min(high, n));
const px = (wx: number): number => canvas.clientWidth / 2 + (wx - x) * scale;
const pz = (wz: number): number => canvas.clientHeight / 2 + (wz - z) * scale;

function redraw(): void {
  if (drawn) return;
  drawn = true;
  requestAnimationFrame(() => {
    drawn = false;
    draw();
  });
}

function zoomBy(by: number, at = { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 }): void {
  const least = 1 / (2 ** ((world?.zooms ?? 1) - 1) * 1.5);
  const next = clamp(scale * by, least, 16);
  const [dx, dz] = [at.x - canvas.clientWidth / 2, at.y - canvas.clientHeight / 2];
  x += dx / scale - dx / next;
  z += dz / scale - dz / next;
  scale = next;
  redraw();
}

/** The zoom whose pixels are nearest to those of the screen. */
const level = (): number => clamp(Math.round(-Math.log2(scale)), 0, (world?.zooms ?? 1) - 1);

/** Tiles of a zoom in the picture, from the middle outwards. */
function wanted(l: number): [number, number][] {
  const side = SIZE * 2 ** l;
  const [w, h] = [canvas.clientWidth / 2 / scale, canvas.clientHeight / 2 / scale];
  const all: [number, number][] = [];
  for (let tz = Math.floor((z - h) / side); tz <= (z + h) / side; tz++) {
    for (let tx = Math.floor((x - w) / side); tx <= (x + w) / side; tx++) all.push([tx, tz]);
  }
  const far = ([tx, tz]: [number, number]): number => Math.hypot((tx + 0.5) * side - x, (tz + 0.5) * side - z);
  return all.sort((a, b) => far(a) - far(b));
}

/** Asks for what is missing or old, a few at a time. */
function fetchMore(): void {
  const l = level();
  const now = performance.now();
  for (const [tx, tz] of wanted(l)) {
    if (waiting >= AT_ONCE) return;
    const key = `${l}/${tx}/${tz}`;
    let t = tiles.get(key);
    if (!t) tiles.set(key, (t = { image: null, etag: '', at: -Infinity, busy: false }));
    if (t.busy || now - t.at < AGAIN) continue;
    t.busy = true;
    waiting++;
    void load(key, t).finally(() => {
      t.busy = false;
      waiting--;
      redraw();
    });
  }
}

async function load(key: string, t: Tile): Promise<void> {
  try {
    const r = await fetch(`map/tile/${key}`, { headers: t.etag ? { 'If-None-Match': t.etag } : {}, cache: 'no-store' });
    t.at = performance.now();
    if (r.status === 304 || r.status === 404) return;
    if (!r.ok) throw new Error(String(r.status));
    const plain = r.body!.pipeThrough(new DecompressionStream('deflate-raw'));
    t.image = paint(new Uint8Array(await new Response(plain).arrayBuffer()));
    t.etag = r.headers.get('ETag') ?? '';
    lost = false;
  } catch {
    t.at = performance.now() - AGAIN + 3000; // again soon
  }
}

function paint(rgb: Uint8Array): HTMLCanvasElement {
  const image = document.createElement('canvas');
  image.width = image.height = SIZE;
  const c = image.getContext('2d')!;
  const out = c.createImageData(SIZE, SIZE);
  for (let i = 0; i < SIZE * SIZE; i++) {
    for (let k = 0; k < 3; k++) out.data[i * 4 + k] = rgb[i * 3 + k]!;
    out.data[i * 4 + 3] = 255;
  }
  c.putImageData(out, 0, 0);
  return image;
}

function draw(): void {
  const dpr = Math.min(devicePixelRatio || 1, 2);
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(w * dpr) || canvas.height !== Math.round(h * dpr)) [canvas.width, canvas.height] = [Math.round(w * dpr), Math.round(h * dpr)];
  ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
  ctx.fillStyle = '#10141a';
  ctx.fillRect(0, 0, w, h);
  if (!world) return;
  const l = level();
  for (let k = world.zooms - 1; k >= 0; k--) if (k > l) drawTiles(k); // until the right ones are there
  const missing = drawTiles(l);
  document.documentElement.dataset.missing = String(missing);
  for (const c of world.claims) drawClaim(c);
  for (const p of world.players ?? []) dot(p.x + 0.5, p.z + 0.5, '#4cc9f0', p.name);
  dot(world.spawn[0] + 0.5, world.spawn[1] + 0.5, '#ffd166', '');
  const at = under.x < 0 ? { x: w / 2, y: h / 2 } : under;
  element('place').textContent = `${Math.floor(x + (at.x - w / 2) / scale)}, ${Math.floor(z + (at.y - h / 2) / scale)}`;
  const note = element('note');
  note.hidden = !lost;
  note.textContent = words.gone;
  fetchMore();
  forget();
}

/** Draws what is there of a zoom; returns how many tiles are not. */
function drawTiles(l: number): number {
  const side = SIZE * 2 ** l;
  let missing = 0;
  ctx.imageSmoothingEnabled = scale * 2 ** l < 1;
  for (const [tx, tz] of wanted(l)) {
    const image = tiles.get(`${l}/${tx}/${tz}`)?.image;
    if (!image) {
      missing++;
      continue;
    }
    const [a, b] = [Math.floor(px(tx * side)), Math.floor(pz(tz * side))];
    ctx.drawImage(image, a, b, Math.floor(px((tx + 1) * side)) - a, Math.floor(pz((tz + 1) * side)) - b);
  }
  return missing;
}

function label(text: string, lx: number, ly: number): void {
  ctx.font = '600 13px system-ui, sans-serif';
  ctx.textAlign = 'center';
  ctx.lineWidth = 3;
  ctx.strokeStyle = '#10141a';
  ctx.strokeText(text, lx, ly);
  ctx.fillStyle = '#fff';
  ctx.fillText(text, lx, ly);
}

function drawClaim(c: Claim): void {
  const [a, b] = [px(c.from[0]), pz(c.from[1])];
  const [w, h] = [(c.to[0] - c.from[0] + 1) * scale, (c.to[1] - c.from[1] + 1) * scale];
  ctx.fillStyle = 'rgba(255,201,77,.14)';
  ctx.fillRect(a, b, w, h);
  ctx.strokeStyle = '#ffc94d';
  ctx.lineWidth = 1.5;
  ctx.strokeRect(a, b, w, h);
  if (w > 44) label(`${c.name} (${c.owner})`, a + w / 2, b + 15); // people are mostly in the middle
}

function dot(wx: number, wz: number, color: string, name: string): void {
  ctx.fillStyle = color;
  ctx.strokeStyle = '#10141a';
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.arc(px(wx), pz(wz), 5, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
  if (name) label(name, px(wx), pz(wz) - 9);
}

/** Forgets tiles that were asked for first. */
function forget(): void {
  for (const [key, t] of tiles) {
    if (tiles.size <= MAX_TILES) return;
    if (!t.busy) tiles.delete(key);
  }
}

async function look(): Promise<void> {
  try {
    const r = await fetch('map/world', { cache: 'no-store' });
    if (!r.ok) throw new Error(String(r.status));
    const first = !world;
    world = (await r.json()) as World;
    lost = false;
    if (first) begin(world);
  } catch {
    lost = true;
  }
  redraw();
  setTimeout(() => void look(), document.hidden ? 10 * WORLD_AGAIN : WORLD_AGAIN);
}

/** Begins at the place that the address names, "#x,z,scale", or at the spawn. */
function begin(w: World): void {
  element('name').textContent = w.name;
  document.title = words.of(w.name);
  const named = location.hash.slice(1).split(',').map(Number);
  [x, z] = named.length >= 2 && named.every(Number.isFinite) ? [named[0]!, named[1]!] : w.spawn;
  if (named.length > 2 && named[2]! > 0) scale = named[2]!;
  zoomBy(1);
}

function drag(e: PointerEvent): void {
  under = { x: e.clientX, y: e.clientY };
  const p = pointers.get(e.pointerId);
  if (p) {
    const other = [...pointers].find(([id]) => id !== e.pointerId)?.[1];
    if (other) {
      const [before, after] = [Math.hypot(p.x - other.x, p.y - other.y), Math.hypot(e.clientX - other.x, e.clientY - other.y)];
      if (before > 0) zoomBy(after / before, { x: (e.clientX + other.x) / 2, y: (e.clientY + other.y) / 2 });
    } else {
      x -= (e.clientX - p.x) / scale;
      z -= (e.clientY - p.y) / scale;
    }
    pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  }
  redraw();
}

function released(e: PointerEvent): void {
  pointers.delete(e.pointerId);
  history.replaceState(null, '', `#${Math.round(x)},${Math.round(z)},${Number(scale.toPrecision(3))}`);
}

function key(e: KeyboardEvent): void {
  const step = 80 / scale;
  const moves: Record<string, [number, number]> = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
  const move = moves[e.key];
  if (move) {
    x += move[0];
    z += move[1];
  } else if (e.key === '+' || e.key === '=') zoomBy(1.5);
  else if (e.key === '-') zoomBy(1 / 1.5);
  else return;
  e.preventDefault();
  redraw();
}

document.documentElement.lang = german ? 'de' : 'en';
document.title = words.map;
canvas.setAttribute('aria-label', words.help);
for (const [id, text, act] of [
  ['in', words.in, () => zoomBy(2)], ['out', words.out, () => zoomBy(0.5)],
  ['spawn', words.spawn, () => { if (world) [x, z] = world.spawn; redraw(); }],
] as const) {
  const b = element<HTMLButtonElement>(id);
  b.title = text;
  b.setAttribute('aria-label', text);
  b.addEventListener('click', act);
}
canvas.addEventListener('wheel', (e) => { e.preventDefault(); zoomBy(Math.exp(-e.deltaY * 0.0015), { x: e.clientX, y: e.clientY }); }, { passive: false });
canvas.addEventListener('pointerdown', (e) => { canvas.setPointerCapture(e.pointerId); pointers.set(e.pointerId, { x: e.clientX, y: e.clientY }); });
canvas.addEventListener('pointermove', drag);
for (const type of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(type, released);
canvas.addEventListener('keydown', key);
addEventListener('resize', redraw);
void look();
