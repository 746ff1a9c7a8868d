// Owns a run: starts the servers and takes the measurements one at a time, round by round.

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { BareCommands, SampleAnswer } from './bare_server.ts';
import { type Child, startChild } from './child.ts';
import { type DatabaseUsage, startDatabase } from './database.ts';
import type { LoadCommands, LoadOrder, LoadResult } from './load.ts';
import {
  authorization,
  codeSource,
  type IssuingServer,
  type Plan,
  type ServerName,
  type Workload,
} from './plan.ts';
import type { Address, Order, ServerCommands, Usage, UsageCommands } from './server.ts';

/** One workload on one server for a while. */
export interface Measurement extends Pick<Workload, 'path' | 'format'> {
  readonly server: ServerName;
  readonly round: number;
  readonly load: LoadResult;
  /** The server's figures before and after. */
  readonly before: Figures;
  readonly after: Figures;
}

/** Of all processes of a server together. */
export interface Figures extends Usage {
  /** Absent for a server without one. */
  readonly database?: DatabaseUsage;
}

/** A server under measurement. */
interface Contestant {
  readonly name: ServerName;
  /** One process, or several that share a store. */
  readonly children: readonly [Child<UsageCommands>, ...Child<UsageCommands>[]];
  readonly database?: () => Promise<DatabaseUsage>;
  /** Of each process. */
  readonly addresses: (format: Workload['format']) => Promise<readonly Address[]>;
  /** Codes for the server; only a server that checks codes has real ones. */
  readonly codes: (order: Order) => Promise<readonly string[]>;
  readonly tokens: (order: Order) => Promise<readonly string[]>;
}

interface Field {
  readonly contestants: readonly Contestant[];
  /** The server whose answers the bare server repeats. */
  readonly model: Contestant;
  readonly load: Child<LoadCommands>;
  readonly bare: Child<BareCommands>;
}

/** Servers share a core, since one of them works at a time. */
export const serverCore = 0;
export const loadCore = 1;

/** Measures a plan; `folder` is for the stores. Rejects at the first wrong answer. */
export async function measure(
  plan: Plan,
  folder: string,
  progress: (text: string) => void,
): Promise<readonly Measurement[]> {
  if (plan.profileFolder !== undefined) mkdirSync(plan.profileFolder, { recursive: true });
  const endings: (() => Promise<void>)[] = [];
  try {
    const field = await open(plan, folder, endings);
    const measurements: Measurement[] = [];
    for (let round = -plan.warmUps; round < plan.rounds; round += 1) {
      const seconds = round < 0 ? plan.warmUpSeconds : plan.seconds;
      progress(round < 0 ? 'warming up\n' : `round ${round + 1} of ${plan.rounds}\n`);
      for (const workload of plan.workloads) {
        if (plan.servers.includes('bare')) await showBare(field, workload);
        for (const contestant of field.contestants) {
          const target = await targetOf(workload, contestant);
          if (target === undefined) continue;
          const order = await orderOf({ ...plan, seconds }, field, workload, contestant, target);
          const measurement = await measureOne(plan, field, workload, contestant, order, round);
          if (round >= 0) measurements.push(measurement);
        }
      }
    }
    return measurements;
  } finally {
    for (const end of endings) await end();
  }
}

/** Starts every process; `endings` stops those that were started, also after a failure. */
async function open(
  { servers, nodes, peerFolder = '' }: Plan,
  folder: string,
  endings: (() => Promise<void>)[],
): Promise<Field> {
  const load = startChild<LoadCommands>(import.meta.resolve('./load.ts'), [], loadCore);
  const bare = startChild<BareCommands>(import.meta.resolve('./bare_server.ts'), [], serverCore);
  endings.push(load.end, bare.end);
  const database = servers.includes('postgres') ? await startDatabase() : undefined;
  const issuing = servers
    .filter((name) => name !== 'bare')
    .map((name): Contestant => {
      const [module, place] = modules[name];
      const places = { peer: peerFolder, stores: folder, database: database?.url ?? '' };
      const start = (): Child<ServerCommands> => {
        const child = startChild<ServerCommands>(module, [name, places[place]], serverCore);
        endings.push(child.end);
        return child;
      };
      const child = start();
      const more = Array.from({ length: name === 'postgres' ? nodes - 1 : 0 }, start);
      const children = [child, ...more] as const;
      return {
        name,
        children,
        ...(place === 'database' && database !== undefined && { database: database.usage }),
        addresses: async (format) => {
          const asked = children.map((one) => one.ask('address', format));
          return (await Promise.all(asked)).filter((address) => address !== undefined);
        },
        codes: (order) => child.ask('mint', order),
        tokens: keptTokens((order) => child.ask('issue', order)),
      };
    });
  // Last: its servers leave it first.
  if (database !== undefined) endings.push(database.end);
  const model = issuing.find(({ name }) => name === 'memory');
  if (model === undefined) throw new Error('no Jetway was started');
  const port = await bare.ask('port', undefined);
  const bareContestant: Contestant = {
    name: 'bare',
    children: [bare],
    addresses: async (format) =>
      (await model.addresses(format)).map((known) => ({ ...known, port })),
    // As long as real ones: reading the request is part of the measurement.
    codes: async ({ count }) =>
      Array.from({ length: count }, () => randomBytes(32).toString('hex')),
    tokens: model.tokens,
  };
  const contestants = servers.includes('bare') ? [bareContestant, ...issuing] : issuing;
  return { contestants, model, load, bare };
}

/** The module of each issuing server, and the folder that it is told. */
const modules = {
  map: [import.meta.resolve('./floor_server.ts'), 'stores'],
  sqlite: [import.meta.resolve('./floor_server.ts'), 'stores'],
  memory: [import.meta.resolve('./jetway_server.ts'), 'stores'],
  file: [import.meta.resolve('./jetway_server.ts'), 'stores'],
  observed: [import.meta.resolve('./jetway_server.ts'), 'stores'],
  postgres: [import.meta.resolve('./jetway_server.ts'), 'database'],
  'oidc-provider': [import.meta.resolve('./oidc_server.ts'), 'peer'],
} as const satisfies Readonly<
  Record<IssuingServer, readonly [string, 'stores' | 'peer' | 'database']>
>;

/** Well within the lifetime of an access token. */
const keptFor = 600_000;

/** Issues tokens once for all rounds: the cost of a token's first check does not matter. */
function keptTokens(issue: Contestant['tokens']): Contestant['tokens'] {
  const kept = new Map<
    string,
    { readonly at: number; readonly tokens: Promise<readonly string[]> }
  >();
  return (order) => {
    const name = `${order.format} ${order.count}`;
    const known = kept.get(name);
    if (known !== undefined && performance.now() - known.at < keptFor) return known.tokens;
    const tokens = issue(order);
    kept.set(name, { at: performance.now(), tokens });
    return tokens;
  };
}

async function measureOne(
  plan: Plan,
  field: Field,
  { path, format }: Workload,
  contestant: Contestant,
  order: LoadOrder,
  round: number,
): Promise<Measurement> {
  const {
    children: [child],
    name: server,
  } = contestant;
  const profile =
    plan.profileFolder !== undefined && round === plan.rounds - 1
      ? join(plan.profileFolder, `${server}-${path}-${format}.cpuprofile`)
      : undefined;
  try {
    await field.load.ask('prepare', order);
    if (profile !== undefined) await child.ask('startProfile', undefined);
    const before = await figuresOf(contestant);
    const load = await field.load.ask('run', undefined);
    const after = await figuresOf(contestant);
    if (profile !== undefined) await child.ask('stopProfile', profile);
    return { path, format, server, round, load, before, after };
  } catch (error) {
    throw new Error(`${path} ${format} on ${server}: ${String(error)}`, { cause: error });
  }
}

async function figuresOf({ children, database }: Contestant): Promise<Figures> {
  const told = await Promise.all(children.map((child) => child.ask('usage', undefined)));
  const sum = (figure: keyof Usage): number => told.reduce((all, one) => all + one[figure], 0);
  return {
    cpu: sum('cpu'),
    system: sum('system'),
    commits: sum('commits'),
    rounds: sum('rounds'),
    pages: sum('pages'),
    anonymous: sum('anonymous'),
    ...(database && { database: await database() }),
  };
}

/** Where a server takes a workload's requests; undefined if it takes none of them. */
async function targetOf(
  { format, source }: Workload,
  contestant: Contestant,
): Promise<Pick<LoadOrder, 'ports' | 'path'> | undefined> {
  const addresses = await contestant.addresses(format);
  const [address] = addresses;
  const path = source.kind === 'tokens' ? address?.verifyPath : address?.path;
  return path === undefined ? undefined : { ports: addresses.map(({ port }) => port), path };
}

async function orderOf(
  { seconds, mostRequests, connections }: Plan,
  { load }: Field,
  { format, source }: Workload,
  contestant: Contestant,
  target: Pick<LoadOrder, 'ports' | 'path'>,
): Promise<LoadOrder> {
  const order = { ...target, authorization, format, source, connections, seconds, mostRequests };
  if (source.kind === 'codes') {
    return { ...order, values: await contestant.codes({ format, count: mostRequests }) };
  }
  const many = { ...order, mostRequests: mostRequests * 5 };
  if (source.kind === 'fixed') return { ...many, values: [] };
  if (source.kind === 'tokens') {
    return { ...many, values: await contestant.tokens({ format, count: source.count }) };
  }
  // Each connection starts with the refresh token of a login, and refreshes from there.
  const values = await contestant.codes({ format, count: connections });
  await load.ask('prepare', { ...order, source: codeSource, values, mostRequests: connections });
  const { refreshTokens } = await load.ask('run', undefined);
  return { ...many, values: refreshTokens };
}

/** Makes the bare server give Jetway's answer to this workload: same headers, same size. */
async function showBare({ model, bare }: Field, workload: Workload): Promise<void> {
  const target = await targetOf(workload, model);
  if (target === undefined) throw new Error('there is no Jetway to take a sample from');
  const { source, format } = workload;
  const one = { format, count: 1 };
  const ask = async (request: RequestInit): Promise<void> =>
    bare.ask('repeat', await sampleOf(target.ports[0] ?? 0, target.path, request));
  if (source.kind === 'tokens') {
    const [token = ''] = await model.tokens(one);
    return ask({ headers: { authorization: `Bearer ${token}` } });
  }
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  if (source.kind === 'fixed') return ask({ method: 'POST', headers, body: source.body });
  const [code = ''] = await model.codes(one);
  // The answer to a code has the members and size of the answer to a refresh token.
  return ask({ method: 'POST', headers, body: codeSource.prefix + code });
}

async function sampleOf(port: number, path: string, request: RequestInit): Promise<SampleAnswer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, request);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return { path, headers: ownHeaders(answer.headers), body: text };
}

/** Without the headers that node adds by itself. */
function ownHeaders(headers: Headers): Record<string, string> {
  const added = new Set(['connection', 'date', 'keep-alive']);
  return Object.fromEntries([...headers].filter(([name]) => !added.has(name)));
}
