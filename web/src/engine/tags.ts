// Names over heads: always upright, never smaller than can be read.

import { BufferAttribute, BufferGeometry, CanvasTexture, GLSL3, Group, LinearFilter, Mesh, NoColorSpace, RawShaderMaterial } from 'three';
import { bounded } from './sphere';

const VERTEX = /* glsl */ `
precision highp float;
in vec2 position;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
uniform vec2 size;
out vec2 vAt;
void main() {
  vAt = position * vec2(0.5, 0.5) + 0.5;
  vec4 p = viewMatrix * vec4(modelMatrix[3].xyz, 1.0);
  p.xy += position * size;
  gl_Position = projectionMatrix * p;
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

/** metres beyond which names are not shown, for those who sneak nearer */
const SIGHT = 56;
const SNEAKING = 10;
const HIGH = 48;

interface Tag {
  mesh: Mesh<BufferGeometry, RawShaderMaterial>;
  name: string;
  /** width over height */
  ratio: number;
}

export class NameTags {
  readonly group = new Group();
  private readonly tags = new Map<number, Tag>();
  private readonly quad = bounded(new BufferGeometry());

  constructor() {
    this.quad.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), 2));
    this.quad.setIndex([0, 1, 2, 0, 2, 3]);
  }

  /** place puts a name at a place relative to the eye. */
  place(id: number, name: string, x: number, y: number, z: number, distance: number, sneaking: boolean): void {
    const sight = sneaking ? SNEAKING : SIGHT;
    if (distance > sight || name === '') return this.remove(id);
    let tag = this.tags.get(id);
    if (!tag || tag.name !== name) {
      this.remove(id);
      tag = this.make(name);
      this.tags.set(id, tag);
      this.group.add(tag.mesh);
    }
    tag.mesh.matrixWorld.setPosition(x, y, z);
    const half = Math.max(0.1, distance * 0.0115);
    const { uniforms } = tag.mesh.material;
    uniforms.size.value = [half * tag.ratio, half];
    uniforms.alpha.value = Math.min(1, (sight - distance) / 6);
  }

  private make(name: string): Tag {
    const canvas = document.createElement('canvas');
    const font = `600 ${HIGH * 0.62}px system-ui, "Segoe UI", sans-serif`;
    const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
    pen.font = font;
    canvas.width = Math.ceil(pen.measureText(name).width) + HIGH * 0.6;
    canvas.height = HIGH;
    pen.fillStyle = 'rgba(8, 12, 18, 0.55)';
    pen.beginPath();
    pen.roundRect(0, 2, canvas.width, HIGH - 4, 10);
    pen.fill();
    pen.font = font;
    pen.fillStyle = '#fff';
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillText(name, canvas.width / 2, HIGH / 2 + 1);
    const map = new CanvasTexture(canvas);
    map.minFilter = LinearFilter;
    map.generateMipmaps = false;
    map.colorSpace = NoColorSpace;
    map.premultiplyAlpha = true;
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, premultipliedAlpha: true,
      uniforms: { map: { value: map }, size: { value: [1, 1] }, alpha: { value: 1 } },
    });
    const mesh = new Mesh(this.quad, material);
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    mesh.matrixWorldAutoUpdate = false;
    mesh.renderOrder = 40;
    return { mesh, name, ratio: canvas.width / HIGH };
  }

  remove(id: number): void {
    const tag = this.tags.get(id);
    if (!tag) return;
    this.tags.delete(id);
    this.group.remove(tag.mesh);
    (tag.mesh.material.uniforms.map.value as CanvasTexture).dispose();
    tag.mesh.material.dispose();
  }
}
