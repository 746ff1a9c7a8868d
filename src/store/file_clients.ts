// Owns clients in the file store, each kept whole as JSON, and the identifiers of removed ones.

import type { DatabaseSync } from 'node:sqlite';

import type { Digest } from '../lib/digest.ts';
import { frozen } from '../lib/frozen.ts';
import type { Client, ClientId, ProgrammeId } from '../oauth/client.ts';
import type { CommitQueue } from './commit_queue.ts';
import type { Store } from './contract.ts';
import { apiKeyHolder, apiKeyIndex } from './file_api_keys.ts';
import type { SecretUses } from './file_notes.ts';
import type { Revoker } from './file_revocations.ts';
import { damaged, expectSum, rowSum } from './file_sums.ts';
import { type Freshness, Remembered } from './freshness.ts';
import { digestsOf, forever, sameClient, takenAmong } from './judgement.ts';

type ClientVerbs = Pick<
  Store,
  | 'addClient'
  | 'addClients'
  | 'findClient'
  | 'findClientByApiKey'
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
  fresh: Freshness,
): ClientVerbs {
  const { find, holding, list, change, isTaken, add, remove } = clientRows(database);
  const known = new Remembered<Client>(fresh, mostKnown);
  const holders = new Remembered<Client>(fresh, mostKnown);
  return {
    addClient: (client) => queue.write(() => (add(client) ? 'added' : 'taken')),
    addClients: (clients) =>
      queue.write(() => {
        const taken = takenAmong(clients, isTaken);
        if (taken.length === 0) for (const client of clients) add(client);
        return taken;
      }),
    findClientByApiKey: (programme, apiKey) =>
      queue.read(() => holders.get(programme, apiKey, () => frozen(holding(programme, apiKey)))),
    findClient: (programme, id) =>
      queue.read(() => known.get(programme, id, () => frozen(find(programme, id)))),
    listClients: (programme) => queue.read(() => list(programme)),
    changeClient: (programme, id, alter) =>
      queue.writeFromReserve(() => {
        const before = find(programme, id);
        if (before === undefined) return undefined;
        const after = change(before, sameClient(before, alter(before)));
        fresh.forget();
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

/** More registrations than this in use at once are read again. */
const mostKnown = 10_000;

interface Row {
  readonly programme: string;
  readonly id: string;
  readonly record: string;
  readonly sum: number;
}

interface ClientRows {
  readonly find: (programme: ProgrammeId, id: ClientId) => Client | undefined;
  /** The one that holds the API key. */
  readonly holding: (programme: ProgrammeId, apiKey: Digest) => Client | undefined;
  readonly list: (programme: ProgrammeId) => readonly Client[];
  readonly isTaken: (client: Client) => boolean;
  /** False when the identifier was given out before, to whomever (C-5). */
  readonly add: (client: Client) => boolean;
  readonly change: (before: Client, after: Client) => Client;
  /** False when there is none. */
  readonly remove: (programme: ProgrammeId, id: ClientId, now: number) => boolean;
}

function clientRows(database: DatabaseSync): ClientRows {
  const columns = 'programme, id, record, sum';
  const select = database.prepare(`SELECT ${columns} FROM client WHERE programme = ? AND id = ?`);
  const selectHolder = database.prepare(
    `SELECT ${columns} FROM client WHERE (programme, id) = (${apiKeyHolder})`,
  );
  const index = apiKeyIndex(database);
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
  const buried = database.prepare('SELECT 1 FROM removed_client WHERE programme = ? AND id = ?');
  const bury = database.prepare(
    'INSERT INTO removed_client (programme, id, removed_at, sum) VALUES (?, ?, ?, ?)',
  );
  return {
    find: (programme, id) => {
      const row = select.get(programme, id) as Row | undefined;
      return row && clientOf(row);
    },
    holding: (programme, apiKey) => {
      const row = selectHolder.get(programme, apiKey) as Row | undefined;
      const client = row && clientOf(row);
      if (client?.apiKeys.every(({ digest }) => digest !== apiKey)) throw damaged('api_key');
      return client;
    },
    isTaken: ({ programme, id }) =>
      (select.get(programme, id) ?? buried.get(programme, id)) !== undefined,
    list: (programme) => (all.all(programme) as unknown as Row[]).map(clientOf),
    add: (client) => {
      const { programme, id } = client;
      const record = JSON.stringify(client);
      const sum = rowSum([programme, id, record]);
      if (insert.run({ programme, id, record, sum }).changes === 0) return false;
      index.put(client);
      return true;
    },
    change: (before, after) => {
      const { programme, id } = after;
      const record = JSON.stringify(after);
      update.run(record, rowSum([programme, id, record]), programme, id);
      index.drop(before);
      index.put(after);
      return JSON.parse(record) as Client;
    },
    remove: (programme, id, now) => {
      if (drop.run(programme, id).changes === 0) return false;
      index.dropAll(programme, id);
      bury.run(programme, id, now, rowSum([programme, id, now]));
      return true;
    },
  };
}

function clientOf({ programme, id, record, sum }: Row): Client {
  expectSum('client', sum, [programme, id, record]);
  return JSON.parse(record) as Client;
}
