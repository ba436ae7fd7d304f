import { blocks } from '../gen/blocks';

/** A sign with what is written on it. */
export interface SignText {
  x: number;
  y: number;
  z: number;
  text: string;
}

/** bytes and lines of a text, as the node allows */
export const SIGN_BYTES = 120;
export const SIGN_LINES = 4;

export const isSign = (block: number): boolean => blocks[block]?.class === 'sign';

/** What is written on the signs of the columns that are loaded. */
export class Signs {
  private readonly columns = new Map<string, SignText[]>();

  constructor(private readonly show: (all: SignText[]) => void) {}

  arrived(x: number, z: number, texts: { place: number; text: string }[]): void {
    this.columns.set(`${x},${z}`, texts.map((t) => ({ x: x * 32 + (t.place & 31), y: t.place >> 10, z: z * 32 + ((t.place >> 5) & 31), text: t.text })));
    this.shown();
  }

  /** A column is gone, or comes anew: its texts come after it. */
  forget(x: number, z: number): void {
    if (this.columns.delete(`${x},${z}`)) this.shown();
  }

  clear(): void {
    this.columns.clear();
    this.shown();
  }

  at(x: number, y: number, z: number): string {
    return this.columns.get(`${x >> 5},${z >> 5}`)?.find((t) => t.x === x && t.y === y && t.z === z)?.text ?? '';
  }

  private shown(): void {
    this.show([...this.columns.values()].flat());
  }
}

/** Makes a text one that the node takes: as many lines and bytes as there may be. */
export function fitted(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/[^\P{C}\n]/gu, '').split('\n').slice(0, SIGN_LINES).map((l) => l.trimEnd());
  let out = lines.join('\n').trimEnd();
  while (new TextEncoder().encode(out).length > SIGN_BYTES) out = [...out].slice(0, -1).join('');
  return out;
}
