/** Thrown for bytes that are not what the protocol says. */
export class WireError extends Error {
  override name = 'WireError';
}

const utf8 = new TextDecoder('utf-8', { fatal: false });

/** Reads the hand-made layouts of docs/protocols/client.md; never past the end. */
export class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly buf: Uint8Array) {
    this.view = new DataView(buf.buffer, buf.byteOffset, buf.byteLength);
  }

  /** Bytes that are left. */
  get left(): number {
    return this.buf.length - this.at;
  }

  u8(): number {
    this.need(1);
    return this.buf[this.at++]!;
  }

  i8(): number {
    return (this.u8() << 24) >> 24;
  }

  u16(): number {
    this.need(2);
    const v = this.view.getUint16(this.at, true);
    this.at += 2;
    return v;
  }

  i16(): number {
    return (this.u16() << 16) >> 16;
  }

  /** LEB128. Values above 2^53 do not occur in the protocol and are refused. */
  uvarint(): number {
    let v = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const b = this.u8();
      v += (b & 0x7f) * scale;
      if (b < 0x80) {
        if (!Number.isSafeInteger(v)) break;
        return v;
      }
    }
    throw new WireError('number too large');
  }

  /** The zigzag form of a uvarint. */
  svarint(): number {
    const u = this.uvarint();
    return u % 2 === 0 ? u / 2 : -(u + 1) / 2;
  }

  /**
   * A number of things that follow, each at least `least` bytes: refused when
   * the rest of the message cannot hold them, so that a lie costs nothing.
   */
  count(least: number): number {
    const n = this.uvarint();
    if (n * least > this.left) throw new WireError(`${n} entries do not fit`);
    return n;
  }

  /** The next n bytes, not copied. */
  bytes(n: number): Uint8Array {
    this.need(n);
    const out = this.buf.subarray(this.at, this.at + n);
    this.at += n;
    return out;
  }

  /** A length and that many bytes of UTF-8. */
  str(): string {
    return utf8.decode(this.bytes(this.uvarint()));
  }

  private need(n: number): void {
    if (n > this.left) throw new WireError('message ends too early');
  }
}
