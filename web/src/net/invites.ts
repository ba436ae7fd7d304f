import { localProof } from './local';

/** What the node tells its owner of invitations. */
export interface Invites {
  reach: string;
  may: boolean;
  list: Invitation[];
}

export interface Invitation {
  id: string;
  permits: string;
  note?: string;
  state: string;
  links: { url: string; qr?: { size: number; path: string } }[] | null;
}

/** What a friend may do, each with what stands before it. */
export const permissions = ['visit', 'build', 'host'] as const;
export type Permission = typeof permissions[number];

export type Change = { create: { may: Permission; uses: number; days: number; note: string } } | { revoke: string };

/** Asks the page's own node, as its owner, or changes something first. Throws Error with a text for a person. */
export async function invites(change?: Change): Promise<Invites> {
  const answer = await fetch(new URL('api/invites', document.baseURI), {
    method: change ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${localProof.shown}` },
    body: change && JSON.stringify(change),
    cache: 'no-store',
  });
  const said = await answer.json() as Invites & { text?: string };
  if (!answer.ok) throw new Error(said.text);
  return said;
}
