// Owns the file store: the whole contract on one SQLite file that several processes may share.

import { resolve } from 'node:path';

import { instant, type Instant } from '../lib/clock.ts';
import { CommitQueue } from './commit_queue.ts';
import type { Environment, Store } from './contract.ts';
import { fileClients } from './file_clients.ts';
import { fileCodes } from './file_codes.ts';
import { grantWriter } from './file_issue.ts';
import { fileMembers } from './file_members.ts';
import { fileSecretUses } from './file_notes.ts';
import { openDatabase } from './file_open.ts';
import { fileRevocations } from './file_revocations.ts';
import { fileSigningKeys } from './file_signing_keys.ts';
import { fileSweep } from './file_sweep.ts';
import { fileTime } from './file_time.ts';
import { fileAccessTokens, fileRefreshTokens } from './file_tokens.ts';
import { ThrottleCounter } from './throttle_counter.ts';

export interface FileStoreOptions {
  /** Of the SQLite file; made, with its directory, if it is missing. */
  readonly path: string;
  /** The file belongs to one environment and opens in no other (C-3). */
  readonly environment: Environment;
  /** Recorded as the time of making when the file is made; the wall clock if left out. */
  readonly now?: Instant;
}

export interface FileStore extends Store {
  /** Absolute. */
  readonly path: string;
  /** How many transactions this store has committed. */
  readonly commits: () => number;
}

/**
 * Opens the store file, or makes it. Nothing is cached between requests: what another process
 * commits counts from then on.
 * @throws StoreUnusable for another environment, a newer schema, a damaged or foreign file.
 */
export function openFileStore(options: FileStoreOptions): FileStore {
  const path = resolve(options.path);
  const database = openDatabase(path, options.environment, options.now ?? instant(Date.now()));
  const uses = fileSecretUses(database);
  const queue = new CommitQueue(database, [uses]);
  const revocations = fileRevocations(database);
  const writer = grantWriter(database);
  const sweep = fileSweep(database);
  const throttles = new ThrottleCounter();
  return {
    path,
    commits: () => queue.commits,
    ...fileClients(database, queue, revocations, uses),
    ...fileMembers(database, queue, revocations),
    ...fileCodes(database, queue, writer, revocations),
    ...fileRefreshTokens(database, queue, writer, revocations),
    ...fileAccessTokens(database, queue, writer, revocations),
    ...fileSigningKeys(database, queue),
    revokeAll: (programme, whose, now) =>
      queue.write(() => revocations.revoke(programme, whose, now)),
    ...fileTime(database, queue),
    async countTokenRequest(programme, client, throttle, now) {
      return throttles.count(programme, client, throttle, now);
    },
    sweep: (now, limit) => queue.write(() => sweep(now, limit)),
    async close() {
      queue.close();
      if (database.isOpen) database.close();
    },
  };
}
