// HOSTILE 79 with real processes: of commands at once that give several clients one secret, where a secret
// alone names its client, one succeeds and the others write nothing.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { Client, ProgrammeId } from '../../src/oauth/client.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { without } from '../support/tools.ts';
import { jetway, type Ran, putSecret, workFolder } from './command.ts';
import { postgresSite } from './store/postgres_site.ts';

const alone = `variant: grant
name: Key
programme_identifier: Key
base_path: /key
client: { authentication: { methods: [secret] } }
`;

const rounds = 6;
const words = (line: string): readonly string[] => line.trim().split(/\s+/);

/** What a command that came second says. */
const late = [
  /^another client of key has that secret, by which it is found: make a new one\n$/,
  /^nothing is imported: partnerapi-\d{5}, or what it is found by, came to be taken in key meanwhile\n$/,
  /^clients\.\d\.csv:2:\d+: error: the client_secret of "partnerapi-\d{5}" is that of "partnerapi-\d{5}" of key already \(clients are found by it\)\nnothing is imported: 1 error\n$/,
];

describe('two clients at once with one secret', { skip: without('postgres') }, () => {
  for (const config of ['file', 'postgres']) {
    test(`HOSTILE 79: one of them gets it, in a store of ${config}`, async (t) => {
      const site = await postgresSite(t);
      const { folder } = site;
      writeFileSync(join(folder, 'programmes/key.yaml'), alone);
      const at = ['--config', `${config}.yaml`];
      const held = 'partnerapi-00001';
      const add = `client add --programme key --name A --role partner --client-id`;
      assert.equal((await jetway(folder, [...words(`${add} ${held}`), ...at])).code, 0);
      for (let round = 0; round < rounds; round += 1) {
        const secret = `a-secret-of-some-length-${round}`;
        const [ann, bob, cid] = [1, 2, 3].map((n) => `partnerapi-${round + 1}000${n}`);
        putSecret(
          folder,
          `clients.${round}.csv`,
          `client_id,client_secret,name,roles\n${cid},${secret},A,partner\n`,
        );
        const runs = [
          `${add} ${ann} --secret-stdin`,
          `${add} ${bob} --secret-stdin`,
          `client rotate-secret ${held} --programme key --secret-stdin --overlap 0s`,
          `client import clients.${round}.csv --programme key`,
        ].map((line) => jetway(folder, [...words(line), ...at], secret));
        const ran = await Promise.all(runs);
        const winners = ran.filter(({ code }) => code === 0);
        assert.equal(winners.length, 1, JSON.stringify(ran));
        for (const { code, stdout, stderr } of ran.filter((one) => !winners.includes(one))) {
          assert.deepEqual([code, stdout], [1, '']);
          assert.ok(
            late.some((text) => text.test(stderr)),
            stderr,
          );
        }
        const list = ['client', 'list', '--programme', 'key', '--json', ...at];
        const { stdout } = (await jetway(folder, list)) satisfies Ran;
        const added = (JSON.parse(stdout) as { client_id: string }[]).filter(({ client_id: id }) =>
          id.startsWith(`partnerapi-${round + 1}`),
        );
        const isRotated = ran[2]?.code === 0;
        assert.equal(added.length, isRotated ? 0 : 1);
      }
    });
  }
});

test('FAULTS 35: a client that is added with another’s API key gets no key that was ended meanwhile', async (t) => {
  const folder = workFolder(t);
  const store = () =>
    openFileStore({ path: join(folder, 'data/jetway.db'), environment: 'staging' });
  const add = (id: string): string =>
    `client add --programme club --name A --role partner --client-id ${id}`;
  const holder = 'partnerapi-00001';
  assert.equal((await jetway(folder, words(add(holder)))).code, 0);
  for (let round = 0; round < 2 * rounds; round += 1) {
    const [first] = await listed();
    const ended = first?.apiKeys[0]?.digest;
    const ran = await Promise.all([
      jetway(folder, words(`${add(`partnerapi-${10_000 + round}`)} --api-key-of ${holder}`)),
      jetway(folder, words(`client rotate-api-key ${holder} --overlap 0s`)),
    ]);
    assert.deepEqual(
      ran.map(({ code }) => code),
      [0, 0],
      JSON.stringify(ran),
    );
    for (const { id, apiKeys } of await listed()) {
      assert.ok(!apiKeys.some(({ digest }) => digest === ended), `${id} in round ${round}`);
    }
  }
  async function listed(): Promise<readonly Client[]> {
    const open = store();
    const clients = await open.list('client', 'club' as ProgrammeId);
    await open.close();
    return clients;
  }
});
