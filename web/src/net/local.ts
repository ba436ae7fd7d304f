// The proof that this page was opened by the owner of the machine that the node
// runs on: the secret of the node's data folder, or a ticket that the page
// exchanges for it. It is for the node that the page came from, no other.

const KEY = 'voxelpopuli.local';

/** What the proof is kept in; sessionStorage forgets it with the tab. */
export interface ProofStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export class LocalProof {
  private value: string;

  constructor(private readonly store: ProofStore) {
    this.value = this.attempt(() => store.getItem(KEY)) ?? '';
  }

  /** What to show; empty: there is none. */
  get shown(): string {
    return this.value;
  }

  /** Takes what a link (`#local=…`) or the node's answer has; nothing forgets it. */
  keep(value: string): void {
    this.value = value;
    this.attempt(() => (value ? this.store.setItem(KEY, value) : this.store.removeItem(KEY)));
  }

  /** Storage may be switched off: then the proof lasts as long as the page. */
  private attempt<T>(f: () => T): T | undefined {
    try {
      return f();
    } catch {
      return undefined;
    }
  }
}

/** The page's own proof. */
export const localProof = new LocalProof({
  getItem: (k) => sessionStorage.getItem(k),
  setItem: (k, v) => sessionStorage.setItem(k, v),
  removeItem: (k) => sessionStorage.removeItem(k),
});

/** Whether an address is of this very machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
