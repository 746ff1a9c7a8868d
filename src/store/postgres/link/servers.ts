// Owns what a location says of how its servers are entered.

import { readFileSync } from 'node:fs';

import { present } from '../../../lib/present.ts';
import { StoreUnusable } from '../../unusable.ts';
import type { PostgresLocation } from '../location.ts';
import type { Servers } from './primary.ts';

/**
 * The servers of a location; `password` is asked at each connect.
 * @throws StoreUnusable where the certificates of their authority cannot be read
 */
export function serversOf(location: PostgresLocation, password?: () => string): Servers {
  const { hosts, user, database, schema, sslmode, sslrootcert, statements } = location;
  const ca = sslrootcert === undefined ? undefined : readAuthority(sslrootcert);
  return present({
    hosts,
    user,
    database,
    schema,
    password,
    ssl: sslmode === 'disable' ? undefined : present({ rejectUnauthorized: true, ca }),
    areStatementsNamed: statements === 'named',
  });
}

function readAuthority(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StoreUnusable(
      `sslrootcert cannot be read: ${(error as Error).message}`,
      'name the file with the certificates of the authority that vouches for the servers',
      { cause: error },
    );
  }
}
