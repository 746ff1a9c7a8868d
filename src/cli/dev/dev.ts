// Owns the verb `dev`: programmes with a demo client and member each, in memory, on loopback.

import { type Address, readAddress, readConfig } from '../../config/config.ts';
import { readProgrammeFolder } from '../../config/programme_files.ts';
import type { Foundation } from '../../engine/service.ts';
import type { Demo } from '../../http/demo/demo.ts';
import { mountDemo } from '../../http/demo/pages.ts';
import { listAssets, readAsset, readAssetBytes } from '../../lib/asset.ts';
import { systemClock } from '../../lib/clock.ts';
import { FaultsError } from '../../lib/fault.ts';
import { isLoopback } from '../../lib/ip_address.ts';
import { randomKey } from '../../lib/random.ts';
import { compileProgramme } from '../../programme/compile.ts';
import type { Definition } from '../../programme/language/definition.ts';
import {
  type LoadedProgramme,
  loadProgramme,
  type LoadResult,
  withLogos,
} from '../../programme/language/load.ts';
import { createMemoryStore } from '../../store/memory/store.ts';
import { createKeyring, masterKeyBytes } from '../../token/keyring.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { bind } from '../server/bind.ts';
import { keepHouse } from '../server/housekeeping.ts';
import { openLog } from '../server/log_writer.ts';
import { buildServing } from '../server/serving.ts';
import { sharedTime } from '../server/store_clock.ts';
import { refuseSignals, untilTold } from '../server/until_told.ts';
import { printCommands } from './commands.ts';
import { onboardDemo } from './onboarding.ts';
import { startSheet } from './sheet.ts';

export interface DevOptions {
  /** A configuration whose programmes to show instead of the shipped ones. */
  readonly config?: string;
  readonly listen: string;
  /** A programme whose commands to print, of the `dev` that runs there. */
  readonly commands?: string;
}

/** `jetway dev`. Resolves once it has been told to stop. */
export async function dev(options: DevOptions): Promise<void> {
  const address = loopbackAddress(options.listen);
  if (options.commands !== undefined) return printCommands(address, options.commands);
  const loaded = readProgrammes(options.config);
  const log = openLog();
  refuseSignals(log, ['SIGUSR1']);
  const foundation = {
    store: createMemoryStore(),
    clock: systemClock(),
    keyring: createKeyring(Buffer.from(randomKey(masterKeyBytes), 'base64url')),
    log,
    environment: 'staging' as const,
  };
  const server = await bind(address, '--listen');
  const demos = await onboardAll(loaded, server.url, foundation);
  const serving = await buildServing(
    demos.map(({ programme }) => programme),
    foundation,
    { filled: new Map(demos.map(({ programme, member }) => [programme.id, member])) },
  );
  mountDemo(serving.app, demos);
  server.swap(serving.app);
  console.log(startSheet(server.url, demos));
  const services = [...serving.services.values()];
  const { keep } = sharedTime(foundation, foundation.log);
  const stopKeeping = keepHouse({ ...foundation, services, keepTime: keep });
  // Its terminal has closed (SIGHUP): nobody would think of ending it any more.
  await untilTold(['SIGTERM', 'SIGINT', 'SIGHUP']);
  stopKeeping();
  await server.close();
  log.end();
}

/** Demo secrets are printed on a terminal: nobody but this machine may reach them. */
function loopbackAddress(text: string): Address {
  const address = readAddress(text);
  if (address === undefined || !isLoopback(address.host)) {
    throw new CommandError(
      exitCodes.usage,
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
    throw new CommandError(
      exitCodes.configuration,
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
    loaded.map(({ id, definition: written, logos }) => {
      // The demo member is in the memory store: an airline's own directory does not know it.
      const definition: Definition = { ...written, members: { directory: 'store' } };
      return onboardDemo(
        definition,
        compileProgramme(id, definition, base, logos),
        base,
        foundation,
      );
    }),
  );
}
