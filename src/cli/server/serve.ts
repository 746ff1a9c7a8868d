// Owns the verb `serve`: runs the server of a configuration until a signal ends it.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { expectTls } from '../../config/tls.ts';
import { formatFault } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import type { Unavailable } from '../../oauth/failure.ts';
import { storeAt } from '../../store/open.ts';
import { auditedStore } from '../audit/audited_store.ts';
import { openServerAudit, type ServerAudit } from '../audit/server_audit.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { openStore } from '../open_store.ts';
import { say } from '../output.ts';
import { configOf } from '../programmes.ts';
import { handedSockets } from './lifecycle/handed_sockets.ts';
import { leaseNode, type ServerNode } from './lifecycle/node.ts';
import { run } from './lifecycle/running.ts';
import { ignoreSignals } from './lifecycle/signals.ts';
import { openLog, type ServerLog } from './log_writer.ts';
import { ProgrammeFolder } from './programme_folder.ts';
import { Serving } from './serving.ts';
import { candidatesOf, type Plan, planServing } from './serving_plan.ts';
import { settingsOf } from './settings.ts';
import { clockBeside, sharedTime } from './store_clock.ts';

export interface ServeOptions {
  readonly config: string;
  readonly acceptClock?: boolean;
}

/** Resolves once a signal has ended the server and its requests are answered. */
export async function serve(options: ServeOptions): Promise<void> {
  const log = openLog();
  ignoreSignals(log, ['SIGHUP', 'SIGUSR1']);
  try {
    await serveLogging(options, log);
  } finally {
    log.end();
  }
}

async function serveLogging(options: ServeOptions, log: ServerLog): Promise<void> {
  const handed = handedSockets(process.env);
  const config = configOf(options);
  const refusal = log.follow(config.log);
  if (refusal !== undefined) throw new CommandError(exitCodes.configuration, refusal);
  process.on('SIGWINCH', log.reopen);
  const tls = expectTls(config);
  const folder = new ProgrammeFolder(config.programmes);
  const looks = await folder.read();
  const fatal = Promise.withResolvers<Unavailable>();
  let failure: Unavailable | undefined;
  const onFatal = (reason: Unavailable): void => {
    failure = reason;
    fatal.resolve(reason);
  };
  const opened = await openStore(config, { onFatal });
  const { store, keyring } = opened;
  let audit: ServerAudit | undefined;
  let node: ServerNode | undefined;
  let why = '';
  try {
    const { name } = storeAt(config.store);
    const clock = await clockBeside(opened, name, options.acceptClock ?? false, log);
    const time = sharedTime({ store, clock }, log);
    // Before tokens are issued: commands use the recorded time.
    await time.keep();
    node = await leaseNode({ store, clock, log, config });
    const files = {
      configuration: fileDigest(options.config),
      programmes: Object.fromEntries(looks.map((look) => [look.id, look.fileDigest])),
    };
    audit = openServerAudit(config, keyring, log, files);
    const changer = audit?.changer;
    const keyRecords = changer && auditedStore(store, () => changer);
    const foundation = present({
      store,
      audit: audit?.stream,
      keyRecords,
      clock,
      keyring,
      node: node.current,
      signsElsewhere: node.signsElsewhere,
      log,
      environment: config.environment,
    });
    const serving = new Serving(foundation, settingsOf(config));
    const candidates = await candidatesOf(looks, serving.served, config.publicUrl);
    const plan = await planServing(candidates, serving.served, store, { looks });
    await audit?.started();
    // Before keys are opened: no other server may give up keys that this one signs by.
    node.tell(() => plan.mounted);
    await node.renew();
    await serving.take(plan);
    node.tell(() => serving.served);
    announceFaults(plan);
    if (serving.served.size === 0) {
      throw new CommandError(exitCodes.configuration, `no programme in ${config.programmes} loads`);
    }
    const { config: configPath } = options;
    const parts = { configPath, config, folder, plan, serving, log, node, time, tls, handed };
    const audited = present({ audit, keyRecords });
    await run({ ...opened, ...parts, ...audited, clock, fatal: fatal.promise });
    why = failure?.message ?? 'told to';
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    node?.end();
    try {
      await store.close();
    } finally {
      await audit?.end(why);
    }
  }
  // After closing the store, which may fail as well.
  if (failure !== undefined) throw storeFailed(failure);
}

/** SHA-256 in hex, as `sha256sum` prints it. */
function fileDigest(path: string): string {
  return hash('sha256', readFileSync(path));
}

/** FAULTS 5: only a new start can find out what is on the disk. */
function storeFailed({ message }: Unavailable): CommandError {
  return new CommandError(
    exitCodes.store,
    `the server has ended, its store can no longer be used (${message}): look at the disk and the file (jetway store verify), then start again`,
  );
}

/** Only errors: `check` shows warnings, and operators have accepted the ones that remain. */
function announceFaults({ outcomes }: Plan): void {
  for (const { faults } of outcomes) {
    for (const fault of faults) if (fault.severity === 'error') say(formatFault(fault));
  }
  for (const { programme, message } of outcomes) {
    if (message !== undefined) say(`${programme} is not served: ${message}`);
  }
}
