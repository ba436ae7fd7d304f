// What is written on signs: a picture of the text before the board of each that is near.

import { BufferAttribute, BufferGeometry, CanvasTexture, GLSL3, Group, LinearFilter, Mesh, NoColorSpace, RawShaderMaterial } from 'three';
import { blocks } from '../gen/blocks';
import { BOARD } from '../world/forms';
import { bounded } from './sphere';

const VERTEX = /* glsl */ `
precision highp float;
in vec2 position;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
out vec2 vAt;
void main() {
  vAt = position * 0.5 + 0.5;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 0.0, 1.0);
}
`;
const FRAGMENT = /* glsl */ `
precision highp float;
uniform sampler2D map;
uniform float alpha;
in vec2 vAt;
out vec4 colour;
void main() {
  colour = texture(map, vAt) * alpha;
}
`;

/** metres beyond which a text is not shown, and how many are at once */
const SIGHT = 24;
const MOST = 64;
const WIDE = 280;
const HIGH = 180;
const INK = '#2a1b0e';
/** around the letters: the board has dark joints, and may stand in the shade */
const HALO = 'rgba(226, 196, 140, 0.6)';
/** metres before the board */
const BEFORE = 0.004;

interface Sign {
  x: number;
  y: number;
  z: number;
  text: string;
}

interface Shown {
  mesh: Mesh<BufferGeometry, RawShaderMaterial>;
  text: string;
}

const keyOf = (s: Sign): string => `${s.x},${s.y},${s.z}`;

export class SignTexts {
  readonly group = new Group();
  private all: Sign[] = [];
  private readonly shown = new Map<string, Shown>();
  private readonly quad = bounded(new BufferGeometry());

  constructor() {
    this.quad.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), 2));
    this.quad.setIndex([0, 1, 2, 0, 2, 3]);
  }

  set(all: Sign[]): void {
    this.all = all;
  }

  /** How many texts are drawn. */
  get size(): number {
    return this.shown.size;
  }

  update(eye: { x: number; y: number; z: number }, block: (x: number, y: number, z: number) => number): void {
    const far = (s: Sign): number => Math.hypot(s.x + 0.5 - eye.x, s.y + 0.5 - eye.y, s.z + 0.5 - eye.z);
    const near = this.all.filter((s) => far(s) < SIGHT && blocks[block(s.x, s.y, s.z)]?.class === 'sign');
    near.sort((a, b) => far(a) - far(b)).length = Math.min(near.length, MOST);
    const kept = new Set(near.map(keyOf));
    for (const key of this.shown.keys()) if (!kept.has(key)) this.remove(key);
    for (const s of near) {
      const key = keyOf(s);
      let shown = this.shown.get(key);
      if (shown?.text !== s.text) {
        this.remove(key);
        shown = { mesh: this.make(s.text), text: s.text };
        this.shown.set(key, shown);
        this.group.add(shown.mesh);
      }
      this.place(shown.mesh, blocks[block(s.x, s.y, s.z)]!.facing!, s.x - eye.x, s.y - eye.y, s.z - eye.z);
      shown.mesh.material.uniforms.alpha.value = Math.min(1, (SIGHT - far(s)) / 4);
    }
  }

  /** place puts a text before the board of a sign whose cell begins there. */
  private place(mesh: Mesh, facing: number, x: number, y: number, z: number): void {
    const sign = facing & 1 ? 1 : -1;
    const [nx, nz] = facing & 2 ? [sign, 0] : [0, sign];
    const [low, high] = facing > 3 ? BOARD.wall : BOARD.post;
    const out = (facing > 3 ? BOARD.thick / 16 - 0.5 : BOARD.thick / 32) + BEFORE;
    const wide = (BOARD.right - BOARD.left) / 32;
    const tall = (high - low) / 32;
    mesh.matrixWorld.set(
      nz * wide, 0, nx, x + 0.5 + nx * out,
      0, tall, 0, y + (low + high) / 32,
      -nx * wide, 0, nz, z + 0.5 + nz * out,
      0, 0, 0, 1,
    );
  }

  private make(text: string): Mesh<BufferGeometry, RawShaderMaterial> {
    const canvas = document.createElement('canvas');
    canvas.width = WIDE;
    canvas.height = HIGH;
    const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
    pen.fillStyle = INK;
    pen.strokeStyle = HALO;
    pen.lineJoin = 'round';
    pen.lineWidth = 9;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    const lines = text.split('\n');
    lines.forEach((line, i) => {
      let size = 38;
      const font = (): string => `600 ${size}px system-ui, "Segoe UI", sans-serif`;
      pen.font = font();
      const wide = pen.measureText(line).width;
      if (wide > WIDE * 0.94) {
        size = Math.max(10, (size * WIDE * 0.94) / wide);
        pen.font = font();
      }
      const at = [line, WIDE / 2, HIGH / 2 + (i - (lines.length - 1) / 2) * 42, WIDE * 0.96] as const;
      pen.strokeText(...at);
      pen.fillText(...at);
    });
    const map = new CanvasTexture(canvas);
    map.minFilter = LinearFilter;
    map.generateMipmaps = false;
    map.colorSpace = NoColorSpace;
    map.premultiplyAlpha = true;
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, premultipliedAlpha: true,
      uniforms: { map: { value: map }, alpha: { value: 1 } },
    });
    const mesh = new Mesh(this.quad, material);
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    mesh.matrixWorldAutoUpdate = false;
    mesh.renderOrder = 14;
    return mesh;
  }

  private remove(key: string): void {
    const shown = this.shown.get(key);
    if (!shown) return;
    this.shown.delete(key);
    this.group.remove(shown.mesh);
    (shown.mesh.material.uniforms.map.value as CanvasTexture).dispose();
    shown.mesh.material.dispose();
  }
}
