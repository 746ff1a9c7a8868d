// Owns the promises of `client import` that its session (clients_verb.session) cannot show: a server that takes the
// secret, a file that others can read, and many clients.

import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { jetway, putSecret, workFolder } from '../command.ts';
import { askClientTokens, serve } from '../server.ts';

const load = ['client', 'import', '--programme', 'club'];

describe('client import', { concurrency: 2 }, () => {
  test('a server takes the secret of a client that was imported', async (t) => {
    const folder = workFolder(t);
    const secret = 'an-imported-secret: "ä+%"';
    const row = `partnerapi-00001,"${secret.replaceAll('"', '""')}",Blue,partner\n`;
    putSecret(folder, 'clients.csv', `client_id,client_secret,name,roles\n${row}`);
    assert.equal((await jetway(folder, [...load, 'clients.csv'])).code, 0);
    const url = await serve(t, folder);
    assert.equal((await askClientTokens(url, 'partnerapi-00001', secret)).status, 200);
  });

  test('warns of a file that others can read, and takes 1,000 clients', async (t) => {
    const folder = workFolder(t);
    const rows = Array.from(
      { length: 1000 },
      (_, n) => `partnerapi-${10_000 + n},a-secret-of-client-${n},Client ${n},partner\n`,
    );
    putSecret(folder, 'clients.csv', `client_id,client_secret,name,roles\n${rows.join('')}`);
    chmodSync(join(folder, 'clients.csv'), 0o640);
    const ran = await jetway(folder, [...load, 'clients.csv']);
    assert.deepEqual(ran, {
      code: 0,
      stdout: '1000 clients are imported into club\n',
      stderr:
        'warning: clients.csv holds secrets, and others can read it: chmod 600 it, and delete it afterwards\n',
    });
  });
});
