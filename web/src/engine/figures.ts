// The entities in sight: what they look like from frame to frame.

import { Group, Matrix4, Vector3, type DataArrayTexture } from 'three';
import { addFlames, addWorn } from './armour';
import { modelOf } from './beasts';
import { Boxes } from './boxes';
import { coloursOf, handOf, placePart, type Pose } from './figure';
import { addHeld } from './held';
import { LOOKS, partLayer, Pixels, type Look } from './looks';
import { addLying } from './lying';
import { NameTags } from './tags';
import { torches } from './torches';
import type { EntityEvent, EntityState, Vec3 } from './types';
import type { Shared } from './uniforms';

/** seconds that a blow takes, that a hurt figure stays red */
const STRIKE = 0.3;
const HURT = 0.45;
/** metres beyond which figures are not drawn */
const SIGHT = 160;
const ITEM_SIGHT = 64;

interface Figure {
  kind: string;
  name: string;
  state: EntityState;
  colours: number[];
  bodyYaw: number;
  lastX: number;
  lastY: number;
  lastZ: number;
  speed: number;
  pose: Pose;
  strike: number;
  hurt: number;
  /** seconds since it died, −1 while it lives */
  dying: number;
  light: number;
}

export class Figures {
  readonly group = new Group();
  private readonly all = new Map<number, Figure>();
  private readonly skins: Boxes;
  private readonly held: Boxes;
  private readonly images: Boxes;
  private readonly pixels: Pixels;
  /** of those who look otherwise than by their name: a built-in look, or the first layer of their pixels */
  private readonly looks = new Map<number, Look | number>();
  private readonly tags: NameTags;
  private order: number[] = [];

  constructor(shared: Shared, skins: DataArrayTexture, blockTextures: DataArrayTexture, mostLayers: number) {
    this.pixels = new Pixels(mostLayers);
    this.images = new Boxes(shared, this.pixels.texture, 'image');
    this.skins = new Boxes(shared, skins, 'skin');
    this.held = new Boxes(shared, blockTextures, 'block');
    this.tags = new NameTags();
    this.group.add(this.skins.mesh, this.held.mesh, this.images.mesh, this.tags.group);
  }

  get size(): number {
    return this.all.size;
  }

  set(id: number, kind: string, name: string, state: EntityState): void {
    let f = this.all.get(id);
    if (!f || f.kind !== kind || f.name !== name) {
      f = {
        kind, name, state, colours: coloursOf(kind, name, id), bodyYaw: state.yaw, lastX: state.x, lastY: state.y, lastZ: state.z, speed: 0,
        pose: { yaw: 0, pitch: 0, stride: 0, swing: 0, strike: 0, lift: 0, sneak: false, swim: false, time: id % 7 },
        strike: 0, hurt: 0, dying: -1, light: 0xf0,
      };
      this.all.set(id, f);
    }
    f.state = { ...state };
  }

  event(id: number, event: EntityEvent): void {
    const f = this.all.get(id);
    if (!f) return;
    if (event === 'swing' || event === 'eat') f.strike = STRIKE;
    if (event === 'hurt') f.hurt = HURT;
  }

  /** skin dresses a player: with pixels, with a built-in look, or (null) by its name. */
  skin(id: number, look: number | readonly number[] | null): void {
    this.pixels.free(id);
    this.looks.delete(id);
    const found = typeof look === 'number' ? LOOKS[look - 1] : look && this.pixels.set(id, look);
    if (typeof found === 'number' ? found >= 0 : found) this.looks.set(id, found!);
  }

  remove(id: number): void {
    this.skin(id, null);
    this.all.delete(id);
    this.tags.remove(id);
  }

  clear(): void {
    for (const id of [...this.all.keys()]) this.remove(id);
  }

  /** places lists where the figures stand, in the order in which setLight wants their light. */
  places(out: number[]): void {
    this.order = [...this.all.keys()];
    for (const id of this.order) {
      const { x, y, z } = (this.all.get(id) as Figure).state;
      out.push(Math.floor(x), Math.max(0, Math.min(255, Math.floor(y + 1))), Math.floor(z));
    }
  }

  setLight(light: Uint8Array, from: number): void {
    this.order.forEach((id, i) => {
      const f = this.all.get(id);
      if (f && from + i < light.length) f.light = light[from + i];
    });
  }

  /** update moves limbs on by dt and places all boxes relative to the eye; items lie still if nothing is to move. */
  update(dt: number, eye: { x: number; y: number; z: number }, still: boolean): void {
    this.skins.begin();
    this.images.begin();
    this.held.begin();
    for (const [id, f] of this.all) {
      const { state } = f;
      if (f.kind === 'item') {
        if (!still) f.pose.time += dt;
        this.drawItem(f, eye);
        continue;
      }
      this.animate(f, dt);
      const distance = Math.hypot(state.x - eye.x, state.y - eye.y, state.z - eye.z);
      if (distance < SIGHT) this.draw(f, eye, this.looks.get(id));
      const tall = modelOf(f.kind).height * state.scale + 0.3 - (state.sneaking ? 0.25 : 0);
      if (f.kind === 'player' && !state.dead) {
        this.tags.place(id, f.name, state.x - eye.x, state.y + tall - eye.y, state.z - eye.z, distance, state.sneaking);
      } else this.tags.remove(id);
    }
    this.skins.end();
    this.images.end();
    this.held.end();
  }

  /** torches writes the lights that are carried, see there; held is what the own hand holds. */
  torches(out: Float32Array, eye: Vec3, held: number): number {
    return torches(out, eye, held, [...this.all.values()].map((f) => f.state));
  }

  private drawItem(f: Figure, eye: { x: number; y: number; z: number }): void {
    const { x, y, z, held, count } = f.state;
    const at = { x: x - eye.x, y: y - eye.y, z: z - eye.z };
    if (held === 0 || Math.hypot(at.x, at.y, at.z) > ITEM_SIGHT) return;
    addLying(this.held, { block: held, count, ...at, sky: (f.light >> 4) / 15, lamp: (f.light & 15) / 15 }, f.pose.time);
  }

  private animate(f: Figure, dt: number): void {
    const { state, pose } = f;
    const dx = state.x - f.lastX;
    const dz = state.z - f.lastZ;
    f.lastX = state.x;
    f.lastZ = state.z;
    const moved = Math.hypot(dx, dz);
    if (dt > 0 && moved < 3) f.speed += (Math.min(9, moved / dt) - f.speed) * Math.min(1, dt * 10);
    pose.time += dt;
    const { pace, hop = 0, upright } = modelOf(f.kind);
    pose.stride += f.speed * dt * pace;
    pose.swing = Math.min(0.95, f.speed / 4.5);
    pose.sneak = state.sneaking;
    pose.swim = upright === true && state.swimming && f.speed > 0.4;
    const falling = dt > 0 ? Math.min(1, Math.max(0, f.lastY - state.y) / dt / 3) : 0;
    f.lastY = state.y;
    pose.lift += (Math.max(falling, hop ? Math.abs(Math.sin(pose.stride)) * Math.min(1, pose.swing * 3) : 0) - pose.lift) * Math.min(1, dt * 15);
    f.strike = Math.max(0, f.strike - dt);
    f.hurt = Math.max(0, f.hurt - dt);
    pose.strike = f.strike > 0 ? 1 - f.strike / STRIKE : 0;
    f.dying = state.dead ? Math.max(0, f.dying) + dt : -1;
    this.turnBody(f, dx, dz, dt);
    pose.pitch = upright ? state.pitch : state.pitch * 0.6;
  }

  /** turnBody lets the body follow the way it walks and, when standing, the look once it has gone far round. */
  private turnBody(f: Figure, dx: number, dz: number, dt: number): void {
    const { state, pose } = f;
    let goal = f.bodyYaw;
    if (f.speed > 0.5 && Math.hypot(dx, dz) > 1e-4) {
      goal = Math.atan2(dx, -dz);
      if (Math.abs(wrap(goal - state.yaw)) > Math.PI * 0.6) goal += Math.PI; // walks backwards
    }
    f.bodyYaw += wrap(goal - f.bodyYaw) * Math.min(1, dt * 8);
    const most = f.speed > 0.5 ? 0.7 : 0.9;
    const lead = wrap(state.yaw - f.bodyYaw);
    if (Math.abs(lead) > most) f.bodyYaw = wrap(state.yaw - Math.sign(lead) * most);
    pose.yaw = wrap(state.yaw - f.bodyYaw);
  }

  private draw(f: Figure, eye: { x: number; y: number; z: number }, look?: Look | number): void {
    const { state } = f;
    root.makeRotationY(-f.bodyYaw);
    const model = modelOf(f.kind);
    root.setPosition(state.x - eye.x, state.y - eye.y + (model.hop ?? 0) * f.pose.lift * state.scale, state.z - eye.z);
    if (state.scale !== 1) root.scale(size.setScalar(state.scale));
    if (state.lies) {
      const { x, y, z, headX, headZ } = state.lies;
      root.makeRotationY(Math.atan2(headX, headZ)).setPosition(x - eye.x, y + 0.14 - eye.y, z - eye.z).multiply(tilt.makeRotationX(Math.PI / 2));
    } else if (f.dying >= 0) {
      root.multiply(tilt.makeRotationZ(Math.min(1, f.dying * 3) * (Math.PI / 2)));
    } else if (f.pose.swim) {
      root.multiply(tilt.makeTranslation(0, 0.9, 0)).multiply(tilt.makeRotationX(-1.25)).multiply(tilt.makeTranslation(0, -0.9, 0));
    }
    const sky = (f.light >> 4) / 15;
    const lamp = (f.light & 15) / 15;
    const hurt = f.hurt / HURT;
    const { colours, extras } = typeof look === 'object' ? look : { colours: f.colours, extras: [] };
    for (const [i, part] of [...model.parts, ...extras].entries()) {
      placePart(box, root, part, model, f.pose);
      if (typeof look === 'number') this.images.addImage(box, partLayer(look, i), sky, lamp, hurt);
      else this.skins.add(box, part.skin, colours[part.colours[0]], colours[part.colours[1]], sky, lamp, hurt);
      if (part.name === 'armR' && state.held > 0) {
        handOf(hand, box, part);
        addHeld(this.held, hand, state.held, 0.26, sky, lamp);
      }
    }
    addWorn(this.skins, root, model, f.pose, state.worn, sky, lamp, hurt);
    if (state.burning) {
      const at = { x: state.x - eye.x, y: state.y - eye.y, z: state.z - eye.z };
      addFlames(this.skins, at, model.halfWidth * state.scale, model.height * state.scale, f.pose.time);
    }
  }
}

const root = new Matrix4();
const tilt = new Matrix4();
const box = new Matrix4();
const hand = new Matrix4();
const size = new Vector3();

/** wrap brings an angle into −π…π. */
function wrap(a: number): number {
  return a - Math.round(a / (Math.PI * 2)) * Math.PI * 2;
}
