// The engine without a node: a landscape of our own, a free camera (WASD,
// arrows, space, shift), and everything the engine can show. What is seen is
// chosen by the address: ?x=0&y=90&z=0&yaw=30&pitch=-10&time=0.25&dist=6
// (angles in degrees, time as a share of the day); &still hides the numbers.

import { deflateSync } from 'fflate';
import { Engine, type Quality } from '../src/engine';
import { demoColumn, heightAt, pack } from './terrain';
import { stage } from './stage';

const ask = new URLSearchParams(location.search);
const number = (name: string, otherwise: number): number => (ask.has(name) ? Number(ask.get(name)) : otherwise);

const canvas = document.querySelector<HTMLCanvasElement>('#view') as HTMLCanvasElement;
const text = document.querySelector('#stats') as HTMLElement;
const distance = number('dist', 6);
const engine = new Engine(canvas, {
  viewDistance: distance,
  quality: (ask.get('quality') ?? 'high') as Quality,
  farDistance: number('far', 3),
});
Object.assign(window, { engine, vpBench: { mesh: () => engine.measure() } });

const eye = { x: number('x', 8), z: number('z', 8), y: 0, yaw: number('yaw', 0) * (Math.PI / 180), pitch: number('pitch', -8) * (Math.PI / 180) };
eye.y = number('y', Math.max(66, heightAt(eye.x, eye.z) + 2.6));

const wanted: [number, number][] = [];
const [cx, cz] = [Math.floor(eye.x / 32), Math.floor(eye.z / 32)];
for (let z = -distance - 1; z <= distance + 1; z++) for (let x = -distance - 1; x <= distance + 1; x++) wanted.push([cx + x, cz + z]);
wanted.sort((a, b) => Math.hypot(a[0] - cx, a[1] - cz) - Math.hypot(b[0] - cx, b[1] - cz));

function feed(): void {
  for (let i = 0; i < 4; i++) {
    const next = wanted.shift();
    if (!next) return;
    const { mask, raw } = pack(demoColumn(...next));
    engine.setColumn(next[0], next[1], mask, deflateSync(raw));
  }
  setTimeout(feed);
}
feed();
const act = stage(engine, ask, eye);

const keys = new Set<string>();
addEventListener('keydown', (e) => keys.add(e.code));
addEventListener('keyup', (e) => keys.delete(e.code));

function move(dt: number): void {
  const on = (code: string): number => (keys.has(code) ? 1 : 0);
  eye.yaw += (on('ArrowRight') - on('ArrowLeft')) * dt * 1.5;
  eye.pitch += (on('ArrowUp') - on('ArrowDown')) * dt;
  const ahead = (on('KeyW') - on('KeyS')) * dt * 16;
  const aside = (on('KeyD') - on('KeyA')) * dt * 16;
  eye.x += Math.sin(eye.yaw) * ahead + Math.cos(eye.yaw) * aside;
  eye.z += -Math.cos(eye.yaw) * ahead + Math.sin(eye.yaw) * aside;
  eye.y += (on('Space') - on('ShiftLeft')) * dt * 12;
}

let share = number('time', 0.2);
let last = performance.now();
let frames = 0;
function draw(now: number): void {
  const dt = (now - last) / 1000;
  last = now;
  move(dt);
  if (ask.has('run')) share = (share + dt * number('run', 0.01)) % 1;
  engine.camera({ ...eye, fov: number('fov', 70) });
  engine.time(share * 24000, 24000);
  act(dt);
  engine.frame(dt);
  frames++;
  const stats = engine.stats();
  Object.assign(window, { ready: wanted.length === 0 && stats.queue === 0 && stats.meshedColumns >= (distance * 2 + 1) ** 2 && frames > 20 });
  if (!ask.has('still')) text.textContent = Object.entries(stats).map(([k, v]) => `${k} ${typeof v === 'number' ? Math.round(v * 100) / 100 : v}`).join('\n');
  requestAnimationFrame(draw);
}
requestAnimationFrame(draw);
