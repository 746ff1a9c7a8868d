// Owns a run: starts the servers and takes the measurements one at a time, round by round.

import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { BareCommands, SampleAnswer } from './bare_server.ts';
import { type Child, startChild } from './child.ts';
import type { Address, IssueOrder, JetwayCommands } from './jetway_server.ts';
import type { LoadCommands, LoadOrder, LoadResult } from './load.ts';
import { codeSource, type Plan, type ServerName, serverNames, type Workload } from './plan.ts';
import type { Usage, UsageCommands } from './usage.ts';

/** One workload on one server for a while. */
export interface Measurement {
  readonly workload: string;
  readonly server: ServerName;
  readonly round: number;
  readonly load: LoadResult;
  /** Microseconds of the server's CPU time, and the system's part of it. */
  readonly cpu: number;
  readonly system: number;
  readonly commits: number;
}

/** A server under measurement. */
interface Contestant {
  readonly name: ServerName;
  readonly port: number;
  readonly child: Child<UsageCommands>;
  readonly end: () => Promise<void>;
  /** Codes for the server; only a server that checks codes has real ones. */
  readonly codes: (count: number) => Promise<readonly string[]>;
  readonly tokens: (order: IssueOrder) => Promise<readonly string[]>;
}

interface Field {
  readonly contestants: readonly Contestant[];
  readonly address: Address;
  readonly load: Child<LoadCommands>;
  readonly bare: Child<BareCommands>;
}

/** Measures a plan; `folder` is for the stores. Rejects when any answer is not 200. */
export async function measure(
  plan: Plan,
  folder: string,
  progress: (text: string) => void,
): Promise<readonly Measurement[]> {
  if (plan.profileFolder !== undefined) mkdirSync(plan.profileFolder, { recursive: true });
  const endings: (() => Promise<void>)[] = [];
  try {
    const field = await open(folder, endings);
    const measurements: Measurement[] = [];
    for (let round = -plan.warmUps; round < plan.rounds; round += 1) {
      const seconds = round < 0 ? plan.warmUpSeconds : plan.seconds;
      progress(round < 0 ? 'warming up\n' : `round ${round + 1} of ${plan.rounds}\n`);
      for (const workload of plan.workloads) {
        await showBare(field, workload);
        for (const contestant of field.contestants) {
          const measurement = await measureOne(
            { ...plan, seconds },
            field,
            workload,
            contestant,
            round,
          );
          if (round >= 0) measurements.push(measurement);
        }
      }
    }
    return measurements;
  } finally {
    await Promise.all(endings.map((end) => end()));
  }
}

/** Starts every process; `endings` stops those that were started, also after a failure. */
async function open(folder: string, endings: (() => Promise<void>)[]): Promise<Field> {
  const load = startChild<LoadCommands>(import.meta.resolve('./load.ts'));
  const bare = startChild<BareCommands>(import.meta.resolve('./bare_server.ts'));
  endings.push(load.end, bare.end);
  const jetway = (['memory', 'file'] as const).map((name) => {
    const child = startChild<JetwayCommands>(import.meta.resolve('./jetway_server.ts'), [
      name,
      folder,
    ]);
    endings.push(child.end);
    return { name, child };
  });
  const contestants: Contestant[] = [];
  const issuers = jetway.map(({ child }) => keptTokens((order) => child.ask('issue', order)));
  const [firstIssuer] = issuers;
  if (firstIssuer === undefined) throw new Error('no Jetway was started');
  contestants.push({
    name: 'bare',
    port: await bare.ask('port', undefined),
    child: bare,
    end: bare.end,
    codes: async (count) => Array.from({ length: count }, () => randomBytes(32).toString('hex')),
    // As long as real codes: reading the request's head is part of the measurement.
    tokens: firstIssuer,
  });
  let address: Address | undefined;
  for (const [index, { name, child }] of jetway.entries()) {
    address = await child.ask('address', undefined);
    const codes = (count: number): Promise<readonly string[]> => child.ask('mint', count);
    const tokens = issuers[index] ?? firstIssuer;
    contestants.push({ name, port: address.port, child, end: child.end, codes, tokens });
  }
  if (address === undefined) throw new Error('no Jetway was started');
  return { contestants, address, load, bare };
}

/** Well within the lifetime of an access token. */
const keptFor = 600_000;

/** Issues tokens once for all rounds: the cost of a token's first check does not matter. */
function keptTokens(issue: Contestant['tokens']): Contestant['tokens'] {
  const kept = new Map<
    string,
    { readonly at: number; readonly tokens: Promise<readonly string[]> }
  >();
  return (order) => {
    const name = `${order.programme} ${order.count}`;
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
  workload: Workload,
  contestant: Contestant,
  round: number,
): Promise<Measurement> {
  const { child, name: server } = contestant;
  const path =
    plan.profileFolder !== undefined && round === plan.rounds - 1
      ? join(plan.profileFolder, `${server}-${workload.name}.cpuprofile`)
      : undefined;
  try {
    await field.load.ask('prepare', await orderOf(plan, field, workload, contestant));
    if (path !== undefined) await child.ask('startProfile', undefined);
    const before: Usage = await child.ask('usage', undefined);
    const load = await field.load.ask('run', undefined);
    const after: Usage = await child.ask('usage', undefined);
    if (path !== undefined) await child.ask('stopProfile', path);
    const cpu = after.cpu - before.cpu;
    const system = after.system - before.system;
    const commits = after.commits - before.commits;
    return { workload: workload.name, server, round, load, cpu, system, commits };
  } catch (error) {
    throw new Error(`${workload.name} on ${server}: ${String(error)}`, { cause: error });
  }
}

async function orderOf(
  plan: Plan,
  field: Field,
  workload: Workload,
  contestant: Contestant,
): Promise<LoadOrder> {
  const { seconds, mostRequests, connections } = plan;
  const { kind } = workload.source;
  const values = await valuesOf(plan, workload, contestant);
  const order = {
    ...requestTo(field, workload, contestant),
    connections,
    values,
    seconds,
    mostRequests: kind === 'codes' ? mostRequests : mostRequests * 5,
  };
  if (kind !== 'chain') return order;
  // Each connection starts with the refresh token of a login, and refreshes from there.
  const codes = await contestant.codes(connections);
  await field.load.ask('prepare', {
    ...order,
    source: codeSource,
    values: codes,
    mostRequests: connections,
  });
  const { refreshTokens } = await field.load.ask('run', undefined);
  return { ...order, values: refreshTokens };
}

async function valuesOf(
  { mostRequests }: Plan,
  { source, programme }: Workload,
  contestant: Contestant,
): Promise<readonly string[]> {
  if (source.kind === 'tokens') return contestant.tokens({ programme, count: source.count });
  return source.kind === 'codes' ? contestant.codes(mostRequests) : [];
}

function requestTo(
  { address }: Field,
  { programme, source }: Workload,
  { port }: Contestant,
): Pick<LoadOrder, 'port' | 'path' | 'authorization' | 'source'> {
  const isGateway = source.kind === 'tokens';
  const path = (isGateway ? address.verifyPaths : address.paths).get(programme);
  if (path === undefined) throw new Error(`${programme} has no token endpoint`);
  return { port, path, authorization: address.authorization, source };
}

/** Makes the bare server give Jetway's answer to this workload: same headers, same size. */
async function showBare(field: Field, workload: Workload): Promise<void> {
  const jetway = field.contestants.find(({ name }) => name === serverNames[1]);
  if (jetway === undefined) throw new Error('there is no Jetway to take a sample from');
  const { port, path, authorization } = requestTo(field, workload, jetway);
  const { source, programme } = workload;
  if (source.kind === 'tokens') {
    const [token = ''] = await jetway.tokens({ programme, count: 1 });
    const headers = { authorization: `Bearer ${token}` };
    return field.bare.ask('repeat', await sampleOf(port, path, { headers }));
  }
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
  const ask = (body: string): Promise<SampleAnswer> =>
    sampleOf(port, path, { method: 'POST', headers, body });
  if (source.kind === 'fixed') return field.bare.ask('repeat', await ask(source.body));
  const [code = ''] = await jetway.codes(1);
  // The answer to a code has the members and size of the answer to a refresh token.
  const { prefix } = source.kind === 'chain' ? codeSource : source;
  return field.bare.ask('repeat', await ask(prefix + code));
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
