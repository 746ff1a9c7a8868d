// Owns the promises of a PostgreSQL store's URL: what it means, what is refused, and that no message
// has a password in it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { readStoreLocation } from '../../../src/store/open.ts';
import {
  LocationRefused,
  postgresName,
  readPostgresLocation,
} from '../../../src/store/postgres/location.ts';

const read = (url: string): ReturnType<typeof readPostgresLocation> =>
  readPostgresLocation(url, (path) => `/etc/jetway/${path}`);

const usual = {
  kind: 'postgres',
  user: 'jetway',
  database: 'airline',
  schema: 'jetway',
  sslmode: 'verify-full',
  statements: 'named',
} as const;

describe('the URL of a PostgreSQL store', () => {
  test('needs user, host and database; servers are verified', () => {
    const found = read('postgres://jetway@db.example/airline');
    assert.deepEqual(found, { ...usual, hosts: [{ host: 'db.example', port: 5432 }] });
    assert.deepEqual(readStoreLocation('postgresql://jetway@db.example/airline'), found);
  });

  test('names hosts in the order in which they are tried, and every parameter', () => {
    const url =
      'postgres://air%40line@h1:5433,h2,[fd00::1]:5434/air%20line?schema=club_2&sslmode=verify-full' +
      '&sslrootcert=ca.pem&connections=6&replicas=2&statements=unnamed';
    const found = read(url);
    assert.deepEqual(found, {
      kind: 'postgres',
      hosts: [
        { host: 'h1', port: 5433 },
        { host: 'h2', port: 5432 },
        { host: 'fd00::1', port: 5434 },
      ],
      user: 'air@line',
      database: 'air line',
      schema: 'club_2',
      sslmode: 'verify-full',
      sslrootcert: '/etc/jetway/ca.pem',
      connections: 6,
      replicas: 2,
      statements: 'unnamed',
    });
    assert.equal(
      postgresName(found),
      'postgres://air%40line@h1:5433,h2:5432,[fd00::1]:5434/air%20line?schema=club_2',
    );
  });

  test('names a socket by its folder, which has no TLS', () => {
    const socket = { ...usual, sslmode: 'disable', hosts: [{ host: '/run/pg', port: 5432 }] };
    const found = read('postgres://jetway@/airline?host=/run/pg');
    assert.deepEqual(found, socket);
    assert.deepEqual(read('postgres://jetway@/airline?host=/run/pg&sslmode=disable'), socket);
    assert.deepEqual(read('postgres://jetway@:5433/airline?host=%2Frun%2Fpg'), {
      ...socket,
      hosts: [{ host: '/run/pg', port: 5433 }],
    });
    assert.equal(postgresName(found), 'postgres://jetway@/airline?host=/run/pg');
  });

  test('goes without TLS on this machine alone', () => {
    const loopback = read(
      'postgres://jetway@localhost,127.0.0.1:5433,[::1]/airline?sslmode=disable',
    );
    assert.equal(loopback.sslmode, 'disable');
    refused('postgres://jetway@localhost,db.example/airline?sslmode=disable', /this machine alone/);
  });

  for (const mode of ['require', 'prefer', 'allow', 'verify-ca']) {
    test(`is refused with sslmode=${mode}, on loopback too`, () => {
      const words = new RegExp(`sslmode=${mode} does not make sure .*verify-full.*sslrootcert`);
      refused(`postgres://jetway@db.example/airline?sslmode=${mode}`, words);
      refused(`postgres://jetway@127.0.0.1/airline?sslmode=${mode}`, words);
    });
  }

  // HOSTILE 56
  for (const url of [
    'postgres://jetway:hunter2@db.example/airline',
    'postgres://jetway:hunter2@extra@db.example/airline',
    'postgres://jetway@db.example/airline?password=hunter2',
    'postgres://jetway:@db.example/airline',
  ]) {
    test(`has no password: ${url}`, () => {
      refused(url, /store_password_file or JETWAY_STORE_PASSWORD_FILE/);
    });
  }

  const good = 'postgres://jetway@db.example/airline';
  const cases: readonly (readonly [url: string, words: RegExp])[] = [
    ['postgres:', /^expected postgres:\/\/user@host:5432\/database$/],
    ['postgres://jetway@db.example/a/b', /^expected postgres:/],
    [`${good}#x`, /^expected postgres:/],
    ['postgres://db.example/airline', /the user is missing/],
    ['postgres://jetway@db.example', /the database is missing/],
    ['postgres://jetway@db.example/', /the database is missing/],
    ['postgres://jet%way@db.example/airline', /the user in the URL has a malformed %/],
    ['postgres://jetway@/airline', /a host of the URL is malformed/],
    ['postgres://jetway@one,,two/airline', /a host of the URL is malformed/],
    ['postgres://jetway@db:0/airline', /a port of the URL is not from 1 to 65535/],
    ['postgres://jetway@db:65536/airline', /a port of the URL is not from 1 to 65535/],
    [`${good}?host=run/pg`, /host is the folder of a socket/],
    [`${good}?host=/run/pg`, /addresses and a socket folder/],
    ['postgres://jetway@/airline?host=/run/pg&sslmode=verify-full', /a socket has no TLS/],
    [`${good}?replica=1`, /unknown parameter "replica": did you mean "replicas"\?/],
    [`${good}?ssl=true`, /unknown parameter "ssl": expected one of host, schema, sslmode/],
    [`${good}?schema=a&schema=b`, /the parameter "schema" twice/],
    [`${good}?schema=Jetway`, /schema is at most 63 lower-case letters/],
    [`${good}?schema=pg_jetway`, /schema is at most 63 lower-case letters/],
    [`${good}?sslmode=full`, /sslmode is one of verify-full, disable/],
    [`${good}?connections=0`, /connections is a number from 1 to 64/],
    [`${good}?connections=65`, /connections is a number from 1 to 64/],
    [`${good}?replicas=one`, /replicas is a number from 1 to 16/],
    [`${good}?statements=cached`, /statements is one of named, unnamed/],
  ];
  for (const [url, words] of cases) test(`is refused: ${url}`, () => refused(url, words));
});

function refused(url: string, words: RegExp): void {
  assert.throws(
    () => read(url),
    (error) => {
      assert.ok(error instanceof LocationRefused);
      assert.match(error.message, words);
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    },
  );
}
