import { LocalProof, localProof } from './local';

/** The world's name as the gateway tells it before the socket. */
export interface WorldName {
  id: string;
  name: string;
}

export interface SessionError {
  code: string;
  text: string;
  /** nobody answered, or not as a gateway does: trying again may help */
  network: boolean;
  /** not even a refusal came, as from a machine that is off */
  silent?: boolean;
}

/** `local`: the node believes that we own the machine that it runs on */
/** `content`: the hash of what the world's packs define, empty for the base pack alone */
export type Session = { ok: true; token: string; world: WorldName; local: boolean; content: string } | { ok: false; error: SessionError };

/** The answer is short: a player waits no longer before the next try, maybe at another node. */
const TIMEOUT_MS = 5000;
/** A machine that is on and does not let us in says so sooner. */
const SILENT_MS = 2000;

/** What a session is asked with; tests have their own. */
interface Asking {
  proof: LocalProof;
  base: string;
  fetch: typeof fetch;
  now(): number;
}

/** A ticket is good once: whoever asks next waits for the secret that it is exchanged for. */
let exchange: Promise<unknown> = Promise.resolve();

/** The owner's secret is for the page's own node only, never for another one. */
const nothingToShow: LocalProof = new LocalProof({ getItem: () => null, setItem: () => {}, removeItem: () => {} });

/**
 * Asks a gateway, the page's own if no other is named, for a token that is good for one
 * socket within a minute.
 */
export async function openSession(code: string, base?: string, asking?: Asking): Promise<Session> {
  const how = asking ?? askingOf(base ?? document.baseURI);
  if (!how.proof.shown) return ask(code, how);
  const mine = exchange.then(() => ask(code, how));
  exchange = mine;
  return mine;
}

function askingOf(base: string): Asking {
  const own = new URL(base).origin === new URL(document.baseURI).origin;
  return { proof: own ? localProof : nothingToShow, base, fetch: (...a) => fetch(...a), now: () => performance.now() };
}

async function ask(code: string, how: Asking): Promise<Session> {
  const begun = how.now();
  try {
    const local = how.proof.shown || undefined;
    const answer = await how.fetch(new URL('api/session', how.base), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code, local }),
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const said = await answer.json() as unknown;
    const secret = (said as { local?: unknown } | null)?.local;
    if (local && answer.ok) how.proof.keep(typeof secret === 'string' ? secret : '');
    return read(said, answer.ok);
  } catch (e) {
    return { ok: false, error: { code: 'network', text: (e as Error).message, network: true, silent: how.now() - begun >= SILENT_MS } };
  }
}

/** The answer of data channels, where the connection itself takes the place of a token. */
export function readSession(v: unknown): Session {
  const ok = (v as { world?: unknown } | null)?.world !== undefined;
  return read(ok ? { ...v as object, token: '' } : v, ok);
}

function read(v: unknown, ok: boolean): Session {
  const o = (v ?? {}) as { content?: unknown; token?: unknown; world?: Partial<WorldName>; local?: unknown; error?: unknown; text?: unknown };
  if (ok && typeof o.token === 'string') {
    return { ok: true, token: o.token, world: { id: String(o.world?.id ?? ''), name: String(o.world?.name ?? '') }, local: typeof o.local === 'string', content: typeof o.content === 'string' ? o.content : '' };
  }
  return { ok: false, error: { code: String(o.error ?? 'network'), text: String(o.text ?? ''), network: !o.error } };
}
