import { decode } from '@msgpack/msgpack';
import { WireError } from './reader';

/** Takes the fields of a MessagePack array one after the other and checks their types. */
export class Fields {
  private at = 0;

  constructor(private readonly list: readonly unknown[]) {}

  static decode(body: Uint8Array): Fields {
    let v: unknown;
    try {
      v = decode(body);
    } catch (e) {
      throw new WireError(`not MessagePack: ${(e as Error).message}`);
    }
    return Fields.of(v);
  }

  private static of(v: unknown): Fields {
    if (!Array.isArray(v)) throw new WireError('not a list');
    return new Fields(v);
  }

  int(): number {
    const v = this.next();
    const n = typeof v === 'bigint' ? Number(v) : v;
    if (typeof n !== 'number' || !Number.isSafeInteger(n)) throw new WireError('not an integer');
    return n;
  }

  str(): string {
    const v = this.next();
    if (typeof v !== 'string') throw new WireError('not a string');
    return v;
  }

  bool(): boolean {
    const v = this.next();
    if (typeof v !== 'boolean') throw new WireError('not a truth value');
    return v;
  }

  /** Bytes; of exactly n if n is given. */
  bin(n?: number): Uint8Array {
    const v = this.next();
    if (!(v instanceof Uint8Array) || (n !== undefined && v.length !== n)) throw new WireError('not the bytes expected');
    return v;
  }

  /** A list inside the list. */
  inner(): Fields {
    return Fields.of(this.next());
  }

  /** Each entry of a list of lists, made by `make`. */
  each<T>(make: (f: Fields) => T): T[] {
    const v = this.next();
    if (v === null) return [];
    if (!Array.isArray(v)) throw new WireError('not a list');
    return v.map((entry) => make(Fields.of(entry)));
  }

  strings(): string[] {
    const v = this.next();
    if (v === null) return [];
    if (!Array.isArray(v) || !v.every((e) => typeof e === 'string')) throw new WireError('not a list of strings');
    return v;
  }

  ints(): number[] {
    const all = this.inner();
    return all.list.map(() => all.int());
  }

  /** Whether there is another field. */
  more(): boolean {
    return this.at < this.list.length;
  }

  private next(): unknown {
    if (this.at >= this.list.length) throw new WireError('a field is missing');
    return this.list[this.at++];
  }
}
