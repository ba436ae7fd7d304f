/** Where the player looks: radians, as in the engine. */
export class Look {
  yaw = 0;
  pitch = 0;

  /** Turns by pixels of mouse or finger; sensitivity 1 is 0.13° a pixel. */
  turn(dx: number, dy: number, sensitivity: number, invertY: boolean): void {
    const k = 0.0023 * sensitivity;
    this.set(this.yaw + dx * k, this.pitch - dy * k * (invertY ? -1 : 1));
  }

  set(yaw: number, pitch: number): void {
    const full = 2 * Math.PI;
    this.yaw = ((yaw % full) + full) % full;
    const top = Math.PI / 2 - 0.001;
    this.pitch = Math.max(-top, Math.min(top, pitch));
  }

  /** As the wire wants it: 65536 is a full turn. */
  get wire(): { yaw: number; pitch: number } {
    const unit = 65536 / (2 * Math.PI);
    return { yaw: Math.round(this.yaw * unit) & 0xffff, pitch: Math.round(this.pitch * unit) };
  }

  setWire(yaw: number, pitch: number): void {
    const unit = 65536 / (2 * Math.PI);
    this.set(yaw / unit, pitch / unit);
  }
}

/** The direction through a point of the view; nx and ny from −1 (left, bottom) to 1, fov vertical in degrees. */
export function through(yaw: number, pitch: number, fov: number, aspect: number, nx: number, ny: number): [number, number, number] {
  const t = Math.tan((fov * Math.PI) / 360);
  const right = nx * t * aspect;
  const up = ny * t;
  const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
  const x = cp * sy + right * cy - up * sp * sy;
  const y = sp + up * cp;
  const z = -cp * cy + right * sy + up * sp * cy;
  const n = Math.hypot(x, y, z);
  return [x / n, y / n, z / n];
}
