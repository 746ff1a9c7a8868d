// Owns the promises of `client rotate-secret`, `retire-secret` and `rotate-api-key` (FAULTS 25), seen
// by a server that runs meanwhile.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { until } from '../support/until.ts';
import {
  jetway,
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
const retire = ['client', 'retire-secret', id];
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

/** Days between two times of a sheet. */
function daysBetween(from: string, to: string | null): number {
  return Math.round((Date.parse(to ?? '') - Date.parse(from)) / 86_400_000);
}

describe('client rotate-secret and retire-secret', { concurrency: 2 }, () => {
  // That servers take both until then: test/faults/rotation.slow.test.ts and command_clock.test.ts.
  test('a second secret ends the first in 30 days, or when that is retired', async (t) => {
    const [, rotated, refused, both, retired, again, left] = await jetwayEach(workFolder(t), [
      add,
      [...rotate, '--json'],
      rotate,
      show,
      retire,
      retire,
      show,
    ]);
    assert.deepEqual([rotated.code, rotated.stderr], [0, '']);
    const fresh = JSON.parse(rotated.stdout) as Rotated;
    assert.match(fresh.client_secret, /^[\w-]{43}$/);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(
      refused.stderr,
      /^client partnerapi-00001 of club has two valid client secrets, the older made \S+Z, which ends \S+Z: end the older one with client retire-secret, or both with --overlap 0s\n$/,
    );
    const { secrets } = JSON.parse(both.stdout) as Shown;
    const [older, newer] = secrets;
    assert.ok(older && newer && secrets.length === 2);
    assert.equal(older.expires_at, fresh.previous_expires_at);
    assert.equal(daysBetween(newer.created_at, older.expires_at), 30);
    assert.equal(newer.expires_at, null);
    assert.equal(
      retired.stdout,
      `client ${id} of club has one client secret now, made ${newer.created_at}\n`,
    );
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, /has no second valid client secret: .*client rotate-secret/);
    const kept = (JSON.parse(left.stdout) as Shown).secrets;
    assert.deepEqual(
      kept.map(({ created_at }) => created_at),
      [newer.created_at],
    );
  });

  test('--overlap 0s ends all there were at once; others have to be durations', async (t) => {
    const folder = workFolder(t);
    const [added, , emergency, after, ...slips] = await jetwayEach(folder, [
      add,
      rotate,
      [...rotate, '--overlap', '0s', '--json'],
      show,
      [...rotate, '--overlap', '367d'],
      [...rotate, '--overlap', '30'],
    ]);
    assert.equal(added.code, 0);
    assert.equal((JSON.parse(emergency.stdout) as Rotated).previous_expires_at, null);
    assert.equal((JSON.parse(after.stdout) as Shown).secrets.length, 1);
    assert.deepEqual(
      slips.map(({ code }) => code),
      [2, 2],
    );
    for (const { stderr } of slips) {
      assert.match(stderr, /^--overlap must be a duration of at most 366d, such as 30d, not "/);
    }
  });

  test('takes a secret the partner has already, but not the one it has here', async (t) => {
    const folder = workFolder(t);
    const given = 'a-secret-of-the-partner';
    await jetwayEach(folder, [add]);
    const stdin = [...rotate, '--secret-stdin'];
    const taken = await jetway(folder, [...stdin, '--overlap', '5d'], `${given}\n`);
    assert.deepEqual([taken.code, taken.stderr], [0, '']);
    assert.equal(
      taken.stdout.replaceAll(/\d{4}-\S+Z/g, 'TIME'),
      `Client ${id} of club has a new client secret. It is shown this once.

  client identifier  ${id}
  client secret      ${given}
  the old one        is valid until TIME
`,
    );
    const same = await jetway(folder, [...stdin, '--overlap', '0s'], given);
    assert.deepEqual(same, {
      code: 1,
      stdout: '',
      stderr: `client ${id} of club has that client secret already\n`,
    });
    const short = await jetway(folder, [...stdin, '--overlap', '0s'], 'hunter2');
    assert.equal(short.code, 0);
    assert.match(short.stderr, /^warning: the secret has 7 characters/);
  });

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
