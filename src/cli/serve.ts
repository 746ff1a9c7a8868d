// Owns the verb `serve`: runs the server of a configuration until it is told to stop.

import type { Config } from '../config/config.ts';
import { createAdminApp, type Health } from '../http/admin.ts';
import type { RunningServer } from '../http/server.ts';
import { formatFault } from '../lib/fault.ts';
import { bind } from './bind.ts';
import { CommandError, exitCodes } from './exit.ts';
import { keepHouse } from './housekeeping.ts';
import { buildServing, jsonLog, type Serving } from './serving.ts';
import { untilTold } from './until_told.ts';
import { compileFolder, configOf, type OpenStore, openStore } from './workplace.ts';

/** `jetway serve`. Resolves once the server has been told to stop and has finished. */
export async function serve(options: { readonly config: string }): Promise<void> {
  const config = configOf(options);
  const { programmes, files, credentials } = compileFolder(config.programmes, config.publicUrl);
  const open = openStore(config);
  try {
    const serving = await buildServing(
      programmes,
      { ...open, log: jsonLog, environment: config.environment },
      {
        trustedProxies: config.trustedProxies,
        credentials,
        listener: config.gateway === undefined ? 'all' : 'main',
      },
    );
    const complaints = [
      // Warnings are for `check`: an operator who accepted them need not read them at each start.
      ...files.flatMap(({ faults }) =>
        faults.filter(({ severity }) => severity === 'error').map(formatFault),
      ),
      ...serving.conflicts.map(
        ({ programme, message }) => `${programme.id} is not served: ${message}`,
      ),
    ];
    for (const complaint of complaints) console.error(complaint);
    if (serving.services.size === 0) {
      throw new CommandError(exitCodes.configuration, `no programme in ${config.programmes} loads`);
    }
    await run(config, serving, files.length - serving.services.size, open);
  } finally {
    await open.store.close();
  }
}

async function run(
  config: Config,
  serving: Serving,
  broken: number,
  { store, clock }: OpenStore,
): Promise<void> {
  let stopping = false;
  const health = (): Health => {
    if (stopping) return { status: 'unready', reasons: ['stopping'] };
    if (broken === 0) return { status: 'ready', reasons: [] };
    return { status: 'degraded', reasons: [`${broken} programmes are not served`] };
  };
  const server = await bind(config.listen, 'listen', serving.app);
  let gateway: RunningServer | undefined;
  let admin: RunningServer | undefined;
  let stopKeeping: (() => void) | undefined;
  try {
    if (config.gateway !== undefined) {
      gateway = await bind(config.gateway, 'gateway', serving.gatewayApp);
    }
    if (config.admin !== undefined) {
      admin = await bind(config.admin, 'admin', createAdminApp(health));
    }
    if (gateway !== undefined) console.log(`gateway: ${gateway.url}`);
    if (admin !== undefined) console.log(`admin: ${admin.url}`);
    announce(config, server, [...serving.services.keys()], broken);
    stopKeeping = keepHouse({
      store,
      clock,
      services: [...serving.services.values()],
      log: jsonLog,
    });
    process.on('SIGUSR2', clock.accept);
    await untilTold();
  } finally {
    stopping = true;
    stopKeeping?.();
    await Promise.all([server.close(), gateway?.close()]);
    // Last: until requests under way are done, readiness tells that no more should come.
    await admin?.close();
  }
}

function announce(
  config: Config,
  server: RunningServer,
  names: readonly string[],
  broken: number,
): void {
  console.log(
    `jetway serves ${names.join(', ')} (${config.environment}) at ${server.url} as ${config.publicUrl}`,
  );
  if (broken > 0) {
    console.log(`degraded: ${broken} of ${broken + names.length} programmes are not served`);
  }
}
