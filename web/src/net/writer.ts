/** Writes the hand-made layouts of docs/protocols/client.md. */
export class Writer {
  private buf = new Uint8Array(64);
  private at = 0;

  u8(v: number): this {
    this.room(1);
    this.buf[this.at++] = v;
    return this;
  }

  u16(v: number): this {
    return this.u8(v & 0xff).u8((v >> 8) & 0xff);
  }

  uvarint(v: number): this {
    while (v >= 128) {
      this.u8((v % 128) | 0x80);
      v = Math.floor(v / 128);
    }
    return this.u8(v);
  }

  svarint(v: number): this {
    return this.uvarint(v >= 0 ? v * 2 : -v * 2 - 1);
  }

  bytes(b: Uint8Array): this {
    this.room(b.length);
    this.buf.set(b, this.at);
    this.at += b.length;
    return this;
  }

  /** What was written so far. */
  done(): Uint8Array<ArrayBuffer> {
    return this.buf.slice(0, this.at);
  }

  private room(n: number): void {
    if (this.at + n <= this.buf.length) return;
    const next = new Uint8Array(Math.max(this.buf.length * 2, this.at + n));
    next.set(this.buf);
    this.buf = next;
  }
}
