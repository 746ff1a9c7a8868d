// Owns the index by which the file store finds clients by an API key; the keys are in the clients' records.

import type { DatabaseSync } from 'node:sqlite';

import type { Digest } from '../../lib/digest.ts';
import type { Client, ClientId, ProgrammeId } from '../../oauth/client.ts';
import { rowSum } from './sums.ts';

/** SQL for the identifiers of those who hold an API key; its parameters are programme and digest. */
export const apiKeyHolders = 'SELECT client FROM api_key WHERE programme = ?1 AND digest = ?2';

/** Changes the index with a client, inside its write. */
export interface ApiKeyIndex {
  readonly put: (client: Client) => void;
  readonly drop: (client: Client) => void;
  /** As `drop`, for a client whose record cannot be read any more. */
  readonly dropAll: (programme: string, id: string) => void;
  /** Every client that holds an API key, of whatever programme. */
  readonly holding: (digest: Digest) => readonly ClientName[];
}

interface ClientName {
  readonly programme: ProgrammeId;
  readonly id: ClientId;
}

export function apiKeyIndex(database: DatabaseSync): ApiKeyIndex {
  const insert = database.prepare(
    `INSERT INTO api_key (programme, digest, client, sum) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const remove = database.prepare(
    'DELETE FROM api_key WHERE programme = ? AND digest = ? AND client = ?',
  );
  // These look at every key, there being no index by client or by key alone; commands ask them.
  const removeAll = database.prepare('DELETE FROM api_key WHERE programme = ? AND client = ?');
  const everywhere = database.prepare(
    'SELECT programme, client AS id FROM api_key WHERE digest = ? ORDER BY programme, client',
  );
  return {
    holding: (digest) => everywhere.all(digest) as unknown as ClientName[],
    put: ({ programme, id, apiKeys }) => {
      for (const { digest } of apiKeys) {
        const values = [programme, digest, id];
        insert.run(...values, rowSum(values));
      }
    },
    drop: ({ programme, id, apiKeys }) => {
      for (const { digest } of apiKeys) remove.run(programme, digest, id);
    },
    dropAll: (programme, id) => void removeAll.run(programme, id),
  };
}
