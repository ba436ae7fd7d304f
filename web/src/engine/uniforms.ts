// What every shader of the engine shares: light of the sky, fog, time.

import { Vector2, Vector3, Vector4, type IUniform } from 'three';
import { MOST_TORCHES } from './torches';

export interface Shared {
  [name: string]: IUniform;
  /** seconds, wraps after an hour */
  uTime: IUniform<number>;
  /** the eye's place in the world, each axis modulo 1024: for patterns that stay where they are */
  uEye: IUniform<Vector3>;
  /** direction to the sun */
  uSun: IUniform<Vector3>;
  uZenith: IUniform<Vector3>;
  uHorizon: IUniform<Vector3>;
  /** what the low sun adds around it */
  uGlow: IUniform<Vector3>;
  /** colour of full sky light and of full lamp light */
  uSkyLight: IUniform<Vector3>;
  uLampLight: IUniform<Vector3>;
  /** lights that are carried: place relative to the eye, level 0 to 1; and how many there are */
  uTorch: IUniform<Float32Array>;
  uTorches: IUniform<number>;
  /** light where there is none */
  uAmbient: IUniform<number>;
  /** metres at which fog begins and is all, for what is near; the same for what is far */
  uFog: IUniform<Vector4>;
  /** metres up to which columns are drawn */
  uReach: IUniform<number>;
  /** 1 where the eye sees the sky, 0 deep in a cave */
  uOutside: IUniform<number>;
  /** colour of the water around the eye; w is 1 under water */
  uUnder: IUniform<Vector4>;
  /** 0: nothing sways */
  uSway: IUniform<number>;
  /** 0 by day, 1 by night: stars */
  uNight: IUniform<number>;
  /** pixels of the picture */
  uSize: IUniform<Vector2>;
}

export function makeShared(): Shared {
  return {
    uTime: { value: 0 },
    uEye: { value: new Vector3() },
    uSun: { value: new Vector3(0, 1, 0) },
    uZenith: { value: new Vector3() },
    uHorizon: { value: new Vector3() },
    uGlow: { value: new Vector3() },
    uSkyLight: { value: new Vector3(1, 1, 1) },
    uLampLight: { value: new Vector3(1.0, 0.8, 0.52) },
    uTorch: { value: new Float32Array(MOST_TORCHES * 4) },
    uTorches: { value: 0 },
    uAmbient: { value: 0.05 },
    uFog: { value: new Vector4(100, 200, 100, 200) },
    uReach: { value: 100 },
    uOutside: { value: 1 },
    uUnder: { value: new Vector4(0, 0, 0, 0) },
    uSway: { value: 1 },
    uNight: { value: 0 },
    uSize: { value: new Vector2(1, 1) },
  };
}

/** GLSL that all shaders begin with: the shared uniforms, the sky's colour, fog and light. */
export const COMMON = /* glsl */ `
precision highp float;
precision highp int;
uniform float uTime, uReach, uAmbient, uOutside, uSway, uNight;
uniform vec3 uEye, uSun, uZenith, uHorizon, uGlow, uSkyLight, uLampLight;
uniform vec4 uFog, uUnder;
uniform vec2 uSize;
uniform vec4 uTorch[${MOST_TORCHES}];
uniform int uTorches;

vec3 skyColour(vec3 dir) {
  float up = max(dir.y, 0.0);
  vec3 c = mix(uHorizon, uZenith, 1.0 - exp(-up * 3.6));
  float towards = max(dot(normalize(dir.xz + 1e-5), normalize(uSun.xz + 1e-5)), 0.0);
  return c + uGlow * (towards * towards * 0.75 + 0.25) * exp(-up * 5.0);
}

// rgb: colour of the fog in a direction; a: how much of it lies before a point
// at this place relative to the eye.
vec4 fogAt(vec3 rel, vec2 range) {
  if (uUnder.w > 0.5) return vec4(uUnder.rgb, 1.0 - exp(-length(rel) * 0.058));
  float far = length(rel.xz);
  float amount = smoothstep(range.x, range.y, far);
  if (amount <= 0.0) return vec4(0.0);
  vec3 colour = skyColour(vec3(rel.x, far * 0.04, rel.z) / max(far, 0.001));
  return vec4(colour * uOutside, amount);
}

vec3 lampLight(float lamp) {
  float glow = pow(lamp, 1.25);
  return mix(uLampLight, vec3(1.0, 0.93, 0.8), glow * 0.6) * glow;
}

// Light of what is carried on a point at this place relative to the eye; it
// falls by a level a metre, as the light of a placed lamp does.
vec3 torchLight(vec3 rel) {
  float level = 0.0;
  for (int i = 0; i < uTorches; i++) level = max(level, uTorch[i].w - distance(rel, uTorch[i].xyz) / 15.0);
  return lampLight(level);
}

// The colour on the screen: a little less saturated, and what is brighter than
// 0.6 is compressed up to 1.38, so that nothing in full sunlight is clipped.
vec3 toneMap(vec3 c) {
  c = mix(vec3(dot(c, vec3(0.3, 0.59, 0.11))), c, 0.86);
  vec3 over = clamp(c - 0.6, 0.0, 0.78);
  return min(c, 1.38) - 0.5 * over * over / 0.78;
}

// Light on something: sky and lamp are 0 to 1.
vec3 lightOf(float sky, float lamp) {
  vec3 day = uSkyLight * pow(sky, 1.7);
  vec3 warm = lampLight(lamp);
  float lit = max(day.r, max(day.g, day.b));
  return max(day + warm * (1.0 - 0.75 * lit), vec3(uAmbient));
}
`;
