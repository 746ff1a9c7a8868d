// Owns growing a store by logins, each with its code, and telling where the bytes are.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { readConfig } from '../../src/config/config.ts';
import { after, type Instant, milliseconds } from '../../src/lib/clock.ts';
import { randomBinary } from '../../src/lib/random.ts';
import type { AuthorizationCode } from '../../src/oauth/grant.ts';
import { newPlace } from '../../src/oauth/place.ts';
import { openStore } from '../../src/server/open_store.ts';
import type { Store } from '../../src/store/contract.ts';
import type { NewLogin } from '../../src/store/grants.ts';
import { tableOf } from '../figures.ts';
import type { Cluster } from '../postgres/cluster.ts';
import { codeOf, makeSite, programmeOf } from './contestants.ts';

export interface Growth {
  readonly logins: number;
  readonly seconds: number;
  /** Bytes by table or index. */
  readonly tables: Readonly<Record<string, number>>;
  /** Bytes of the file or, of a database, of all tables. */
  readonly bytes: number;
}

const atOnce = 500;
/** Milliseconds between two sweeps, as a server has them. */
const round = 1000;

/** Makes logins through the verbs of a new store, as fast as they go, and sweeps as a server does. */
export async function grow(
  name: 'file' | 'postgres',
  logins: number,
  isSpent: boolean,
  place: string,
): Promise<Growth> {
  const { site, database } = await makeSite(name, place);
  const { store, clock } = await openStore(readConfig(site.configFile));
  const programme = programmeOf('opaque');
  const begun = performance.now();
  let sweptAt = begun;
  try {
    for (let made = 0; made < logins; made += atOnce) {
      const codes = Array.from({ length: Math.min(atOnce, logins - made) }, () =>
        codeOf(programme, programme.code.generate(), clock.now()),
      );
      await Promise.all(codes.map((code) => store.issueCode(code)));
      if (isSpent) {
        const now = clock.now();
        await Promise.all(codes.map((code) => exchange(store, code, now)));
      }
      if (performance.now() - sweptAt < round) continue;
      sweptAt = performance.now();
      await store.sweep(clock.now(), atOnce);
    }
    const seconds = (performance.now() - begun) / 1000;
    await store.close();
    const tables =
      database === undefined
        ? pagesOf(join(place, name, 'jetway.db'))
        : await relationsOf(database);
    const bytes =
      database === undefined
        ? statSync(join(place, name, 'jetway.db')).size
        : Object.values(tables).reduce((sum, size) => sum + size, 0);
    return { logins, seconds, tables, bytes };
  } finally {
    await database?.remove();
  }
}

/** What an exchange asks of the store. */
async function exchange(store: Store, code: AuthorizationCode, now: Instant): Promise<void> {
  const { programme, client, key, member, scope } = code;
  const found = await store.findCode(programme, key, now);
  if (found === undefined || found.spentFor !== undefined) throw new Error('a code is lost');
  const login: NewLogin = {
    programme,
    client,
    member,
    ...(scope === undefined ? {} : { scope }),
    place: found.place ?? newPlace(now),
    endsAt: after(now, milliseconds(30 * 86_400_000)),
    loginDigest: randomBinary(12),
    generation: 1,
    refreshDigest: randomBinary(16),
    nonce: randomBinary(12),
    keyNumber: 0,
    answeredAt: now,
    accessSpan: milliseconds(600_000),
    refreshSpan: milliseconds(86_400_000),
    retrySpan: milliseconds(10_000),
    tokenNumber: now,
    forgetAt: after(now, milliseconds(86_400_000)),
  };
  const { outcome } = await store.spendCode(programme, client, key, login, now);
  if (outcome !== 'spent') throw new Error(`a code is ${outcome}`);
}

/** Bytes of a file's pages by table, and of its free pages. */
function pagesOf(path: string): Record<string, number> {
  const file = new DatabaseSync(path, { readOnly: true });
  try {
    const sizes = file.prepare('SELECT name, sum(pgsize) AS size FROM dbstat GROUP BY name');
    const listed = sizes.all().map(({ name, size }) => [String(name), Number(size)] as const);
    const free = file.prepare(
      'SELECT freelist_count * page_size AS size FROM pragma_freelist_count, pragma_page_size',
    );
    return { ...Object.fromEntries(listed), free: Number(free.get()?.['size']) };
  } finally {
    file.close();
  }
}

/** Bytes of a database's tables, and of their indices by their own names. */
async function relationsOf(database: Cluster): Promise<Record<string, number>> {
  const client = await database.client();
  try {
    const { rows } = await client.query<{ readonly name: string; readonly size: string }>(
      `SELECT relname AS name, pg_relation_size(oid) AS size FROM pg_class
        WHERE relnamespace = 'jetway'::regnamespace AND relkind IN ('r', 'i')`,
    );
    return Object.fromEntries(rows.map(({ name, size }) => [name, Number(size)]));
  } finally {
    await client.end();
  }
}

/** For people; parts under a thousandth of the whole are left out. */
export function formatGrowth({ logins, seconds, tables, bytes }: Growth): string {
  const lines = Object.entries({ all: bytes, ...tables })
    .filter(([, size]) => size > bytes / 1000)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, size]) => [name, (size / 1e6).toFixed(1), (size / logins).toFixed(1)]);
  const head = ['table or index', 'MB', 'bytes a login'];
  return `${logins} logins in ${seconds.toFixed(0)} s\n${tableOf([head, ...lines], 2)}`;
}
