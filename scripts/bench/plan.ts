// Owns what is measured: the workloads, the servers they are put to, and how long and how often.

/** How each request of a workload comes by its body, or by the token it bears. */
export type BodySource =
  /** No body: a request of a gateway, with each of a number of access tokens in turn. */
  | { readonly kind: 'tokens'; readonly count: number }
  /** The same body every time. */
  | { readonly kind: 'fixed'; readonly body: string }
  /** Each code once. */
  | { readonly kind: 'codes'; readonly prefix: string }
  /** Each connection uses the refresh token of its last answer. */
  | { readonly kind: 'chain'; readonly prefix: string };

export interface Workload {
  readonly name: string;
  /** The programme it is put to: its file's name, and its base path without the slash. */
  readonly programme: string;
  readonly source: BodySource;
}

export const opaqueProgramme = 'executive-club';
export const jwtProgramme = 'executive-club-jwt';
export const redirectUri = 'https://partner.example/callback';

const codePrefix = `grant_type=authorization_code&redirect_uri=${encodeURIComponent(redirectUri)}&code=`;

/** What a gateway asks (C-4): tokens of many members, again and again. */
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

/** What connections that are to chain refresh tokens start from: a code each. */
export const codeSource: Extract<BodySource, { readonly kind: 'codes' }> = {
  kind: 'codes',
  prefix: codePrefix,
};

/** In the order of a round; `bare` first, since the others are told beside it. */
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
  /** Upper bound on the requests of one measurement; as many codes are minted for it. */
  readonly mostRequests: number;
  readonly profileFolder?: string;
}

/** Short measurements, often: what disturbs a shared machine for a while disturbs all three servers. */
export const careful: Plan = {
  workloads,
  connections: 32,
  warmUps: 2,
  // The last code is compiled after some ten thousand requests.
  warmUpSeconds: 2.5,
  rounds: 9,
  seconds: 0.6,
  // Codes that stay unspent would fill the stores as no login does.
  mostRequests: 8000,
};

export const quick: Plan = { ...careful, warmUps: 0, rounds: 1, seconds: 0.1, mostRequests: 500 };
