// FAULTS 35: what a rotation takes back whose new secret nobody saw, if others change the same client or
// gateway before it finds out.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { Client, ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import { openFileStore, type FileStore } from '../../src/store/sqlite/store.ts';
import { jetway, jetwayEach, jetwayLost, programmeText, workFolder } from './command.ts';

const club = 'club' as ProgrammeId;
const first = 'partnerapi-00001';
const second = 'partnerapi-00002';
const third = 'partnerapi-00003';

const words = (line: string): readonly string[] => line.split(' ');
const line = (text: string, input = ''): { args: readonly string[]; input: string } => ({
  args: words(text),
  input,
});
const add = (id: string, more = '', programme = 'club'): string =>
  `client add --programme ${programme} --name Blue --role partner --client-id ${id}${more}`;

async function stored<T>(folder: string, read: (store: FileStore) => Promise<T>): Promise<T> {
  const store = openFileStore({ path: join(folder, 'data/jetway.db'), environment: 'staging' });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

const clientsIn = (folder: string, programme = club): Promise<readonly Client[]> =>
  stored(folder, (store) => store.list('client', programme));

const lost = (what: string): string =>
  `standard output cannot be written to (EPIPE) and the new ${what} is lost`;

describe('a rotation that nobody could see', { concurrency: 2 }, () => {
  test('FAULTS 35: takes back its secret, and nothing that others did to the client', async (t) => {
    for (const overlap of ['30d', '0s']) {
      const folder = workFolder(t);
      await jetwayEach(folder, [words(add(first)), words(`client disable ${first}`)]);
      const [before] = await clientsIn(folder);
      const rotate = `client rotate-secret ${first} --overlap ${overlap}`;
      const ran = await jetwayLost(folder, words(rotate), [
        line(`client set ${first} --name Green`),
        line(`client enable ${first}`),
        line(`client rotate-api-key ${first} --overlap 0s`),
      ]);
      assert.deepEqual(ran, { code: 1, stderr: `${lost('client secret')}: nothing was changed\n` });
      const [after] = await clientsIn(folder);
      assert.ok(before !== undefined && after !== undefined);
      assert.deepEqual(after.secrets, before.secrets);
      assert.deepEqual([after.name, after.status], ['Green', 'active']);
      assert.notDeepEqual(after.apiKeys, before.apiKeys);
    }
  });

  test('FAULTS 35: brings back no secret that was ended meanwhile', async (t) => {
    for (const [overlap, meanwhile, left] of [
      ['30d', `client retire-secret ${first}`, 1],
      ['30d', `client rotate-secret ${first} --overlap 0s`, 1],
      ['0s', `client rotate-secret ${first} --overlap 0s`, 1],
      ['0s', `client rotate-secret ${first}`, 2],
    ] as const) {
      const folder = workFolder(t);
      await jetwayEach(folder, [words(add(first))]);
      const [before] = await clientsIn(folder);
      const rotate = `client rotate-secret ${first} --overlap ${overlap}`;
      const ran = await jetwayLost(folder, words(rotate), [line(meanwhile)]);
      const why =
        'the client secrets were changed by somebody else meanwhile, and stay as they are';
      assert.deepEqual(ran, {
        code: 1,
        stderr: `${lost('client secret')}, but is not taken back (${why}): look at it (client show ${first}), and make another\n`,
      });
      const [after] = await clientsIn(folder);
      const old = before?.secrets.map(({ digest }) => digest);
      assert.equal(after?.secrets.length, left, meanwhile);
      assert.ok(!after.secrets.some(({ digest }) => old?.includes(digest)), meanwhile);
    }
  });

  test('FAULTS 35: brings no removed client or gateway back, and no ended secret of one', async (t) => {
    const folder = workFolder(t);
    await jetwayEach(folder, [
      words(add(first)),
      words('gateway add --programme club --name Edge'),
    ]);
    const gone = await jetwayLost(folder, words(`client rotate-secret ${first}`), [
      line(`client remove ${first} --yes`),
    ]);
    assert.deepEqual(gone, {
      code: 1,
      stderr: `${lost('client secret')}, but is not taken back (the client "${first}" was removed by somebody else just now): look at it (client show ${first}), and make another\n`,
    });
    assert.deepEqual(await clientsIn(folder), []);
    const gateway = async () => (await stored(folder, (store) => store.list('gateway', club)))[0]!;
    const { id, secrets } = await gateway();
    const rotate = `gateway rotate-secret ${id}`;
    const ran = await jetwayLost(folder, words(rotate), [line(`${rotate} --overlap 0s`)]);
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /is not taken back \(the gateway secrets were changed/);
    const after = await gateway();
    assert.equal(after.secrets.length, 1);
    assert.notEqual(after.secrets[0]?.digest, secrets[0]?.digest);
    assert.deepEqual(await jetwayLost(folder, words(rotate)), {
      code: 1,
      stderr: `${lost('gateway secret')}: nothing was changed\n`,
    });
    assert.deepEqual(await gateway(), after);
  });

  test('FAULTS 35: takes back a shared API key from all, or from none', async (t) => {
    const files = { 'programmes/other.yaml': programmeText('Other') };
    for (const [meanwhile, isUndone] of [
      [`client set ${second} --name Green`, true],
      [`client rotate-api-key ${second} --alone --overlap 0s`, false],
      [`client remove ${second} --yes`, false],
      [add(third, ` --api-key-of ${first}`), false],
    ] as const) {
      const folder = workFolder(t, files);
      await jetwayEach(folder, [
        words(add(first)),
        words(add(second, ` --api-key-of ${first}`, 'other')),
      ]);
      const keys = async () =>
        new Map(
          [...(await clientsIn(folder)), ...(await clientsIn(folder, 'other' as ProgrammeId))].map(
            ({ id, apiKeys }) => [id, apiKeys],
          ),
        );
      const before = await keys();
      const rotate = words(`client rotate-api-key ${first}`);
      const ran = await jetwayLost(folder, rotate, [line(meanwhile)]);
      assert.equal(ran.code, 1);
      const told = isUndone
        ? /: nothing was changed\n$/
        : /not taken back \(the API keys were chang/;
      assert.match(ran.stderr, told, meanwhile);
      const after = await keys();
      if (isUndone) {
        assert.deepEqual(after, before);
        continue;
      }
      const [old] = before.get(first as ClientId) ?? [];
      for (const [id, apiKeys] of after) {
        // The old key ends as the rotation said, or with what was done meanwhile.
        const kept = apiKeys.find(({ digest }) => digest === old?.digest);
        assert.ok(kept === undefined || kept.expiresAt !== undefined, `${meanwhile}: ${id}`);
      }
    }
  });

  test('FAULTS 35, HOSTILE 79: takes no secret back that is another client’s by now', async (t) => {
    const alone = `variant: grant
name: Club
programme_identifier: Club
base_path: /club
client: { authentication: { methods: [secret] } }
`;
    const files = { 'programmes/club.yaml': alone };
    const folder = workFolder(t, files);
    const secret = 'a-secret-of-some-length';
    const stdin = ' --secret-stdin';
    assert.equal((await jetway(folder, words(add(first, stdin)), secret)).code, 0);
    const rotate = `client rotate-secret ${first} --overlap 0s`;
    const ran = await jetwayLost(folder, words(rotate), [line(add(second, stdin), secret)]);
    assert.deepEqual(ran, {
      code: 1,
      stderr: `${lost('client secret')}, but is not taken back (another client has that secret): look at it (client show ${first}), and make another\n`,
    });
    const [one, two] = (await clientsIn(folder)).map(({ secrets }) =>
      secrets.map(({ digest }) => digest),
    );
    assert.deepEqual([one?.length, two?.length], [1, 1]);
    assert.notDeepEqual(one, two);
  });
});
