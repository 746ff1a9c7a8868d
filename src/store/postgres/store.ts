// Owns the PostgreSQL store: the whole contract on one schema of a database that any number of nodes share.

import { readFileSync } from 'node:fs';

import { instant } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Unavailable } from '../../oauth/failure.ts';
import type { Environment, Store } from '../contract.ts';
import { attemptVerbs } from '../login_attempts.ts';
import { countInProcess } from '../windows.ts';
import { changer } from './changes.ts';
import { codeVerbs } from './codes.ts';
import { epochs as epochsOf } from './epoch.ts';
import { keepingVerbs } from './keeping.ts';
import { forCare, forRequests, Link } from './link/link.ts';
import { Primary, type Servers } from './link/primary.ts';
import type { PostgresLocation } from './location.ts';
import { attemptRows } from './login_attempts.ts';
import { loginVerbs } from './logins.ts';
import { registryVerbs } from './registry.ts';
import { accessTokens, revoker } from './revocations.ts';
import { expectSchema } from './schema.ts';
import { secretUses } from './secret_uses.ts';
import { sweepVerb } from './sweep.ts';

export interface PostgresStoreOptions {
  readonly location: PostgresLocation;
  /** A schema belongs to one environment and opens in no other (C-3). */
  readonly environment: Environment;
  /** Read at each connect. */
  readonly password?: () => string;
  /** Told, once, why the store can no longer be used. */
  readonly onFatal?: (reason: Unavailable) => void;
}

/** Connections of a process for requests: of 4, two are mostly busy with writes. */
const usualConnections = 4;

/**
 * Opens the store, and makes its tables where there are none.
 * @throws StoreUnusable for another environment or a newer schema; Unavailable
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { location, environment } = options;
  const servers = serversOf(options);
  const primary = new Primary(servers);
  const connections = location.connections ?? usualConnections;
  const link = new Link({ ...forRequests, connections }, primary);
  const care = new Link(forCare, primary);
  const close = (): void => {
    link.close();
    care.close();
  };
  try {
    await expectSchema(care, { environment, schema: location.schema, now: instant(Date.now()) });
    const epochs = epochsOf(link);
    const logins = loginVerbs(link, epochs);
    const uses = secretUses(care);
    const keeping = keepingVerbs({ link, care, change: changer(care, uses.written) });
    const sweep = sweepVerb(care, (await keeping.time()).recorded);
    return {
      ...registryVerbs({ link, care, epochs, written: uses.written }),
      ...codeVerbs(link, epochs, logins.revokeLogin),
      ...logins,
      ...accessTokens(link, epochs),
      revokeAll: revoker(link, epochs),
      ...attemptVerbs(attemptRows(link, care)),
      count: countInProcess(),
      ...keeping,
      recordSecretUse: uses.recordSecretUse,
      secretUses: uses.secretUses,
      sweep: async (...call) => {
        await uses.flush();
        return sweep(...call);
      },
      health: () => {
        const { trouble } = link;
        return trouble === undefined
          ? { status: 'ready' }
          : { status: 'unusable', detail: trouble.message };
      },
      close: async () => {
        await uses.flush();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

function serversOf({ location, password }: PostgresStoreOptions): Servers {
  const { hosts, user, database, schema, sslmode, sslrootcert, statements } = location;
  const ca = sslrootcert === undefined ? undefined : readFileSync(sslrootcert, 'utf8');
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
