// Owns backing up what is registered in a PostgreSQL store into a store file, while servers use the store.

import { DatabaseSync } from 'node:sqlite';

import type { BackupOptions, StoreReport } from '../../care.ts';
import { carryRows } from '../../carry/carry.ts';
import { registrations } from '../../carry/tables.ts';
import { placeBackup } from '../../sqlite/care/backup.ts';
import { newFileRows } from '../../sqlite/care/carried.ts';
import { postgresFacts, postgresRows } from './carried.ts';
import { type StoreAccess, withSession } from './session.ts';
import { openStanding } from './standing.ts';

/**
 * Writes clients, members, gateways, keys, revocations and tombstones to a store file as of one moment.
 * Codes, logins and locks are not in it: a restore would void them anyway.
 * @throws StoreUnusable where there is no sound store, or a file at `target`; Unavailable
 */
export async function backupPostgres(
  access: StoreAccess,
  target: string,
  options: BackupOptions = {},
): Promise<StoreReport> {
  return withSession(access, async (session) => {
    await openStanding(session);
    return placeBackup(session.name, target, options, (draft) =>
      session.transaction(async () => {
        const database = new DatabaseSync(draft);
        try {
          database.exec('BEGIN');
          const file = newFileRows(database, draft, await postgresFacts(session));
          await carryRows(postgresRows(session), file, registrations);
          database.exec('COMMIT');
        } finally {
          database.close();
        }
      }),
    );
  });
}
