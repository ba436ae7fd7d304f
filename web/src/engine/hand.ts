// The own hand and what it holds, drawn over the picture.

import { Euler, Matrix4, PerspectiveCamera, Scene, type DataArrayTexture } from 'three';
import { Boxes } from './boxes';
import { coloursOf } from './figure';
import { addHeld, heldFlat } from './held';
import { handColours, LOOKS } from './looks';
import { Skin } from './textures/skins';
import type { Shared } from './uniforms';

/** seconds of a swing, of taking another block into the hand */
const SWING = 0.26;
const SWAP = 0.18;

export class Hand {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(60, 1, 0.02, 10);
  private readonly skin: Boxes;
  private readonly block: Boxes;
  private colours = coloursOf('player', '', 0);
  private wanted = 0;
  private shown = 0;
  private swinging = 0;
  private swapping = 0;
  private bob = 0;
  private walked = 0;
  private sway = 0;
  private lastYaw = 0;

  constructor(shared: Shared, skins: DataArrayTexture, blocks: DataArrayTexture) {
    this.skin = new Boxes(shared, skins, 'skin');
    this.block = new Boxes(shared, blocks, 'block');
    this.scene.add(this.skin.mesh, this.block.mesh);
  }

  /** look gives the hand its owner's colours. */
  look(name: string, skin: number | readonly number[]): void {
    const byName = coloursOf('player', name, 0);
    this.colours = typeof skin === 'number' ? [...(LOOKS[skin - 1]?.colours ?? byName)] : handColours(skin, byName);
  }

  hold(block: number): void {
    if (block === this.wanted) return;
    this.wanted = block;
    this.swapping = SWAP;
  }

  swing(): void {
    if (this.swinging < SWING * 0.5) this.swinging = SWING;
  }

  /** shape fits the hand into a picture: narrow ones are seen with a wider angle. */
  shape(aspect: number): void {
    this.camera.aspect = aspect;
    this.camera.fov = (Math.atan(Math.tan(Math.PI / 6) * Math.max(1, 1.1 / aspect)) * 360) / Math.PI;
    this.camera.updateProjectionMatrix();
  }

  update(dt: number, walked: number, yaw: number, still: boolean, sky: number, lamp: number): void {
    this.swinging = Math.max(0, this.swinging - dt);
    this.swapping = Math.max(0, this.swapping - dt);
    if (this.swapping < SWAP / 2) this.shown = this.wanted;
    const moving = walked > this.walked ? 1 : 0;
    this.bob += ((still ? 0 : moving) - this.bob) * Math.min(1, dt * 8);
    this.walked = walked;
    const turned = yaw - this.lastYaw - Math.round((yaw - this.lastYaw) / (Math.PI * 2)) * Math.PI * 2;
    this.lastYaw = yaw;
    this.sway += ((still ? 0 : Math.max(-0.08, Math.min(0.08, turned * 1.2))) - this.sway) * Math.min(1, dt * 9);
    this.skin.begin();
    this.block.begin();
    this.draw(sky, lamp);
    this.skin.end();
    this.block.end();
  }

  private draw(sky: number, lamp: number): void {
    const t = this.swinging > 0 ? 1 - this.swinging / SWING : 0;
    const strike = Math.sin(t * Math.PI);
    const drop = this.swapping > 0 ? 1 - Math.abs(this.swapping / SWAP - 0.5) * 2 : 0;
    const x = Math.cos(this.walked * 1.6) * 0.018 * this.bob - this.sway;
    const y = -Math.abs(Math.sin(this.walked * 1.6)) * 0.022 * this.bob - drop * 0.35;
    // In narrow pictures the hand comes further in.
    const side = Math.min(0.6, 0.62 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.aspect);
    if (this.shown > 0) {
      root.makeRotationFromEuler(angles.set(0.12 - strike * 0.9, -0.72 + strike * 0.35, 0, 'YXZ'));
      root.setPosition(side + x - strike * 0.18, -0.46 + y + Math.sin(Math.sqrt(t) * Math.PI) * 0.16, -0.95 - strike * 0.2);
      if (heldFlat(this.shown)) root.multiply(size.makeTranslation(-0.05, 0.06, 0.05));
      addHeld(this.block, root, this.shown, 0.27, sky, lamp);
      return;
    }
    root.makeRotationFromEuler(angles.set(1.98 - strike * 0.5, 0.3 + strike * 0.45, 0.1, 'YXZ'));
    root.setPosition(side - 0.03 + x - strike * 0.24, -0.5 + y + Math.sin(Math.sqrt(t) * Math.PI) * 0.14, -0.62 - strike * 0.14);
    root.multiply(size.makeScale(0.17, 0.7, 0.17));
    this.skin.add(root, [Skin.Sleeve, Skin.Sleeve, Skin.Second], this.colours[2], this.colours[0], sky, lamp);
  }
}

const root = new Matrix4();
const size = new Matrix4();
const angles = new Euler();
