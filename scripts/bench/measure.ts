// Owns a run of the bench: starts the servers and takes the measurements one at a time, round by round.

import { median } from '../figures.ts';
import {
  failuresIn,
  type Generator,
  startGenerator,
  type StreamOrder,
  type Tokens,
} from '../load/generator.ts';
import { authorization, client, form, get, tokenRequest } from '../load/requests.ts';
import { type Offered, offerTo } from '../load/server.ts';
import {
  type Contestant,
  type Format,
  formats,
  grantPath,
  type ServerName,
  startBare,
  startJetway,
  verifyPath,
} from './contestants.ts';

/** The grants, and a gateway's question (C-4) about many tokens in turn. */
export const paths = [
  'client_credentials',
  'authorization_code',
  'refresh_token',
  'verify',
] as const;
export type Path = (typeof paths)[number];

export interface Plan {
  readonly paths: readonly Path[];
  /** Besides the bare one. */
  readonly servers: readonly Exclude<ServerName, 'bare'>[];
  /** Rounds before those that count, until the code is compiled and caches are warm. */
  readonly warmUps: number;
  /** Length of one measurement in such a round. */
  readonly warmUpSeconds: number;
  readonly rounds: number;
  /** Length of one measurement: one path on one server. */
  readonly seconds: number;
  /** Codes that are made for one measurement. */
  readonly codes: number;
}

/** Many short measurements: other work on a shared machine affects all servers alike. */
export const careful: Plan = {
  paths,
  servers: ['file', 'executable', 'postgres'],
  warmUps: 1,
  // The last code is compiled after some ten thousand requests.
  warmUpSeconds: 2.5,
  rounds: 7,
  seconds: 0.5,
  // Unused codes would fill the stores, as no login does.
  codes: 6000,
};

export interface Measurement {
  readonly path: Path;
  readonly format: Format;
  readonly server: ServerName;
  readonly round: number;
  readonly requests: number;
  readonly seconds: number;
  /** Microseconds of the server's processor time for each request. */
  readonly cpu: number;
  /** The same of the database's processes. */
  readonly databaseCpu: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const connections = 32;
/** As many tokens are asked about in turn, once so many were issued. */
const mostTokens = 10_000;

/** Measures a plan; `folder` is for the stores. Rejects at the first wrong answer. */
export async function measure(
  plan: Plan,
  folder: string,
  progress: (text: string) => void,
): Promise<readonly Measurement[]> {
  const endings: (() => Promise<void>)[] = [];
  try {
    const generator = startGenerator();
    endings.push(generator.end);
    const runs: Run[] = [];
    const enter = (contestant: Contestant): void => {
      endings.push(contestant.stop);
      runs.push(...formats.map((format) => new Run(generator, contestant, format)));
    };
    enter(await startBare());
    for (const name of plan.servers) enter(await startJetway(name, folder));
    const measurements: Measurement[] = [];
    for (let round = -plan.warmUps; round < plan.rounds; round += 1) {
      progress(round < 0 ? 'warming up\n' : `round ${round + 1} of ${plan.rounds}\n`);
      const seconds = round < 0 ? plan.warmUpSeconds : plan.seconds;
      for (const run of runs) {
        const taken = await run.takeRound({ ...plan, seconds }, round);
        if (round >= 0) measurements.push(...taken);
      }
    }
    return measurements;
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

/** What is sent to all nodes together. */
type Order = Pick<StreamOrder, 'requests' | 'takes' | 'keepsTokens' | 'refreshesAt'>;

/** One server with one form of tokens, and the tokens that it has issued. */
class Run {
  readonly #generator: Generator;
  readonly #contestant: Contestant;
  readonly #format: Format;
  #tokens: readonly Tokens[] = [];

  constructor(generator: Generator, contestant: Contestant, format: Format) {
    this.#generator = generator;
    this.#contestant = contestant;
    this.#format = format;
  }

  /** Codes come first: what they bring is refreshed and asked about. */
  async takeRound(plan: Plan, round: number): Promise<readonly Measurement[]> {
    const isWanted = (path: Path): boolean => plan.paths.includes(path);
    const needsTokens = isWanted('refresh_token') || isWanted('verify');
    const count = isWanted('authorization_code') ? plan.codes : connections * 10;
    const taken: Measurement[] = [];
    for (const path of [
      'authorization_code',
      'client_credentials',
      'refresh_token',
      'verify',
    ] as const) {
      if (!isWanted(path) && !(path === 'authorization_code' && needsTokens)) continue;
      const order = path === 'authorization_code' ? await this.#codes(count) : this.#orderOf(path);
      const before = this.#contestant.databaseCpu();
      const offered = await this.#send(path, order, plan.seconds);
      const databaseCpu = this.#contestant.databaseCpu() - before;
      if (isWanted(path)) taken.push(this.#measurement(path, round, { ...offered, databaseCpu }));
    }
    return taken;
  }

  async #codes(count: number): Promise<Order> {
    const codes = await this.#contestant.codes(this.#format, count);
    const start = `grant_type=authorization_code&redirect_uri=${encodeURIComponent(client.redirectUri)}&code=`;
    const requests = codes.map((code) => form(grantPath(this.#format), start + code));
    return { requests, takes: 'once', keepsTokens: true };
  }

  #orderOf(path: Exclude<Path, 'authorization_code'>): Order {
    const grant = grantPath(this.#format);
    if (path === 'client_credentials') return { requests: [tokenRequest(grant)] };
    if (path === 'verify') {
      const requests = this.#tokens.map(({ access }) =>
        get(verifyPath(this.#format), 'Accept: */*', `Authorization: Bearer ${access}`),
      );
      return { requests };
    }
    // Each connection starts with the refresh token of a login, and refreshes from there.
    const first = this.#tokens.slice(-connections).map(({ refresh }) => refresh ?? '');
    const requests = first.map((token) =>
      form(grant, `grant_type=refresh_token&refresh_token=${token}`, {
        Authorization: authorization,
      }),
    );
    return { requests, takes: 'own', refreshesAt: grant };
  }

  /** Every node has its share of the connections, and of what is sent once. */
  #streams(name: Path, order: Order): readonly StreamOrder[] {
    const { ports } = this.#contestant;
    return ports.map(({ port, gatewayPort }, node) => ({
      ...order,
      name,
      rate: 0,
      expects: '200',
      port: name === 'verify' ? gatewayPort : port,
      connections: Math.ceil((connections - node) / ports.length),
      requests:
        order.takes === undefined
          ? order.requests
          : order.requests.filter((_, index) => index % ports.length === node),
    }));
  }

  async #send(path: Path, order: Order, seconds: number): Promise<Offered> {
    const streams = this.#streams(path, order);
    const offered = await offerTo(this.#generator, this.#contestant, streams, seconds);
    const fault = (what: string): Error =>
      new Error(`${path} ${this.#format} on ${this.#contestant.name}: ${what}`);
    if (offered.results.some(({ served }) => served.count === 0)) {
      throw fault('nothing was answered');
    }
    const failures = failuresIn(offered.results);
    if (failures.length > 0) throw fault(failures.join(', '));
    if (path !== 'authorization_code') return offered;
    const tokens = offered.results.flatMap((one) => one.tokens);
    this.#tokens = [...this.#tokens, ...tokens].slice(-mostTokens);
    if (this.#contestant.name === 'bare') return offered;
    const isJwt = ({ access }: Tokens): boolean => /^eyJ[^.]+\.[^.]+\.[^.]+$/.test(access);
    const isRight = (one: Tokens): boolean =>
      isJwt(one) === (this.#format === 'ES256') && one.refresh !== undefined;
    if (!tokens.every(isRight)) throw fault('answered with other tokens');
    return offered;
  }

  #measurement(
    path: Path,
    round: number,
    { results, seconds, ...spent }: Offered & Pick<Measurement, 'databaseCpu'>,
  ): Measurement {
    const served = results.map((one) => one.served);
    const requests = served.reduce((sum, { count }) => sum + count, 0);
    return {
      path,
      format: this.#format,
      server: this.#contestant.name,
      round,
      requests,
      seconds,
      cpu: spent.cpu / requests,
      databaseCpu: spent.databaseCpu / requests,
      p50: median(served.map(({ p50 }) => p50)),
      p99: Math.max(...served.map(({ p99 }) => p99)),
    };
  }
}
