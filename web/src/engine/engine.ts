// The rendering engine: everything that is seen but the HUD. The rest of the
// client hands it columns, edits, entities and the camera, and calls frame().
// The eye is always at the origin of the scene, so that a place far out in the
// world is drawn as precisely as its middle.

import { BufferGeometry, LinearSRGBColorSpace, LineSegments, Matrix4, Mesh, PerspectiveCamera, Scene, WebGLRenderer } from 'three';
import type { Measured } from '../world/measure';
import { pixelsOf } from '../world/skin';
import { QUAD_BYTES } from '../world/quads';
import { Clouds } from './clouds';
import { coverOf, type Cover } from './cover';
import { Cracks, Outline, Particles } from './effects';
import { FarTerrain } from './far';
import { Figures } from './figures';
import { SignTexts } from './signs';
import { Fog } from './fog';
import { Frustum } from './frustum';
import { Hand } from './hand';
import { Icons } from './icons';
import { WorldLink } from './link';
import { Governor } from './quality';
import { Rain } from './rain';
import { setTime, skyMesh } from './sky';
import { Terrain } from './terrain';
import { farColours, paintAll, textureArray } from './textures/atlas';
import { paintSkins } from './textures/skins';
import type { CameraState, EngineOptions, EngineStats, EntityEvent, EntityState } from './types';
import { makeShared } from './uniforms';

export const defaultOptions: EngineOptions = {
  viewDistance: 8,
  farDistance: 4,
  quality: 'auto',
  reducedMotion: false,
  clouds: true,
  brightness: 0.2,
  hand: true,
};

/** seconds between two questions for the light around */
const PROBE = 0.15;

export class Engine {
  /** called when the blocks of a column can be read with block() */
  onColumn: (x: number, z: number) => void = () => {};
  /** called when a column is seen for the first time */
  onMeshed: (x: number, z: number) => void = () => {};
  /** called when slow (or fast) frames changed the distance that is drawn; ask the node for this one */
  onViewDistance: (columns: number) => void = () => {};
  /** called when the GPU's context is lost (false) or restored (true) */
  onContext: (ok: boolean) => void = () => {};

  private readonly options: EngineOptions;
  private readonly shared = makeShared();
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly eye = new PerspectiveCamera(70, 1, 0.05, 6000);
  private readonly at = { x: 0, y: 80, z: 0 };
  private readonly link: WorldLink;
  private readonly fog: Fog;
  private readonly terrain: Terrain;
  private readonly clouds: Clouds;
  private readonly rain: Rain;
  private readonly far: FarTerrain;
  private readonly figures: Figures;
  private readonly signs = new SignTexts();
  private readonly outlined = new Outline();
  private readonly selected = new Outline('1.0, 0.8, 0.2, 0.95');
  private readonly cracks: Cracks;
  private readonly pieces: Particles;
  private readonly hand: Hand;
  private readonly icons: Icons;
  private readonly governor = new Governor();
  private readonly view = new Matrix4();
  private readonly frustum = new Frustum();
  private readonly observer: ResizeObserver;
  private readonly gpu: string;
  private distance = 0;
  private walked = 0;
  private yaw = 0;
  /** where the mask of the far land was made; made again when the eye enters another column or columns changed */
  private maskAt = '';
  private probing = 0;
  /** light at the eye: sky in the high four bits, lamps in the low four */
  private light = 0xf0;
  private probed = false;
  private held = 0;
  private fps = 60;
  private cpuMs = 0;

  constructor(private readonly canvas: HTMLCanvasElement, options: Partial<EngineOptions> = {}) {
    this.options = { ...defaultOptions, ...options };
    this.link = new WorldLink({
      column: (x, z) => this.onColumn(x, z),
      meshes: (meshes) => this.takeMeshes(meshes),
      light: (light) => this.takeLight(light),
      far: (x, z, heights, tops) => this.far.add(x, z, heights, tops),
    });
    this.fog = new Fog(this.shared, (x, y, z) => this.link.block(x, y, z));
    this.renderer = new WebGLRenderer({ canvas, powerPreference: 'high-performance', antialias: false, stencil: false });
    this.renderer.outputColorSpace = LinearSRGBColorSpace; // shaders write the colours that are seen
    this.renderer.autoClear = false;
    this.renderer.info.autoReset = false;
    this.renderer.sortObjects = true;
    // Asking for errors waits until a shader is compiled: some 0.2 s at the start.
    this.renderer.debug.checkShaderErrors = location.hash === '#shaders';
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.gpu = gpuName(gl);
    const soft = /swiftshader|llvmpipe|software/i.test(this.gpu);
    this.governor.begin(soft);
    const sharp = soft ? 1 : Math.min(4, this.renderer.capabilities.getMaxAnisotropy());
    const tiles = paintAll();
    const blocks = textureArray(tiles, sharp, soft);
    const skins = textureArray(paintSkins(), sharp, soft);
    this.icons = new Icons(tiles);
    this.terrain = new Terrain(this.shared, blocks, this.frustum);
    this.clouds = new Clouds(this.shared);
    this.rain = new Rain(this.shared);
    this.far = new FarTerrain(this.shared, this.frustum, farColours(tiles));
    this.far.coarse = soft;
    this.figures = new Figures(this.shared, skins, blocks, gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS) as number);
    this.cracks = new Cracks(this.shared, blocks);
    this.pieces = new Particles(this.shared, blocks);
    this.hand = new Hand(this.shared, skins, blocks);
    this.scene.add(
      this.terrain.group, this.far.group, skyMesh(this.shared), this.clouds.group, this.figures.group, this.signs.group,
      this.outlined.lines, this.selected.lines, this.cracks.group, this.pieces.mesh, this.rain.mesh,
    );
    this.time(6000, 24000);
    setTimeout(() => this.warm());
    canvas.addEventListener('webglcontextlost', (e) => {
      e.preventDefault();
      this.onContext(false);
    });
    canvas.addEventListener('webglcontextrestored', () => this.onContext(true));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.setOptions({});
  }

  /** warm lets the GPU prepare all programs before there is anything to draw, while a person still types a name. */
  private warm(): void {
    const all = new Scene();
    const empty = new BufferGeometry();
    for (const material of this.terrain.materials) all.add(new Mesh(empty, material));
    for (const thing of [this.scene, this.hand.scene]) {
      thing.traverse((o) => {
        if (o instanceof Mesh || o instanceof LineSegments) all.add(new Mesh(o.geometry, o.material));
      });
    }
    this.renderer.compile(all, this.eye);
  }

  setOptions(options: Partial<EngineOptions>): void {
    Object.assign(this.options, options);
    this.governor.quality = this.options.quality;
    this.shared.uSway.value = this.options.reducedMotion ? 0 : 1;
    this.clouds.group.visible = this.options.clouds;
    this.resize();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const width = Math.max(1, clientWidth);
    const height = Math.max(1, clientHeight);
    const ratio = Math.min(2, window.devicePixelRatio || 1) * this.governor.now.scale;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.shared.uSize.value.set(width * ratio, height * ratio);
    this.eye.aspect = width / height;
    this.eye.updateProjectionMatrix();
    this.hand.shape(this.eye.aspect);
    const distance = Math.max(2, Math.round(this.options.viewDistance * this.governor.now.reach));
    if (distance !== this.distance) {
      this.distance = distance;
      this.onViewDistance(distance);
    }
  }

  /** setColumn takes a column as it comes in the Column message; deflated is kept. */
  setColumn(x: number, z: number, mask: number, deflated: Uint8Array): void {
    this.link.load(x, z, mask, deflated);
  }

  unloadColumn(x: number, z: number): void {
    this.link.unload(x, z);
    this.terrain.remove(x, z);
    this.maskAt = '';
  }

  /** hasColumn tells whether block() knows a column (not whether it is seen yet). */
  hasColumn(x: number, z: number): boolean {
    return this.link.has(x, z);
  }

  setBlock(x: number, y: number, z: number, b: number): void {
    this.link.setBlock(x, y, z, b);
  }

  /** block returns the id of the block at integer coordinates, −1 where nothing is loaded. */
  block(x: number, y: number, z: number): number {
    return this.link.block(x, y, z);
  }

  private takeMeshes(meshes: Parameters<Terrain['set']>[0][]): void {
    const fresh = new Set<string>();
    for (const m of meshes) {
      if (!this.terrain.has(m.x, m.z)) fresh.add(`${m.x},${m.z}`);
      this.terrain.set(m);
    }
    if (fresh.size > 0) this.maskAt = '';
    for (const place of fresh) {
      const [x, z] = place.split(',').map(Number);
      this.onMeshed(x, z);
    }
  }

  camera(c: CameraState): void {
    this.at.x = c.x;
    this.at.y = c.y;
    this.at.z = c.z;
    this.walked = c.walked ?? this.walked;
    this.yaw = c.yaw;
    this.eye.rotation.set(c.pitch, -c.yaw, 0, 'YXZ');
    if (this.eye.fov !== c.fov) {
      this.eye.fov = c.fov;
      this.eye.updateProjectionMatrix();
    }
  }

  /** time sets the time of day: tick of the day and ticks in a day; 0 is sunrise, a quarter noon. */
  time(tick: number, dayLength: number): void {
    setTime(this.shared, tick / dayLength, this.options.brightness, this.rain.wet);
  }

  /** weather says how hard it rains, 0 to 1. */
  weather(wet: number): void {
    this.rain.wet = wet;
  }

  /** outline draws the frame around the block that is looked at. */
  outline(at: { x: number; y: number; z: number } | null): void {
    this.outlined.set(at);
  }

  /** select draws the frame around a box of blocks that is chosen. */
  select(at: { x: number; y: number; z: number } | null, size: readonly number[] = [1, 1, 1]): void {
    this.selected.set(at, size);
  }

  /** crack shows how far the breaking of a block has come, 0 to 9; 10 removes it. */
  crack(x: number, y: number, z: number, stage: number): void {
    this.cracks.set(x, y, z, stage);
  }

  /** particles throws pieces of a block about: all for a broken block, few while it is being hit. */
  particles(block: number, x: number, y: number, z: number, few = false): void {
    if (!this.options.reducedMotion || !few) this.pieces.burst(block, x, y, z, few);
  }

  /** self gives the own hand the colours that others see. */
  self(name: string, skin: Uint8Array): void {
    this.hand.look(name, skin.length > 1 ? pixelsOf(skin) : (skin[0] ?? 0));
  }

  /** hold shows a block in the own hand, 0 for the empty hand. */
  hold(block: number): void {
    this.held = block;
    this.hand.hold(block);
  }

  /** swing moves the own hand once. */
  swing(): void {
    this.hand.swing();
  }

  /** entity adds or moves an entity; name and kind count when it is new or they changed. The own body is not one. */
  entity(id: number, kind: string, name: string, state: EntityState): void {
    this.figures.set(id, kind, name, state);
  }

  entityEvent(id: number, event: EntityEvent): void {
    this.figures.event(id, event);
  }

  /** skin dresses a player, see game/skins.ts; one of no bytes is that of the name. */
  skin(id: number, skin: Uint8Array): void {
    this.figures.skin(id, skin.length > 1 ? pixelsOf(skin) : (skin[0] ?? null));
  }

  removeEntity(id: number): void {
    this.figures.remove(id);
  }

  /** setSigns says what is written on which signs. */
  setSigns(all: readonly { x: number; y: number; z: number; text: string }[]): void {
    this.signs.set([...all]);
  }

  /** farTile takes the bin of a FarTile message. */
  farTile(rx: number, rz: number, deflated: Uint8Array): void {
    this.link.far(rx, rz, deflated);
  }

  /** hasFarTile tells whether a region's far tile has come; those far away are forgotten again. */
  hasFarTile(rx: number, rz: number): boolean {
    return this.far.has(rx, rz);
  }

  /** blockIcon draws a block as it looks in a slot; the same canvas each time, size pixels square. */
  blockIcon(block: number, size: number): HTMLCanvasElement {
    return this.icons.icon(block, size);
  }

  /** clear forgets the world: columns, entities, far tiles. */
  clear(): void {
    this.link.clear();
    this.terrain.clear();
    this.far.clear();
    this.figures.clear();
    this.cracks.clear();
    this.pieces.clear();
    this.outlined.set(null);
    this.selected.set(null);
    this.maskAt = '';
  }

  /** frame draws; dt is seconds since the last frame. */
  frame(dt: number): void {
    const start = performance.now();
    if (this.governor.frame(dt)) this.resize();
    this.prepare(dt);
    this.renderer.info.reset();
    this.renderer.clear();
    this.renderer.render(this.scene, this.eye);
    if (this.options.hand) {
      this.renderer.clearDepth();
      this.renderer.render(this.hand.scene, this.hand.camera);
    }
    if (dt > 0) this.fps += (1 / dt - this.fps) * Math.min(1, dt * 2);
    this.cpuMs += (performance.now() - start - this.cpuMs) * 0.05;
  }

  /** prepare moves everything to where it is in this frame. */
  private prepare(dt: number): void {
    const { at, shared, options } = this;
    const { x, y, z } = at;
    shared.uTime.value = (shared.uTime.value + dt) % 3600;
    shared.uEye.value.set(x - Math.floor(x / 1024) * 1024, y, z - Math.floor(z / 1024) * 1024);
    this.eye.updateMatrixWorld();
    this.view.multiplyMatrices(this.eye.projectionMatrix, this.eye.matrixWorldInverse);
    // The outermost ring of loaded columns is not drawn: it waits for neighbours that never come.
    const reach = (this.distance - 1) * 32;
    const land = this.far.size > 0 ? (this.options.farDistance - 0.5) * 128 : 0;
    this.fog.update(dt, at, reach, land, this.light, this.probed);
    this.probing -= dt;
    if (this.probing <= 0) this.probe();
    this.frustum.take(this.view);
    this.terrain.cull(x, y, z, reach, dt, !options.reducedMotion);
    this.updateFar(reach);
    if (options.clouds) this.clouds.update(at, (Date.now() / 1000) % 100_000);
    const blockAt = (bx: number, by: number, bz: number): number => this.link.block(bx, by, bz);
    this.rain.update(at, this.yaw, shared.uTime.value, blockAt);
    this.signs.update(at, (x, y, z) => this.block(x, y, z));
    this.figures.update(dt, at, options.reducedMotion);
    shared.uTorches.value = this.figures.torches(shared.uTorch.value, at, this.held);
    this.outlined.update(at, blockAt);
    this.selected.update(at, blockAt);
    this.cracks.update(at, blockAt);
    this.pieces.update(dt, at, this.light, blockAt);
    this.hand.update(dt, this.walked, this.yaw, options.reducedMotion, (this.light >> 4) / 15, (this.light & 15) / 15);
  }

  private updateFar(reach: number): void {
    if (this.options.farDistance === 0) {
      this.far.group.children.length = 0;
      return;
    }
    const { x, z } = this.at;
    const [cx, cz] = [Math.floor(x / 32), Math.floor(z / 32)];
    // Made again every few metres: what is drawn follows the eye, not its column.
    const maskAt = `${x >> 2},${z >> 2},${this.distance}`;
    if (maskAt !== this.maskAt) {
      this.maskAt = maskAt;
      const has = (kx: number, kz: number): boolean => this.terrain.has(kx, kz);
      const cover = (kx: number, kz: number): Cover => coverOf(has, kx, kz, x, z, reach);
      this.far.cover(cover, cx, cz, this.distance + 2);
    }
    this.far.update(this.at, this.options.farDistance);
  }

  /** probe asks the worker for the light at the eye and at all figures. */
  private probe(): void {
    this.probing = PROBE;
    const { x, y, z } = this.at;
    this.link.eye(Math.floor(x), Math.floor(z));
    const places = [Math.floor(x), Math.max(0, Math.min(255, Math.floor(y))), Math.floor(z)];
    this.figures.places(places);
    this.link.probe(Int32Array.from(places));
  }

  private takeLight(light: Uint8Array): void {
    this.light = light[0];
    this.probed = true;
    this.figures.setLight(light, 1);
  }

  /** measure lets the worker mesh all that is loaded again and tells how long it took (window.vpBench.mesh). */
  measure(): Promise<Measured> {
    return this.link.measure();
  }

  stats(): EngineStats {
    const { info } = this.renderer;
    return {
      fps: this.fps,
      cpuMs: this.cpuMs,
      columns: this.link.size,
      meshedColumns: this.terrain.size,
      chunks: this.terrain.meshes,
      chunksDrawn: this.terrain.drawn,
      drawCalls: info.render.calls,
      triangles: info.render.triangles,
      entities: this.figures.size,
      farTiles: this.far.size,
      queue: this.link.queue,
      meshMs: this.link.meshMs,
      lightMs: this.link.lightMs,
      meshMb: (this.terrain.quads * QUAD_BYTES) / 1e6,
      scale: this.governor.now.scale,
      viewDistance: this.distance,
      sky: this.light >> 4,
      lamp: this.light & 15,
      gpu: this.gpu,
    };
  }

  dispose(): void {
    this.observer.disconnect();
    this.link.dispose();
    this.renderer.dispose();
  }
}

function gpuName(gl: WebGLRenderingContext | WebGL2RenderingContext): string {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}
