// Owns clients in the file store, each kept whole as JSON, and the identifiers of removed ones.

import type { DatabaseSync } from 'node:sqlite';

import type { Digest } from '../../lib/digest.ts';
import { frozen } from '../../lib/frozen.ts';
import type { Client, ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Store } from '../contract.ts';
import { digestsOf, forever, sameClient, takenAmong } from '../judgement.ts';
import { apiKeyHolders, apiKeyIndex } from './api_keys.ts';
import type { CommitQueue } from './commits/commit_queue.ts';
import { type Freshness, Remembered } from './commits/freshness.ts';
import type { SecretUses } from './notes.ts';
import type { Revoker } from './revocations.ts';
import { damaged, expectSum, rowSum } from './sums.ts';

type ClientVerbs = Pick<
  Store,
  | 'addClient'
  | 'addClients'
  | 'findClient'
  | 'findClientsByApiKey'
  | 'listClients'
  | 'changeClient'
  | 'changeKeyHolders'
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
  const { find, holding, holdingAny, list, change, isTaken, add, remove } = clientRows(database);
  const known = new Remembered<Client>(fresh, mostKnown);
  const holders = new Remembered<readonly Client[]>(fresh, mostKnown);
  const held = (programme: ProgrammeId, apiKey: Digest): readonly Client[] | undefined => {
    const found = holding(programme, apiKey);
    // Nothing is remembered of keys that nobody holds: strangers can think of any number of them.
    return found.length === 0 ? undefined : frozen(found);
  };
  const alter = (before: Client, changed: Client): Client => {
    const after = change(before, sameClient(before, changed));
    fresh.forget();
    uses.keepOnly(before.programme, before.id, digestsOf(after));
    return after;
  };
  return {
    addClient: (client) =>
      queue.write(() => {
        fresh.forget();
        return add(client) ? 'added' : 'taken';
      }),
    addClients: (clients) =>
      queue.write(() => {
        fresh.forget();
        const taken = takenAmong(clients, isTaken);
        if (taken.length === 0) for (const client of clients) add(client);
        return taken;
      }),
    findClientsByApiKey: (programme, apiKey) =>
      queue.read(() => holders.get(programme, apiKey, () => held(programme, apiKey)) ?? nobody),
    findClient: (programme, id) =>
      queue.read(() => known.get(programme, id, () => frozen(find(programme, id)))),
    listClients: (programme) => queue.read(() => list(programme)),
    changeClient: (programme, id, changed) =>
      queue.writeFromReserve(() => {
        const before = find(programme, id);
        return before && alter(before, changed(before));
      }),
    changeKeyHolders: (apiKeys, changed) =>
      queue.writeFromReserve(() =>
        holdingAny(apiKeys).map((before) => alter(before, changed(before))),
      ),
    removeClient: (programme, id, now) =>
      queue.writeFromReserve(() => {
        if (!remove(programme, id, now)) return false;
        fresh.forget();
        revoke(programme, { client: id }, forever);
        uses.keepOnly(programme, id, []);
        return true;
      }),
    recordSecretUse: (...use) => uses.record(...use),
    secretUses: (programme, id) => queue.read(() => uses.of(programme, id)),
  };
}

const nobody: readonly Client[] = Object.freeze([]);

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
  /** Those that hold the API key, by identifier. */
  readonly holding: (programme: ProgrammeId, apiKey: Digest) => readonly Client[];
  /** Those of any programme that hold one of the API keys. */
  readonly holdingAny: (apiKeys: readonly Digest[]) => readonly Client[];
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
  const selectHolders = database.prepare(
    `SELECT ${columns} FROM client WHERE programme = ?1 AND id IN (${apiKeyHolders}) ORDER BY id`,
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
  const find = (programme: string, id: string): Client | undefined => {
    const row = select.get(programme, id) as Row | undefined;
    return row && clientOf(row);
  };
  return {
    find,
    holding: (programme, apiKey) => {
      const clients = (selectHolders.all(programme, apiKey) as unknown as Row[]).map(clientOf);
      for (const { apiKeys } of clients) {
        if (apiKeys.every(({ digest }) => digest !== apiKey)) throw damaged('api_key');
      }
      return clients;
    },
    holdingAny: (apiKeys) => {
      const names = apiKeys.flatMap(index.holding);
      const unique = new Map(names.map((name) => [`${name.programme}\0${name.id}`, name]));
      return [...unique.values()].flatMap(({ programme, id }) => find(programme, id) ?? []);
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
