// FAULTS 36: a server whose store has a damaged key of one programme starts, serves all others, tells it
// loudly, and takes that programme up again once the key is removed. A file store with a damaged row is
// refused as a whole (FAULTS 6).

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { ask, post } from '../support/wire.ts';
import type { Ran } from './command.ts';
import { signingProgramme } from './server.ts';
import { postgresSite } from './store/postgres_site.ts';

const words = (line: string): readonly string[] => line.split(' ');

describe('a damaged key', { skip: without('postgres') }, () => {
  for (const [kind, text] of [
    ['signing', signingProgramme],
    ['token', signingProgramme.replace('format: jwt', 'format: opaque')],
  ] as const) {
    test(`FAULTS 36: a ${kind} key makes its own programme unavailable, and no other`, async (t) => {
      const { folder, run, query, start } = await postgresSite(t);
      const jetway = (line: string): Promise<Ran> => run('postgres', ...words(line));
      const clients = new Map<string, string>();
      for (const programme of ['club', 'other']) {
        const file = join(folder, `programmes/${programme}.yaml`);
        writeFileSync(file, text.replaceAll('Club', programme).replaceAll('club', programme));
        await jetway(`key rotate --programme ${programme}`);
        const add = `client add --programme ${programme} --name A --role partner --json`;
        const made = JSON.parse((await jetway(add)).stdout) as Readonly<Record<string, string>>;
        clients.set(programme, btoa(`${made['client_id']}:${made['client_secret']}`));
      }
      const { stdout } = await jetway(`key list --programme club --kind ${kind} --json`);
      const [key] = JSON.parse(stdout) as [{ kid: string }];
      await query(
        `UPDATE registered SET record = replace(record, '"', '~') WHERE programme = 'club' AND kind = '${kind}_key'`,
      );
      const server = await start('postgres');
      const tokens = async (programme: string): Promise<number> => {
        const authorization = `Basic ${clients.get(programme)}`;
        const fields = { grant_type: 'client_credentials' };
        return (await post(server.url, `/${programme}/api/grant`, fields, { authorization }))
          .status;
      };
      const keySet = async (programme: string): Promise<number> =>
        (await ask(server.url, `/${programme}/.well-known/jwks.json`)).status;
      assert.equal(await tokens('other'), 200);
      assert.equal(await tokens('club'), 503);
      // A verifier keeps the key set that it has.
      if (kind === 'signing') {
        assert.deepEqual([await keySet('other'), await keySet('club')], [200, 503]);
      }
      const damage = `the ${kind} key ${key.kid} of club is damaged`;
      await until(() => Object.values(server.printed()).join('').includes(damage));
      const asked = await jetway('status');
      assert.equal(asked.code, 1);
      assert.match(
        asked.stderr,
        /is damaged: remove it \(jetway key retire .* --force\), or restore/,
      );

      const retire = `key retire --programme club --kind ${kind} --kid ${key.kid} --force`;
      const { code, stderr } = await jetway(retire);
      assert.deepEqual([code, stderr], [0, '']);
      await until(async () => (await tokens('club')) === 200);
      await until(async () => (await jetway('status')).code === 0);
    });
  }
});
