// Owns a run of the bench: starts the servers and takes the measurements one at a time, round by round.

import {
  failuresIn,
  type Generator,
  startGenerator,
  type StreamOrder,
  type Tokens,
} from '../load/generator.ts';
import { client, form, get, tokenRequest } from '../load/requests.ts';
import { offerTo } from '../load/server.ts';
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
  /** Servers on one database. */
  readonly nodes: number;
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
  nodes: 1,
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
    for (const name of plan.servers) enter(await startJetway(name, folder, plan.nodes));
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
    for (const path of ['authorization_code', ...paths.filter(isNoCode)] as const) {
      if (!isWanted(path) && (isNoCode(path) || !needsTokens)) continue;
      const measured = await this.#measure(path, await this.#ordersOf(path, count), plan.seconds);
      if (isWanted(path)) taken.push({ ...measured, round });
    }
    return taken;
  }

  /** The load of each server; their connections are as many as those of one alone. */
  async #ordersOf(path: Path, count: number): Promise<readonly StreamOrder[]> {
    const { nodes } = this.#contestant;
    const order = await this.#orderOf(path, count);
    return nodes.map(({ port, gatewayPort }, index) => ({
      ...order,
      port: path === 'verify' ? gatewayPort : port,
      connections: Math.ceil(connections / nodes.length),
      requests:
        order.takes === undefined
          ? order.requests
          : order.requests.filter((_, at) => at % nodes.length === index),
    }));
  }

  async #orderOf(path: Path, count: number): Promise<Omit<StreamOrder, 'port' | 'connections'>> {
    const { codes } = this.#contestant;
    const grant = grantPath(this.#format);
    const common = { name: path, rate: 0, expects: '200' } as const;
    if (path === 'client_credentials') return { ...common, requests: [tokenRequest(grant)] };
    if (path === 'authorization_code') {
      const start = `grant_type=authorization_code&redirect_uri=${encodeURIComponent(client.redirectUri)}&code=`;
      const made = await codes(this.#format, count);
      const requests = made.map((code) => form(grant, start + code));
      return { ...common, requests, takes: 'once', keepsTokens: true };
    }
    if (path === 'verify') {
      const requests = this.#tokens.map(({ access }) =>
        get(verifyPath(this.#format), 'Accept: */*', `Authorization: Bearer ${access}`),
      );
      return { ...common, requests };
    }
    // Each connection starts with the refresh token of a login, and refreshes from there.
    const requests = this.#tokens
      .slice(-connections)
      .map(({ refresh }) => form(grant, `grant_type=refresh_token&refresh_token=${refresh}`));
    return { ...common, requests, takes: 'own', refreshesAt: grant };
  }

  async #measure(
    path: Path,
    orders: readonly StreamOrder[],
    length: number,
  ): Promise<Omit<Measurement, 'round'>> {
    const [format, server] = [this.#format, this.#contestant.name];
    const before = this.#contestant.databaseCpu();
    const offered = await offerTo(this.#generator, this.#contestant.nodes, orders, length);
    const spent = this.#contestant.databaseCpu() - before;
    const { results } = offered;
    const fault = (what: string): Error => new Error(`${path} ${format} on ${server}: ${what}`);
    if (results.some(({ served }) => served.count === 0)) throw fault('nothing was answered');
    const failures = failuresIn(results);
    if (failures.length > 0) throw fault(failures.join(', '));
    const isJwt = ({ access }: Tokens): boolean => /^eyJ[^.]+\.[^.]+\.[^.]+$/.test(access);
    const isRight = (tokens: Tokens): boolean =>
      isJwt(tokens) === (format === 'ES256') && tokens.refresh !== undefined;
    // Only codes keep the tokens that they bring.
    const made = results.flatMap(({ tokens }) => tokens);
    if (server !== 'bare' && !made.every(isRight)) throw fault('answered with other tokens');
    this.#tokens = [...this.#tokens, ...made].slice(-mostTokens);
    const requests = results.reduce((sum, { served }) => sum + served.count, 0);
    // Of several servers that of the slowest.
    const [p50, p99] = [
      Math.max(...results.map(({ served }) => served.p50)),
      Math.max(...results.map(({ served }) => served.p99)),
    ];
    const { seconds, cpu } = offered;
    const each = { cpu: cpu / requests, databaseCpu: spent / requests };
    return { path, format, server, requests, seconds, ...each, p50, p99 };
  }
}

function isNoCode(path: Path): boolean {
  return path !== 'authorization_code';
}
