// Owns the verb `dev`: programmes with a demo client and member each, in memory, on loopback.

import { relative } from 'node:path';
import { isSea } from 'node:sea';

import { type Address, readAddress } from '../../config/address.ts';
import { readConfig } from '../../config/config.ts';
import { fullLog } from '../../config/log_keys.ts';
import { readProgrammeFolder } from '../../config/programme_files.ts';
import type { Foundation } from '../../engine/service.ts';
import { mountAdmin, readyPart } from '../../http/admin.ts';
import { type Demo, demoPaths } from '../../http/demo/demo.ts';
import { mountDemo } from '../../http/demo/pages.ts';
import { listAssets, readAsset, readAssetBytes } from '../../lib/asset.ts';
import { systemClock } from '../../lib/clock.ts';
import { FaultsError } from '../../lib/fault.ts';
import { isLoopback } from '../../lib/ip_address.ts';
import { expose } from '../../lib/metrics/exposition.ts';
import { processFamilies } from '../../lib/metrics/families.ts';
import { randomKey } from '../../lib/random.ts';
import {
  compileLoaded,
  type LoadedProgramme,
  loadProgramme,
  type LoadResult,
  withLogos,
} from '../../rules/load.ts';
import { failed, misconfigured, wrongUsage } from '../../server/exit.ts';
import { startHousekeeping } from '../../server/housekeeping.ts';
import { listenAt } from '../../server/listeners.ts';
import { openLog } from '../../server/log_writer.ts';
import { watchProcess } from '../../server/metrics/process.ts';
import { Observing } from '../../server/observing.ts';
import { serveAll } from '../../server/programmes/programmes.ts';
import { requestMetrics } from '../../server/requests/metrics.ts';
import { ignoreSignals, untilSignal } from '../../server/signals.ts';
import { sharedTime } from '../../server/store_clock.ts';
import { openMemoryStore } from '../../store/sqlite/store.ts';
import { createKeyring, masterKeyBytes } from '../../token/keyring.ts';
import type { Given } from '../grammar/options.ts';
import type { devOptions } from '../grammar/rows.ts';
import { onboardDemo } from './onboarding.ts';

/** Resolves after a signal has ended it. */
export async function dev(options: Given<typeof devOptions>): Promise<void> {
  const address = loopbackAddress(options.listen);
  if (options.commands !== undefined) return printCommands(address, options.commands);
  const loaded = readProgrammes(options.config);
  watchProcess();
  const log = openLog();
  log.follow(fullLog);
  ignoreSignals(log, ['SIGUSR1']);
  const foundation = {
    store: openMemoryStore(),
    clock: systemClock(),
    keyring: createKeyring(Buffer.from(randomKey(masterKeyBytes), 'base64url')),
    log,
    environment: 'staging' as const,
  };
  const observer = new Observing(requestMetrics, log.observer);
  const server = await listenAt(address, '--listen', undefined, { observer });
  const demos = await onboardAll(loaded, server.url, foundation);
  const filled = new Map(demos.map(({ programme, member }) => [programme.id, member]));
  const { programmes } = await serveAll(demos, foundation, filled);
  mountDemo(programmes.app, demos);
  // Whoever reaches it is on this machine.
  mountAdmin(programmes.app, {
    parts: () => ({ server: readyPart }),
    metrics: async (form) => expose(processFamilies(), form),
  });
  server.swap(programmes.app);
  // Before anything is printed: its reader may send a signal at once. SIGHUP too: otherwise the server
  // would outlive its closed terminal.
  const signalled = untilSignal(['SIGTERM', 'SIGINT', 'SIGHUP']);
  console.log(startSheet(server.url, demos));
  const { keep: keepTime } = sharedTime(foundation, log);
  const upkeep = startHousekeeping({
    ...foundation,
    services: () => programmes.services(),
    keepTime,
  });
  await signalled;
  upkeep.stop();
  await server.close();
  log.end();
}

/** Demo secrets are printed on a terminal: only this machine may reach the server. */
function loopbackAddress(text: string): Address {
  const address = readAddress(text);
  if (address === undefined || !isLoopback(address.host)) {
    throw wrongUsage(
      `dev listens on loopback only: "${text}" is not an address such as 127.0.0.1:8080`,
    );
  }
  return address;
}

function readProgrammes(configPath: string | undefined): readonly LoadedProgramme[] {
  const results =
    configPath === undefined
      ? listAssets('programmes', '.yaml').map(loadShipped)
      : readProgrammeFolder(stagingFolder(configPath));
  const faults = results.flatMap((result) => result.faults);
  const loaded = results.flatMap((result) => result.loaded ?? []);
  if (faults.some(({ severity }) => severity === 'error') || loaded.length === 0) {
    throw new FaultsError(faults);
  }
  return loaded;
}

function loadShipped(path: string): LoadResult {
  return withLogos(loadProgramme(path, readAsset(path)), (name) =>
    readAssetBytes(`programmes/${name}`),
  );
}

function stagingFolder(configPath: string): string {
  const config = readConfig(configPath);
  if (config.environment === 'live') {
    throw misconfigured(
      `${configPath} is for the live environment: dev prints secrets and runs with staging only`,
    );
  }
  return config.programmes;
}

function onboardAll(
  loaded: readonly LoadedProgramme[],
  base: string,
  foundation: Foundation,
): Promise<readonly Demo[]> {
  return Promise.all(
    loaded.map((one) => {
      // The demo member is in the memory store; an airline's own directory does not have it.
      const members = { directory: 'store' } as const;
      const programme = Object.freeze({ ...compileLoaded(one, base), members });
      return onboardDemo(programme, one.variant, base, foundation);
    }),
  );
}

/** The text at the start: the programmes, their logins, and last the address to open. */
function startSheet(base: string, demos: readonly Demo[]): string {
  const [first] = demos;
  return [
    `Jetway dev: ${demos.map(({ programme }) => programme.name).join(', ')}.`,
    'Everything is kept in memory and gone when it stops (Ctrl-C).',
    ...demos.flatMap(({ programme, dialect, by, member }) => [
      '',
      `${programme.name} (${programme.id}): ${dialect}, at ${base}${programme.basePath}`,
      `  client ${by.client.id}  secret ${by.secret}`,
      `  member ${member.username}  password ${member.password}`,
    ]),
    '',
    `Commands for curl, one for every grant and error: ${ownName()} dev --commands ${first?.programme.id ?? 'NAME'}`,
    `Ready. Click through it all in a browser: ${base}/`,
  ].join('\n');
}

/** The command that runs this program again from the current folder. */
function ownName(): string {
  const path = isSea() ? relative(process.cwd(), process.execPath) : '';
  return path === '' || path.startsWith('..') ? 'jetway' : path;
}

/** Secrets are new in every run, so the running `dev` must print them. */
async function printCommands({ host, port }: Address, programme: string): Promise<void> {
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const answer = await fetch(base + demoPaths(encodeURIComponent(programme)).commands).catch(
    (): undefined => undefined,
  );
  if (answer?.ok === true) return void process.stdout.write(await answer.text());
  throw failed(
    answer === undefined
      ? `no jetway dev answers on ${base}: start it in another terminal, or say with --listen where it runs`
      : `the jetway dev on ${base} has no programme "${programme}": ${base}/ shows those it has`,
  );
}
