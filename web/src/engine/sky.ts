// The sky: colours of the day, sun, moon, stars.

import { BufferAttribute, BufferGeometry, GLSL3, Mesh, RawShaderMaterial, Vector3 } from 'three';
import { bounded } from './sphere';
import { COMMON, type Shared } from './uniforms';

interface Hour {
  zenith: Vector3;
  horizon: Vector3;
  light: Vector3;
}

const hour = (zenith: number[], horizon: number[], light: number[]): Hour => ({
  zenith: new Vector3(...zenith),
  horizon: new Vector3(...horizon),
  light: new Vector3(...light),
});

const DAY = hour([0.25, 0.5, 0.9], [0.69, 0.84, 0.97], [0.94, 0.928, 0.9]);
const DUSK = hour([0.22, 0.27, 0.52], [0.6, 0.47, 0.5], [0.74, 0.6, 0.55]);
const NIGHT = hour([0.014, 0.024, 0.066], [0.05, 0.075, 0.15], [0.19, 0.24, 0.42]);
const GREY = new Vector3();
const GLOW = new Vector3(0.62, 0.27, 0.02);

const smooth = (a: number, b: number, v: number): number => {
  const t = Math.max(0, Math.min(1, (v - a) / (b - a)));
  return t * t * (3 - 2 * t);
};

/** setTime puts the sun where it stands at a share of the day (0 sunrise, ¼ noon) and colours the sky. */
export function setTime(shared: Shared, share: number, brightness: number, wet = 0): void {
  const angle = share * Math.PI * 2;
  shared.uSun.value.set(Math.cos(angle), Math.sin(angle), -0.28).normalize();
  const high = Math.sin(angle);
  const day = smooth(-0.05, 0.32, high);
  const night = 1 - smooth(-0.26, -0.02, high);
  const mix = (k: keyof Hour, out: Vector3): Vector3 => out.copy(DUSK[k]).lerp(DAY[k], day).lerp(NIGHT[k], night);
  mix('zenith', shared.uZenith.value);
  mix('horizon', shared.uHorizon.value);
  mix('light', shared.uSkyLight.value);
  shared.uSkyLight.value.lerp(DUSK.light, night * brightness * 0.7);
  shared.uGlow.value.copy(GLOW).multiplyScalar(Math.exp(-((high / 0.2) ** 2)));
  for (const sky of [shared.uZenith.value, shared.uHorizon.value]) {
    const grey = (sky.x + sky.y + sky.z) / 3;
    sky.lerp(GREY.set(grey, grey * 1.03, grey * 1.1).multiplyScalar(0.72), wet * 0.85);
  }
  shared.uSkyLight.value.multiplyScalar(1 - wet * 0.22);
  shared.uGlow.value.multiplyScalar(1 - wet);
  shared.uNight.value = night;
  shared.uAmbient.value = 0.035 + 0.1 * brightness;
}

const VERTEX = COMMON + /* glsl */ `
in vec3 position;
uniform mat4 viewMatrix, projectionMatrix;
out vec3 vDir;

void main() {
  vec2 eye = position.xy / vec2(projectionMatrix[0][0], projectionMatrix[1][1]);
  vDir = transpose(mat3(viewMatrix)) * vec3(eye, -1.0);
  gl_Position = vec4(position.xy, 1.0, 1.0);
}
`;

const FRAGMENT = COMMON + /* glsl */ `
in vec3 vDir;
out vec4 colour;

float hash(vec3 p) {
  p = fract(p * 0.3183099 + 0.1);
  p *= 17.0;
  return fract(p.x * p.y * p.z * (p.x + p.y + p.z));
}

// A square of n×n pixels around a direction; outside of it x is negative.
vec2 disc(vec3 dir, vec3 at, float size, float n) {
  vec3 side = normalize(cross(at, vec3(0.0, 0.3, 1.0)));
  vec3 up = cross(side, at);
  vec2 p = vec2(dot(dir, side), dot(dir, up)) / (size * max(dot(dir, at), 0.001));
  if (dot(dir, at) < 0.0 || max(abs(p.x), abs(p.y)) > 1.0) return vec2(-9.0);
  return (floor((p * 0.5 + 0.5) * n) + 0.5) / n * 2.0 - 1.0;
}

void main() {
  vec3 dir = normalize(vDir);
  if (uUnder.w > 0.5) {
    colour = vec4(toneMap(uUnder.rgb), 1.0);
    return;
  }
  vec3 c = skyColour(dir);
  float clear = smoothstep(-0.02, 0.12, dir.y);
  if (uNight > 0.01 && dir.y > 0.0) {
    // The stars turn with the sun.
    vec3 side = normalize(cross(vec3(0.0, 0.0, 1.0), uSun));
    vec3 d = vec3(dot(dir, uSun), dot(dir, side), dir.z);
    vec3 cell = floor(d * 90.0);
    float star = hash(cell);
    vec3 off = fract(d * 90.0) - 0.5;
    float twinkle = 0.75 + 0.25 * sin(uTime * 2.0 + star * 4000.0);
    float bright = step(0.9955, star) * step(dot(off, off), 0.11) * twinkle;
    c += vec3(0.9, 0.94, 1.0) * bright * uNight * clear * (0.35 + fract(star * 777.0) * 0.65);
  }
  float near = dot(dir, uSun);
  if (near > 0.6) c += vec3(1.0, 0.78, 0.45) * (pow(near, 90.0) * 0.4 + pow(near, 8.0) * 0.1 - 0.0017) * (1.0 - uNight) * smoothstep(-0.25, 0.0, uSun.y + 0.1);
  vec2 sun = near > 0.95 ? disc(dir, uSun, 0.075, 8.0) : vec2(-9.0);
  if (sun.x > -2.0 && uSun.y > -0.2) c = mix(c, vec3(1.38, 1.3, 1.05), clear * (max(abs(sun.x), abs(sun.y)) > 0.8 ? 0.75 : 1.0));
  vec2 moon = near < -0.95 ? disc(dir, -uSun, 0.055, 8.0) : vec2(-9.0);
  if (moon.x > -2.0 && uSun.y < 0.2) {
    float spot = hash(vec3(floor(moon * 4.0), 3.0)) < 0.28 ? 0.8 : 1.0;
    c = mix(c, vec3(0.9, 0.93, 1.0) * spot, clear * (0.25 + 0.75 * uNight));
  }
  colour = vec4(toneMap(c * uOutside), 1.0);
}
`;

/** skyMesh is a triangle over the whole picture at the far plane. */
export function skyMesh(shared: Shared): Mesh {
  const geometry = bounded(new BufferGeometry());
  geometry.setAttribute('position', new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
  const material = new RawShaderMaterial({
    glslVersion: GLSL3, uniforms: shared, vertexShader: VERTEX, fragmentShader: FRAGMENT, depthWrite: false,
  });
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = false;
  mesh.renderOrder = 10; // after all that is solid, where nothing covers it
  return mesh;
}
