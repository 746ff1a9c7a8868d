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

export interface Workload {
  readonly name: string;
  /** The programme: its file's name, and its base path without the slash. */
  readonly programme: string;
  readonly source: BodySource;
}

export const opaqueProgramme = 'executive-club';
export const jwtProgramme = 'executive-club-jwt';
export const redirectUri = 'https://partner.example/callback';

const codePrefix = `grant_type=authorization_code&redirect_uri=${encodeURIComponent(redirectUri)}&code=`;

/** A gateway's questions (C-4): tokens of many members, again and again. */
const tokens: BodySource = { kind: 'tokens', count: 1000 };

export const workloads: readonly Workload[] = [
  {
    name: 'client_credentials',
    programme: opaqueProgramme,
    source: { kind: 'fixed', body: 'grant_type=client_credentials' },
  },
  {
    name: 'authorization_code',
    programme: opaqueProgramme,
    source: { kind: 'codes', prefix: codePrefix },
  },
  {
    name: 'refresh_token',
    programme: opaqueProgramme,
    source: { kind: 'chain', prefix: 'grant_type=refresh_token&refresh_token=' },
  },
  {
    name: 'client_credentials_jwt',
    programme: jwtProgramme,
    source: { kind: 'fixed', body: 'grant_type=client_credentials' },
  },
  { name: 'verify', programme: opaqueProgramme, source: tokens },
  { name: 'verify_jwt', programme: jwtProgramme, source: tokens },
];

/** One code for each connection that refreshes in a chain. */
export const codeSource: Extract<BodySource, { readonly kind: 'codes' }> = {
  kind: 'codes',
  prefix: codePrefix,
};

/** In the order of a round; `bare` first, since the others are compared with it. */
export const serverNames = ['bare', 'memory', 'file'] as const;
export type ServerName = (typeof serverNames)[number];

export interface Plan {
  readonly workloads: readonly Workload[];
  readonly connections: number;
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
}

/** Many short measurements: other work on a shared machine affects all three servers alike. */
export const careful: Plan = {
  workloads,
  connections: 32,
  warmUps: 2,
  // The last code is compiled after some ten thousand requests.
  warmUpSeconds: 2.5,
  rounds: 9,
  seconds: 0.6,
  // Unused codes would fill the stores, as no login does.
  mostRequests: 8000,
};

export const quick: Plan = { ...careful, warmUps: 0, rounds: 1, seconds: 0.1, mostRequests: 500 };
