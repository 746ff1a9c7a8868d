// Owns the verb `serve`: runs the server of a configuration until a signal ends it.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { readConfig } from '../config/config.ts';
import { expectTls } from '../config/tls.ts';
import { workerNumber } from '../lib/machine.ts';
import type { Opened, Start } from './answering.ts';
import { openAnswering } from './answering_process.ts';
import { misconfigured } from './exit.ts';
import { handedSockets } from './lifecycle/handed_sockets.ts';
import { run } from './lifecycle/running.ts';
import { ignoreSignals } from './lifecycle/signals.ts';
import { openLog, type ServerLog } from './log_writer.ts';
import { ProgrammeFolder } from './programme_folder.ts';
import { ServerFiles } from './reload/reading.ts';

export interface ServeOptions {
  readonly config: string;
  readonly acceptClock?: boolean;
}

/** Resolves once a signal has ended the server and its requests are answered. */
export async function serve(options: ServeOptions): Promise<void> {
  const log = openLog();
  try {
    const worker = workerNumber();
    if (worker === undefined) await serveLogging(options, log);
    else await (await import('./workers/worker.ts')).work(worker, log);
  } finally {
    log.end();
  }
}

async function serveLogging(options: ServeOptions, log: ServerLog): Promise<void> {
  ignoreSignals(log, ['SIGHUP', 'SIGUSR1']);
  const handed = handedSockets(process.env);
  const config = readConfig(options.config);
  const refusal = log.follow(config.log);
  if (refusal !== undefined) throw misconfigured(refusal);
  process.on('SIGWINCH', log.reopen);
  const tls = expectTls(config);
  const folder = new ProgrammeFolder(config.programmes);
  const looks = await folder.read();
  const files = new ServerFiles(options.config, folder, config);
  const configDigest = hash('sha256', readFileSync(options.config));
  const { acceptClock = false } = options;
  const start = { config, tls, looks, configDigest, acceptClock, handed };
  await run({ config, files, handed, log, ...(await open(start, log)) });
}

async function open(start: Start, log: ServerLog): Promise<Opened> {
  const { workers } = start.config;
  if (workers === 1) return openAnswering(start, log);
  const { openWorkers } = await import('./workers/pool.ts');
  return openWorkers(start, workers, log);
}
