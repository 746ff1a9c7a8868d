// Owns the measurement of a file store full of logins: refreshes of tokens from all over it, beside
// refreshes of tokens that were issued a moment ago.

import { statSync } from 'node:fs';
import { join } from 'node:path';

import { startChild } from './child.ts';
import type { LoadCommands, LoadResult } from './load.ts';
import { loadCore, serverCore } from './measure.ts';
import { authorization, careful, codeSource, type Format, refreshGrant } from './plan.ts';
import { median } from './quantiles.ts';
import type { ServerCommands } from './server.ts';

/** Logins at a time, and refreshes of one measurement. */
const batch = 4000;
const rounds = 9;

/** Medians over the rounds. */
interface Refreshes {
  readonly requestsPerSecond: number;
  readonly cpuPerRequest: number;
  readonly p99: number;
}

export interface FullStore {
  readonly logins: number;
  /** Of the file and its log, after the logins. */
  readonly megabytes: number;
  /** What the refreshes from all over it added to that. */
  readonly megabytesGrown: number;
  readonly fresh: Refreshes;
  readonly fromAllOver: Refreshes;
}

/** Fills a store in a folder through the server, code by code, and measures it. */
export async function measureFullStore(
  logins: number,
  folder: string,
  progress: (text: string) => void,
): Promise<FullStore> {
  const load = startChild<LoadCommands>(import.meta.resolve('./load.ts'), [], loadCore);
  const args = ['file', folder];
  const module = import.meta.resolve('./jetway_server.ts');
  const server = startChild<ServerCommands>(module, args, serverCore);
  try {
    const format: Format = 'opaque';
    const address = await server.ask('address', format);
    if (address === undefined) throw new Error('the server has no address');
    const send = async (prefix: string, values: readonly string[]): Promise<Sent> => {
      const source = { kind: 'codes', prefix } as const;
      const most = { seconds: 50, mostRequests: values.length };
      const { connections } = careful;
      const to = { ports: [address.port], path: address.path, authorization, format };
      await load.ask('prepare', { ...to, ...most, source, connections, values });
      const before = await server.ask('usage', undefined);
      const result = await load.ask('run', undefined);
      const after = await server.ask('usage', undefined);
      return { ...result, cpuPerRequest: (after.cpu - before.cpu) / result.requests };
    };
    const logIn = async (): Promise<readonly string[]> => {
      const codes = await server.ask('mint', { format, count: batch });
      return (await send(codeSource.prefix, codes)).refreshTokens;
    };
    // As many from each batch as the rounds need together.
    const batches = Math.ceil(logins / batch);
    const ofEach = Math.ceil((rounds * batch) / batches);
    const kept: string[] = [];
    for (let done = 0; done < batches; done += 1) {
      kept.push(...(await logIn()).slice(0, ofEach));
      if (done % 25 === 0) progress(`${done * batch} logins\n`);
    }
    const megabytes = megabytesOf(folder);
    let megabytesGrown = 0;
    const fresh: Sent[] = [];
    const fromAllOver: Sent[] = [];
    for (let round = 0; round < rounds; round += 1) {
      progress(`round ${round + 1} of ${rounds}\n`);
      fresh.push(await send(refreshGrant, await logIn()));
      const old = kept.filter((_token, index) => index % rounds === round);
      megabytesGrown -= megabytesOf(folder);
      fromAllOver.push(await send(refreshGrant, old));
      megabytesGrown += megabytesOf(folder);
    }
    return {
      logins: batches * batch,
      megabytes,
      megabytesGrown,
      fresh: mediansOf(fresh),
      fromAllOver: mediansOf(fromAllOver),
    };
  } finally {
    await Promise.all([load.end(), server.end()]);
  }
}

type Sent = LoadResult & { readonly cpuPerRequest: number };

function mediansOf(sent: readonly Sent[]): Refreshes {
  return {
    requestsPerSecond: median(sent.map(({ requests, seconds }) => requests / seconds)),
    cpuPerRequest: median(sent.map(({ cpuPerRequest }) => cpuPerRequest)),
    p99: median(sent.map(({ p99 }) => p99)),
  };
}

function megabytesOf(folder: string): number {
  const sizes = ['jetway.db', 'jetway.db-wal'].map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}

/** For people. */
export function formatFullStore(found: FullStore): string {
  const { logins, megabytes, megabytesGrown, fresh, fromAllOver } = found;
  const line = (name: string, { requestsPerSecond, cpuPerRequest, p99 }: Refreshes): string =>
    `${name.padEnd(24)} ${requestsPerSecond.toFixed(0)} req/s, ${cpuPerRequest.toFixed(0)} µs of CPU, p99 ${p99.toFixed(2)} ms`;
  return [
    `${logins} logins in a file store of ${megabytes.toFixed(0)} MB, medians of ${rounds} rounds of ${batch} refreshes`,
    line('fresh tokens', fresh),
    line('tokens from all over it', fromAllOver),
    `CPU × ${(fromAllOver.cpuPerRequest / fresh.cpuPerRequest).toFixed(2)}; the refreshes from all over it made the file ${megabytesGrown.toFixed(0)} MB larger`,
  ].join('\n');
}
