// What the packs of the world define besides the base pack, which is part of the client.
// The node says by its hash what it has; the page keeps that and loads itself again, so that
// all tables are right from the beginning. The worker gets it as its name.

/** As the gateway has it (internal/app/gateway/content.go); the tables are typed in gen. */
export interface WorldContent {
  /** ids are below */
  readonly limit: number;
  readonly blocks: readonly unknown[];
  readonly mobs: readonly unknown[];
  readonly recipes: readonly unknown[];
  /** 16×16 pixels in base64, by the name of the texture */
  readonly textures: Readonly<Record<string, string>>;
  /** names in other languages, by language and title */
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const KEPT = 'voxelpopuli.content';
const TRIED = 'voxelpopuli.content.tried';
const RESUME = 'voxelpopuli.content.resume';
/** more is no content: eight packs have less */
export const MAX_CONTENT = 4 << 20;

const inPage = typeof document !== 'undefined' && typeof localStorage !== 'undefined';

/** The hash in front of a text that is kept, and the text. */
function kept(): [hash: string, text: string] {
  try {
    const all = inPage ? (localStorage.getItem(KEPT) ?? '') : '';
    return [all.slice(0, 64), all.slice(64)];
  } catch {
    return ['', '']; // a browser that keeps nothing
  }
}

function parsed(text: string): WorldContent | null {
  try {
    return text ? JSON.parse(text) as WorldContent : null;
  } catch {
    return null;
  }
}

const [keptHash, keptText] = kept();
const worker = !inPage && typeof self !== 'undefined' && 'name' in self ? String(self.name) : '';

/** null: the base pack alone */
export const content: WorldContent | null = parsed(inPage ? keptText : worker);
/** empty: the base pack alone */
export const contentHash = content ? keptHash : '';
/** what the worker is to be named */
export const forWorker = content ? JSON.stringify({ ...content, textures: {}, texts: {} }) : '';

/** Whether a page that has loaded itself again was playing. */
export function resumed(): boolean {
  try {
    const was = sessionStorage.getItem(RESUME) !== null;
    sessionStorage.removeItem(RESUME);
    return was;
  } catch {
    return false;
  }
}

/**
 * Makes the page one of a world's packs: true if it is already; otherwise it gets them, and the
 * page loads itself again. It fails if the packs cannot be had or kept.
 */
export async function useContent(hash: string, get: () => Promise<string>, playing: boolean): Promise<boolean> {
  if (hash === contentHash) {
    try {
      sessionStorage.removeItem(TRIED);
    } catch { /* a browser that keeps nothing */ }
    return true;
  }
  if (sessionStorage.getItem(TRIED) === hash) throw new Error('this browser does not keep the content packs of the world: allow this page to store data');
  if (hash === '') localStorage.removeItem(KEPT);
  else {
    const text = await get();
    if (text.length > MAX_CONTENT || !parsed(text)) throw new Error('the node sends no content packs');
    localStorage.setItem(KEPT, hash + text);
  }
  sessionStorage.setItem(TRIED, hash);
  if (playing) sessionStorage.setItem(RESUME, '1');
  location.reload();
  return false;
}

/** Gets the content from a node's gateway. */
export async function contentOf(hash: string, base: string): Promise<string> {
  const answer = await fetch(new URL(`api/content/${hash}`, base));
  if (!answer.ok) throw new Error(`the content packs of the world: ${answer.status}`);
  return answer.text();
}

/** A table of the base pack with what the packs add: entries that have their place, `free` makes those between. */
export function withPacks<T>(base: readonly T[], more: readonly unknown[] | undefined, place: (entry: T) => number, free: (place: number) => T): readonly T[] {
  const all = [...base];
  for (const entry of (more ?? []) as readonly T[]) {
    while (all.length < place(entry)) all.push(free(all.length));
    all[place(entry)] = entry;
  }
  return all;
}
