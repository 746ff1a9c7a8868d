// Owns the index by which the file store finds a client by its API key; the keys are in the client's record.

import type { DatabaseSync } from 'node:sqlite';

import type { Client } from '../oauth/client.ts';
import { rowSum } from './file_sums.ts';

/** SQL for the programme and identifier of whoever holds an API key; it takes programme and digest. */
export const apiKeyHolder = `SELECT programme, client FROM api_key
  WHERE programme = ? AND digest = ? ORDER BY client LIMIT 1`;

/** Changes the index with a client, inside its write. */
export interface ApiKeyIndex {
  readonly put: (client: Client) => void;
  readonly drop: (client: Client) => void;
  /** As `drop`, for a client whose record cannot be read any more. */
  readonly dropAll: (programme: string, id: string) => void;
}

export function apiKeyIndex(database: DatabaseSync): ApiKeyIndex {
  const insert = database.prepare(
    `INSERT INTO api_key (programme, digest, client, sum) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const remove = database.prepare(
    'DELETE FROM api_key WHERE programme = ? AND digest = ? AND client = ?',
  );
  // Looks at every key, there being no index by client; it is for removals alone.
  const removeAll = database.prepare('DELETE FROM api_key WHERE programme = ? AND client = ?');
  return {
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
