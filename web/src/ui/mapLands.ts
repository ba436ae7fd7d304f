import type { HostLand } from '../net/types';

type Axis = (metres: number) => number;

/** Draws the land that players have claimed, with its name and owner where there is room for them. */
export function drawLands(ctx: CanvasRenderingContext2D, lands: HostLand[], px: Axis, pz: Axis): void {
  for (const { name, owner, from, to } of lands) {
    const [a, b] = [px(from.x), pz(from.z)];
    const [w, h] = [px(to.x + 1) - a, pz(to.z + 1) - b];
    ctx.fillStyle = 'rgba(255,201,77,.14)';
    ctx.fillRect(a, b, w, h);
    ctx.strokeStyle = '#ffc94d';
    ctx.lineWidth = 1.5;
    ctx.strokeRect(a, b, w, h);
    if (w < 44) continue;
    ctx.font = '600 12px system-ui, sans-serif';
    ctx.textAlign = 'center';
    ctx.lineWidth = 3;
    ctx.strokeStyle = '#10141a';
    ctx.strokeText(`${name} (${owner})`, a + w / 2, b + 15);
    ctx.fillStyle = '#fff';
    ctx.fillText(`${name} (${owner})`, a + w / 2, b + 15);
  }
}
