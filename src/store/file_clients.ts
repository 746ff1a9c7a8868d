// Owns clients in the file store, each kept whole as JSON, and the identifiers of removed ones.

import type { DatabaseSync } from 'node:sqlite';

import type { Client, ClientId, ProgrammeId } from '../oauth/client.ts';
import type { CommitQueue } from './commit_queue.ts';
import type { Store } from './contract.ts';
import type { SecretUses } from './file_notes.ts';
import type { Revoker } from './file_revocations.ts';
import { expectSum, rowSum } from './file_sums.ts';
import { digestsOf, forever, sameClient } from './judgement.ts';

type ClientVerbs = Pick<
  Store,
  | 'addClient'
  | 'findClient'
  | 'listClients'
  | 'changeClient'
  | 'removeClient'
  | 'recordSecretUse'
  | 'secretUses'
>;

/** The clients' verbs. */
export function fileClients(
  database: DatabaseSync,
  queue: CommitQueue,
  revoke: Revoker,
  uses: SecretUses,
): ClientVerbs {
  const { find, list, change, add, remove } = clientRows(database);
  return {
    addClient: (client) => queue.write(() => (add(client) ? 'added' : 'taken')),
    findClient: (programme, id) => queue.read(() => find(programme, id)),
    listClients: (programme) => queue.read(() => list(programme)),
    changeClient: (programme, id, alter) =>
      queue.writeFromReserve(() => {
        const before = find(programme, id);
        if (before === undefined) return undefined;
        const after = change(sameClient(before, alter(before)));
        uses.keepOnly(programme, id, digestsOf(after));
        return after;
      }),
    removeClient: (programme, id, now) =>
      queue.writeFromReserve(() => {
        if (!remove(programme, id, now)) return false;
        revoke(programme, { client: id }, forever);
        uses.keepOnly(programme, id, []);
        return true;
      }),
    recordSecretUse: (...use) => uses.record(...use),
    secretUses: (programme, id) => queue.read(() => uses.of(programme, id)),
  };
}

interface Row {
  readonly programme: string;
  readonly id: string;
  readonly record: string;
  readonly sum: number;
}

interface ClientRows {
  readonly find: (programme: ProgrammeId, id: ClientId) => Client | undefined;
  readonly list: (programme: ProgrammeId) => readonly Client[];
  /** False when the identifier was given out before, to whomever (C-5). */
  readonly add: (client: Client) => boolean;
  readonly change: (after: Client) => Client;
  /** False when there is none. */
  readonly remove: (programme: ProgrammeId, id: ClientId, now: number) => boolean;
}

function clientRows(database: DatabaseSync): ClientRows {
  const columns = 'programme, id, record, sum';
  const select = database.prepare(`SELECT ${columns} FROM client WHERE programme = ? AND id = ?`);
  const all = database.prepare(
    `SELECT ${columns} FROM client WHERE programme = ? ORDER BY position`,
  );
  const insert = database.prepare(
    `INSERT INTO client (${columns}) SELECT $programme, $id, $record, $sum
     WHERE NOT EXISTS (SELECT 1 FROM removed_client WHERE programme = $programme AND id = $id)
     ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    'UPDATE client SET record = ?, sum = ? WHERE programme = ? AND id = ?',
  );
  const drop = database.prepare('DELETE FROM client WHERE programme = ? AND id = ?');
  const bury = database.prepare(
    'INSERT INTO removed_client (programme, id, removed_at, sum) VALUES (?, ?, ?, ?)',
  );
  return {
    find: (programme, id) => {
      const row = select.get(programme, id) as Row | undefined;
      return row && clientOf(row);
    },
    list: (programme) => (all.all(programme) as unknown as Row[]).map(clientOf),
    add: (client) => {
      const { programme, id } = client;
      const record = JSON.stringify(client);
      return (
        insert.run({ programme, id, record, sum: rowSum([programme, id, record]) }).changes === 1
      );
    },
    change: (after) => {
      const { programme, id } = after;
      const record = JSON.stringify(after);
      update.run(record, rowSum([programme, id, record]), programme, id);
      return JSON.parse(record) as Client;
    },
    remove: (programme, id, now) => {
      if (drop.run(programme, id).changes === 0) return false;
      bury.run(programme, id, now, rowSum([programme, id, now]));
      return true;
    },
  };
}

function clientOf({ programme, id, record, sum }: Row): Client {
  expectSum('client', sum, [programme, id, record]);
  return JSON.parse(record) as Client;
}
