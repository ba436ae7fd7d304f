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
}

export type Session = { ok: true; token: string; world: WorldName } | { ok: false; error: SessionError };

const TIMEOUT_MS = 8000;

/** Asks a gateway, the page's own if no other is named, for a token that is good for one socket within a minute. */
export async function openSession(code: string, base = document.baseURI): Promise<Session> {
  try {
    const answer = await fetch(new URL('api/session', base), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return read(await answer.json(), answer.ok);
  } catch (e) {
    return { ok: false, error: { code: 'network', text: (e as Error).message, network: true } };
  }
}

function read(v: unknown, ok: boolean): Session {
  const o = (v ?? {}) as { token?: unknown; world?: Partial<WorldName>; error?: unknown; text?: unknown };
  if (ok && typeof o.token === 'string') {
    return { ok: true, token: o.token, world: { id: String(o.world?.id ?? ''), name: String(o.world?.name ?? '') } };
  }
  return { ok: false, error: { code: String(o.error ?? 'network'), text: String(o.text ?? ''), network: !o.error } };
}
