// Shaders of the chunks. A quad is what src/world/quads.ts packs.

import { FADE_OUT } from './cover';
import { COMMON } from './uniforms';

/** Decodes a corner: where it is relative to the eye, its texture place, its light. */
const CORNER = /* glsl */ `
in uvec2 corner;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;

const vec3 NORMAL[7] = vec3[7](
  vec3(0, -1, 0), vec3(0, 1, 0), vec3(0, 0, -1), vec3(0, 0, 1), vec3(-1, 0, 0), vec3(1, 0, 0), vec3(0, 1, 0));
// how much of the light falls on a face
const float SHADE[7] = float[7](0.52, 1.0, 0.82, 0.82, 0.68, 0.68, 0.94);

vec3 placeOf() {
  return vec3(corner.x & 1023u, (corner.x >> 10) & 1023u, (corner.x >> 20) & 1023u) / 16.0;
}
uint faceOf() { return (corner.y >> 10) & 7u; }
uint cornerOf() { return (uint(gl_VertexID) + ((corner.y >> 25) & 1u)) & 3u; }

vec2 textureAt(vec3 p, uint face) {
  if (face < 2u) return p.xz;
  if (face == 2u) return vec2(-p.x, -p.y);
  if (face == 4u) return vec2(p.z, -p.y);
  if (face == 5u) return vec2(-p.z, -p.y);
  return vec2(p.x, -p.y);
}

// Quads meet at T-junctions; without a hair of overlap the background would
// sparkle through. A quad grows by about a third of a pixel on each side.
vec3 overlap(uint face, float distance) {
  uint c = cornerOf();
  bool far = c == 1u || c == 2u;
  bool up = c >= 2u;
  bool mirrored = face == 1u || face == 2u || face == 5u;
  float onBit = (mirrored ? up : far) ? 1.0 : -1.0;
  float onLine = (mirrored ? far : up) ? 1.0 : -1.0;
  float by = 0.0004 + distance * 0.00035;
  if (face < 2u) return vec3(onBit, 0.0, onLine) * by;
  if (face < 4u) return vec3(onBit, onLine, 0.0) * by;
  return vec3(0.0, onLine, onBit) * by;
}

// how much of any light the corner's face and its surroundings let it have
float cornerShade(uint face) { return SHADE[face] * (0.46 + 0.18 * float(corner.x >> 30)); }

vec3 cornerLight(uint face) {
  float sky = float((corner.y >> 13) & 63u) / 60.0;
  float lamp = float((corner.y >> 19) & 63u) / 60.0;
  vec3 light = lightOf(sky, lamp);
  if ((corner.y >> 27 & 1u) == 1u) light = max(light, vec3(1.0, 0.97, 0.9));
  float sun = 1.0 + 0.14 * dot(NORMAL[face], uSun) * sky * uOutside * (1.0 - uNight);
  return light * sun * cornerShade(face);
}
`;

/** vertex shader of solid quads and of those with holes */
export const CHUNK_VERTEX = COMMON + CORNER + /* glsl */ `
out vec3 vTexture;
out vec3 vLight;
out float vShade;
out vec4 vFog;
out vec3 vRel;

void main() {
  vec3 p = placeOf();
  uint face = faceOf();
  vTexture = vec3(textureAt(p, face), float(corner.y & 1023u));
  vec3 rel = p + modelMatrix[3].xyz;
  float distance = length(rel);
  if (face < 6u) rel += overlap(face, distance);
  if ((corner.y >> 26 & 1u) == 1u && face == 6u && cornerOf() >= 2u) {
    vec3 at = rel + uEye;
    rel.xz += uSway * 0.07 * vec2(sin(uTime * 1.7 + at.x * 0.7 + at.z * 0.4), cos(uTime * 1.3 + at.z * 0.8));
  }
  vLight = cornerLight(face);
  vFog = fogAt(rel, uFog.xy);
  // A chunk that has just come appears out of the fog.
  vFog.a = max(vFog.a, 1.0 - modelMatrix[0][0]);
  vShade = cornerShade(face);
  vRel = rel;
  gl_Position = projectionMatrix * viewMatrix * vec4(rel, 1.0);
}
`;

/** Towards the end of what is drawn in detail it lets the far land through; see FADE_OUT. */
const RING = /* glsl */ `
float fadeOut(vec3 rel) { return 1.0 - smoothstep(uReach - ${FADE_OUT.toFixed(1)}, uReach, length(rel.xz)); }
`;

const LIT_FRAGMENT = COMMON + RING + /* glsl */ `
precision highp sampler2DArray;
uniform sampler2DArray uBlocks;
in vec3 vTexture;
in vec3 vLight;
in float vShade;
in vec4 vFog;
in vec3 vRel;
out vec4 colour;

vec4 seen(vec3 c) {
  vec3 light = uTorches > 0 ? max(vLight, torchLight(vRel) * vShade) : vLight;
  return vec4(toneMap(mix(c * light, vFog.rgb, vFog.a)), fadeOut(vRel));
}
`;

export const SOLID_FRAGMENT = LIT_FRAGMENT + /* glsl */ `
void main() {
  colour = seen(texture(uBlocks, vTexture).rgb);
}
`;

export const HOLES_FRAGMENT = LIT_FRAGMENT + /* glsl */ `
void main() {
  vec4 t = texture(uBlocks, vTexture);
  // Smaller pictures of a thing with holes are more hole than thing: be generous far away.
  if (t.a < mix(0.5, 0.22, clamp(length(vRel) / 60.0, 0.0, 1.0))) discard;
  colour = seen(t.rgb);
}
`;

export const WATER_VERTEX = COMMON + CORNER + /* glsl */ `
out vec3 vRel;
out vec3 vLight;
out vec4 vFog;
flat out float vTop;

void main() {
  vec3 rel = placeOf() + modelMatrix[3].xyz;
  uint face = faceOf();
  vTop = face == 1u ? 1.0 : 0.0;
  if (face == 1u) rel += overlap(face, length(rel));
  vRel = rel;
  float sky = float((corner.y >> 13) & 63u) / 60.0;
  float lamp = float((corner.y >> 19) & 63u) / 60.0;
  vLight = lightOf(sky, lamp);
  vFog = fogAt(rel, uFog.xy);
  vFog.a = max(vFog.a, 1.0 - modelMatrix[0][0]);
  gl_Position = projectionMatrix * viewMatrix * vec4(rel, 1.0);
}
`;

// Water is a mirror of the sky at a flat angle and a blue pane at a steep one.
// Its ripples move in steps of an eighth of a metre, as everything here has pixels.
export const WATER_FRAGMENT = COMMON + RING + /* glsl */ `
in vec3 vRel;
in vec3 vLight;
in vec4 vFog;
flat in float vTop;
out vec4 colour;

vec2 ripple(vec2 p) {
  float t = uTime;
  vec2 a = vec2(cos(p.x * 1.1 + p.y * 0.6 + t * 1.3), cos(p.y * 1.3 - p.x * 0.4 + t * 1.1));
  vec2 b = vec2(cos(p.x * 2.9 - p.y * 1.7 - t * 1.9), cos(p.y * 3.1 + p.x * 1.3 + t * 2.3));
  return a * 0.6 + b * 0.4;
}

void main() {
  float distance = length(vRel);
  vec3 dir = vRel / distance;
  vec2 p = floor((vRel.xz + uEye.xz) * 8.0) / 8.0;
  float calm = 1.0 / (1.0 + distance * 0.03);
  vec2 r = ripple(p) * 0.09 * calm * vTop;
  vec3 n = normalize(vec3(r.x, 1.0, r.y));
  vec3 light = max(vLight, torchLight(vRel));
  vec3 deep = vec3(0.09, 0.27, 0.52) * light + vec3(0.0, 0.01, 0.02);
  if (vTop < 0.5) {
    float flow = 0.92 + 0.08 * sin(floor((vRel.y + uEye.y) * 8.0) * 0.9 + uTime * 5.0);
    colour = vec4(toneMap(mix(deep * flow * 1.15, vFog.rgb, vFog.a)), mix(0.72, 1.0, vFog.a) * fadeOut(vRel));
    return;
  }
  if (uUnder.w > 0.5) {
    // From below: the sky through a bright, wobbling pane.
    vec3 through = mix(deep, skyColour(vec3(dir.x, abs(dir.y), dir.z)), smoothstep(0.45, 0.8, abs(dir.y) + r.x));
    colour = vec4(toneMap(mix(through, vFog.rgb, vFog.a)), 0.8);
    return;
  }
  float facing = max(dot(-dir, n), 0.0);
  float mirror = 0.04 + 0.96 * pow(1.0 - facing, 4.0);
  vec3 bounce = reflect(dir, n);
  bounce.y = abs(bounce.y);
  float open = max(light.r, max(light.g, light.b));
  vec3 sky = skyColour(bounce) * mix(0.25, 1.0, clamp(open * 1.2, 0.0, 1.0));
  vec3 c = mix(deep, sky, clamp(mirror, 0.0, 0.85));
  float glint = pow(max(dot(bounce, uSun), 0.0), 140.0) * (1.0 - uNight);
  c += vec3(1.0, 0.92, 0.75) * glint * 1.2 * open;
  c += light * 0.05 * step(0.93, r.x * 9.0 / max(calm, 0.05) * 0.9) * calm;
  // Towards the edge of what is drawn there is no ground below to look at.
  float edge = smoothstep(uReach * 0.45, uReach * 0.8, distance);
  float pane = mix(clamp(0.66 + mirror * 0.4, 0.0, 0.97), 1.0, max(vFog.a, edge));
  colour = vec4(toneMap(mix(c, vFog.rgb, vFog.a)), pane * fadeOut(vRel));
}
`;
