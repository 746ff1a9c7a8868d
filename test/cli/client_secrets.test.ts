// Owns the promises of `client rotate-secret` and `rotate-api-key` (FAULTS 25) that a session
// (client_secrets.session) cannot show: a secret that nobody saw, and what a running server takes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { until } from '../support/until.ts';
import {
  jetwayAt,
  jetwayEach,
  jetwayJson,
  jetwayUnread,
  programmeText,
  workFolder,
} from './command.ts';
import { askClientTokens, startServer } from './server.ts';

const id = 'partnerapi-00001';
const add = `client add --programme club --name Blue --role partner --client-id ${id} --json`.split(
  ' ',
);
const rotate = ['client', 'rotate-secret', id];
const show = ['client', 'show', id, '--json'];

/** Asks for the API key in a header. */
const keyedProgramme = programmeText(
  'Club',
  'token_endpoints: { grant: { inputs: { app_key: { in: header, name: X-App-Key, required: true, must_equal: client.api_key } } } }\n',
);

interface Shown {
  readonly secrets: readonly SecretShown[];
  readonly api_keys: readonly SecretShown[];
}

interface SecretShown {
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

interface Rotated {
  readonly client_secret: string;
  readonly api_key: string;
  readonly previous_expires_at: string | null;
}

describe('client rotate-secret and retire-secret', { concurrency: 2 }, () => {
  test('changes nothing where nobody could see the new secret', async (t) => {
    const folder = workFolder(t);
    await jetwayEach(folder, [add]);
    const before = await jetwayJson(folder, show.slice(0, -1));
    const { code, stderr } = await jetwayUnread(folder, rotate);
    assert.equal(code, 1);
    assert.match(stderr, /EPIPE\) and the new client secret is lost: nothing was changed\n$/);
    assert.deepEqual(await jetwayJson(folder, show.slice(0, -1)), before);
  });
});

describe('client rotate-api-key', () => {
  test('a server takes both, and tells which was used last', async (t) => {
    const folder = workFolder(t, { 'programmes/club.yaml': keyedProgramme });
    const given = (await jetwayJson(folder, add.slice(0, -1))) as Rotated;
    const { url, advance } = await startServer(t, folder);
    const status = async (key: string): Promise<number> =>
      (await askClientTokens(url, id, given.client_secret, { 'x-app-key': key })).status;
    assert.deepEqual([await status(given.api_key), await status('wrong')], [200, 400]);
    let passed = 0;
    /** Uses are written with the next commit; without any other, one records the time after 30 s. */
    const untilUsed = async (...wanted: readonly boolean[]): Promise<void> => {
      await advance(31);
      passed += 31;
      await until(async () => {
        const { stdout } = await jetwayAt(folder, { passed }, show);
        const { api_keys: keys } = JSON.parse(stdout) as Shown;
        return isDeepStrictEqual(
          keys.map(({ last_used_at }) => last_used_at !== null),
          wanted,
        );
      });
    };
    await untilUsed(true);
    const rotated = await jetwayAt(folder, { passed }, ['client', 'rotate-api-key', id, '--json']);
    const { api_key } = JSON.parse(rotated.stdout) as Rotated;
    await untilUsed(true, false);
    assert.deepEqual([await status(given.api_key), await status(api_key)], [200, 200]);
    await untilUsed(true, true);
  });
});
