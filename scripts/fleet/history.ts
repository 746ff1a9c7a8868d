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

/** A history in lines for people, tokens by short names. */
export function tellHistory({ hasGrace, requests }: History): string {
  const names = new Map<string, string>();
  const name = (kind: string, text: string): string => {
    const known = names.get(text) ?? `${kind}${names.size + 1}`;
    names.set(text, known);
    return known;
  };
  const begin = Math.min(...requests.map(({ invoked }) => invoked));
  const lines = requests.map(({ act, node, invoked, completed, outcome }) => {
    const what = actText(act, name);
    const end = completed === Infinity ? '' : `${Math.round(completed - begin)}`;
    const span = `${Math.round(invoked - begin)}–${end}`.padEnd(12);
    return `  ${span} node ${node}  ${what.padEnd(16)} → ${outcomeText(outcome, name)}`;
  });
  return [`  ms${' '.repeat(12)}(${hasGrace ? 'with' : 'without'} grace)`, ...lines].join('\n');
}

type Name = (kind: string, text: string) => string;

function actText(act: Act, name: Name): string {
  switch (act.kind) {
    case 'issue':
    case 'spend':
      return `${act.kind} ${name('code', act.code)}`;
    case 'own':
      return 'own token';
    default:
      return `${act.kind} ${name(act.kind === 'verify' ? 'access' : 'refresh', act.token)}`;
  }
}

function outcomeText(outcome: Outcome | undefined, name: Name): string {
  if (outcome === undefined) return 'unknown';
  if (typeof outcome === 'string') return outcome;
  const { refresh, access } = outcome;
  const told = refresh === undefined ? [] : [name('refresh', refresh)];
  return [...told, name('access', access)].join(' and ');
}
