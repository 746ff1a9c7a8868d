// Owns how a store enters its database: TLS that verifies the server, and a password that can be changed.

import assert from 'node:assert/strict';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Cluster } from '../../../../scripts/postgres/cluster.ts';
import { runner } from '../../../../scripts/postgres/install.ts';
import { firstEra } from '../../../../src/store/judgement.ts';
import { readPostgresLocation } from '../../../../src/store/postgres/location.ts';
import { openPostgresStore } from '../../../../src/store/postgres/store.ts';
import { createAuthority } from '../../../support/certificates.ts';
import { addressHere, nameHere } from '../../../support/name_here.ts';
import { without } from '../../../support/tools.ts';

describe('entering PostgreSQL over TLS', { skip: without('postgres', 'openssl') }, () => {
  const authority = createAuthority('database');
  const stranger = createAuthority('stranger');
  let cluster: Cluster;
  let password = 'first-password';

  /** Writes a file that the server alone reads. */
  const file = (name: string, text: string): string => {
    const path = join(cluster.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (runner.uid !== undefined) chownSync(path, runner.uid, runner.gid ?? 0);
    return path;
  };

  before(async () => {
    cluster = await Cluster.make();
    await cluster.start();
    const { certificate, key } = authority.issue('IP:127.0.0.1,DNS:localhost');
    file('ca.pem', authority.certificate);
    file('stranger.pem', stranger.certificate);
    const client = await cluster.client('postgres');
    await client.query(`ALTER ROLE jetway PASSWORD '${password}'`);
    await client.end();
    cluster.configure({
      listen_addresses: [...new Set(['127.0.0.1', '127.0.0.2', addressHere])].join(','),
      ssl: 'on',
      ssl_cert_file: file('server.pem', certificate),
      ssl_key_file: file('server.key', key),
      hba_file: file(
        'hba.conf',
        'local all all trust\nhostssl all jetway all scram-sha-256\nhost all all all reject\n',
      ),
    });
    await cluster.stop();
    await cluster.start();
  });
  after(() => cluster.remove());

  const open = (host: string, ca = 'ca.pem', given = () => password) =>
    openPostgresStore({
      location: readPostgresLocation(
        `postgres://jetway@${host}:${cluster.port}/jetway?sslrootcert=${join(cluster.folder, ca)}`,
        (path) => path,
      ),
      environment: 'staging',
      password: given,
    });

  for (const host of new Set(['127.0.0.1', nameHere])) {
    test(`the server is verified by the name in the URL: ${host}`, async () => {
      const store = await open(host);
      assert.equal(await store.era(), firstEra);
      await store.close();
    });
  }

  test('a server that another authority vouches for is not entered, and the error says why', () =>
    assert.rejects(() => open('127.0.0.1', 'stranger.pem'), {
      name: 'Unavailable',
      message: new RegExp(
        `127\\.0\\.0\\.1:${cluster.port}: self-signed certificate in|unable to verify`,
      ),
    }));

  test('a server of another name is not entered', () =>
    assert.rejects(() => open('127.0.0.2'), {
      name: 'Unavailable',
      message: /IP: 127\.0\.0\.2 is not in the cert's list/,
    }));

  test('HOSTILE 56: a wrong password is told without the password', () =>
    assert.rejects(
      () => open('127.0.0.1', 'ca.pem', () => 'wrong-password'),
      ({ message }: Error) => {
        assert.match(message, /password authentication failed for user "jetway"/);
        assert.doesNotMatch(message, /wrong-password/);
        return true;
      },
    ));

  test('a password that is changed counts from the next connection on', async () => {
    const store = await open('127.0.0.1');
    const client = await cluster.client('postgres');
    await client.query("ALTER ROLE jetway PASSWORD 'second-password'");
    password = 'second-password';
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'jetway'`,
    );
    await client.end();
    assert.equal(await store.era(), firstEra);
    await store.close();
  });
});
