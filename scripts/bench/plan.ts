// Owns the plan: the workloads, their servers, and the length and number of measurements.

/** The source of each request's body, or of its token. */
export type BodySource =
  /** No body: a gateway's request, with access tokens in turn. */
  | { readonly kind: 'tokens'; readonly count: number }
  /** The same body every time. */
  | { readonly kind: 'fixed'; readonly body: string }
  /** Each code once. */
  | { readonly kind: 'codes'; readonly prefix: string }
  /** Each connection uses the refresh token of its last answer. */
  | { readonly kind: 'chain'; readonly prefix: string };

/** The form of access tokens. */
export type Format = 'opaque' | 'ES256';
export const formats: readonly Format[] = ['opaque', 'ES256'];

export interface Workload {
  readonly path: string;
  readonly format: Format;
  readonly source: BodySource;
}

export const redirectUri = 'https://partner.example/callback';
export const clientId = 'partnerapi-12345';
export const clientSecret = 'jyVn3Y4Ow9nLqRlxTt5bDWqtCvUuQ0u6cJx2bTnC3Zk';

/** Value of the client's Authorization header. */
export const authorization: string = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;

const codePrefix = `grant_type=authorization_code&redirect_uri=${encodeURIComponent(redirectUri)}&code=`;

/** The form up to the refresh token. */
export const refreshGrant = 'grant_type=refresh_token&refresh_token=';

/** The grants, and a gateway's questions (C-4) about one token or about many in turn. */
const paths: Readonly<Record<string, BodySource>> = {
  client_credentials: { kind: 'fixed', body: 'grant_type=client_credentials' },
  authorization_code: { kind: 'codes', prefix: codePrefix },
  refresh_token: { kind: 'chain', prefix: refreshGrant },
  verify_one: { kind: 'tokens', count: 1 },
  verify_10000: { kind: 'tokens', count: 10_000 },
};
export const pathNames: readonly string[] = Object.keys(paths);

export const workloads: readonly Workload[] = formats.flatMap((format) =>
  Object.entries(paths).map(([path, source]) => ({ path, format, source })),
);

/** One code for each connection that refreshes in a chain. */
export const codeSource: Extract<BodySource, { readonly kind: 'codes' }> = {
  kind: 'codes',
  prefix: codePrefix,
};

/**
 * In the order of a round; `bare` first, since the others are compared with it. `map` and `sqlite` are
 * floors: what a token service of no dialect and no safety costs at least. `observed` is `file` with all that
 * is told of its requests, as `serve` tells it. `postgres` is one node or several on one database.
 */
export const serverNames = [
  'bare',
  'map',
  'sqlite',
  'memory',
  'file',
  'observed',
  'postgres',
  'oidc-provider',
] as const;
export type ServerName = (typeof serverNames)[number];
export type IssuingServer = Exclude<ServerName, 'bare'>;

export interface Plan {
  readonly workloads: readonly Workload[];
  readonly connections: number;
  /** Processes that share the PostgreSQL store, and the connections. */
  readonly nodes: number;
  /** Rounds before those that count, until the code is compiled and caches are warm. */
  readonly warmUps: number;
  /** Length of one measurement in such a round. */
  readonly warmUpSeconds: number;
  readonly rounds: number;
  /** Length of one measurement: one workload on one server. */
  readonly seconds: number;
  /** The most requests of one measurement; as many codes are made for it. */
  readonly mostRequests: number;
  readonly profileFolder?: string;
  readonly servers: readonly ServerName[];
  /** The folder that oidc-provider is installed in. */
  readonly peerFolder?: string;
}

/** Many short measurements: other work on a shared machine affects all servers alike. */
export const careful: Plan = {
  workloads,
  servers: ['bare', 'map', 'sqlite', 'memory', 'file', 'postgres'],
  connections: 32,
  nodes: 1,
  warmUps: 1,
  // The last code is compiled after some ten thousand requests.
  warmUpSeconds: 2.5,
  rounds: 7,
  seconds: 0.5,
  // Unused codes would fill the stores, as no login does.
  mostRequests: 8000,
};

export const quick: Plan = { ...careful, warmUps: 0, rounds: 1, seconds: 0.1, mostRequests: 500 };
