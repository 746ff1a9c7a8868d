// Owns what clients of a fleet saw: requests with their answers, in the order of a clock of the clients.

/** What a grant told. A client's own token comes without a refresh token. */
export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
}

export type Act =
  /** A login, which brings a code; recorded once it has succeeded. */
  | { readonly kind: 'issue'; readonly code: string }
  | { readonly kind: 'spend'; readonly code: string }
  | { readonly kind: 'refresh'; readonly token: string }
  /** A client's own token. */
  | { readonly kind: 'own' }
  | { readonly kind: 'revoke'; readonly token: string }
  | { readonly kind: 'verify'; readonly token: string };

/** An answer that the request was done or not: `refused` for a dead code or token. */
export type Outcome = Tokens | 'done' | 'valid' | 'refused';

/** One request. Without an outcome it was not answered, or told that the store is away. */
export interface Request {
  readonly act: Act;
  /** The node that it was sent to. */
  readonly node: number;
  /** Milliseconds, by one clock. */
  readonly invoked: number;
  /** Infinity without an outcome: it may still take effect. */
  readonly completed: number;
  readonly outcome?: Outcome | undefined;
}

/** All requests about one login, or about one token of a client's own. */
export interface History {
  /** Whether the last refresh token is answered again: the programme has a grace period. */
  readonly hasGrace: boolean;
  readonly requests: readonly Request[];
}

/** A history in lines for people, codes and tokens by short names. */
export function tellHistory({ hasGrace, requests }: History): string {
  const names = new Map<string, string>();
  const short = (value: object | string): string =>
    JSON.stringify(value).replaceAll(/[\w.-]{20,}/g, (text) => {
      const name = names.get(text) ?? `#${names.size + 1}`;
      names.set(text, name);
      return name;
    });
  const begin = Math.min(...requests.map(({ invoked }) => invoked));
  const lines = requests.map(({ act, node, invoked, completed, outcome = 'unknown' }) => {
    const [from, to] = [invoked, completed].map((time) => Math.round(time - begin));
    return `  ${from} to ${to} ms at node ${node}: ${short(act)} → ${short(outcome)}`;
  });
  return [`  ${hasGrace ? 'with' : 'without'} grace`, ...lines].join('\n');
}
