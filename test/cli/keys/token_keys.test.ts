// Owns the promises of `key list`, `rotate` and `retire` for token keys, which every programme has.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { ProgrammeId } from '../../../src/oauth/client.ts';
import { openFileStore } from '../../../src/store/sqlite/store.ts';
import { until } from '../../support/until.ts';
import { ask } from '../../support/wire.ts';
import { jetway, jetwayEach, jetwayJson, programmeText, workFolder } from '../command.ts';
import { serve, signingProgramme } from '../server.ts';

const files = {
  'programmes/club.yaml': signingProgramme,
  'programmes/plain.yaml': programmeText('Plain'),
};

interface Key {
  readonly programme: string;
  readonly kind: string;
  readonly kid: string;
  readonly algorithm: string | null;
  readonly status: string;
}

function shown(stdout: string): readonly (readonly unknown[])[] {
  return (JSON.parse(stdout) as readonly Key[]).map(({ programme, kind, kid, algorithm, status }) =>
    kind === 'token'
      ? [programme, kind, kid, algorithm, status]
      : [programme, kind, algorithm, status],
  );
}

describe('key, token keys', { concurrency: 2 }, () => {
  test('a server makes the first ones; nothing of them is in the key set or in what is printed', async (t) => {
    const folder = workFolder(t, files);
    const url = await serve(t, folder);
    const before = await jetway(folder, ['key', 'list', '--json']);
    assert.deepEqual(shown(before.stdout), [
      ['club', 'signing', 'ES256', 'signing'],
      ['club', 'token', '0', null, 'signing'],
      ['plain', 'token', '0', null, 'signing'],
    ]);
    const runs = await jetwayEach(folder, [
      ['key', 'rotate', '--json'],
      ['key', 'rotate', '--now'],
      ['key', 'list'],
      ['key', 'list', '--json'],
      ['key', 'retire', '--json'],
    ]);
    const published = async (): Promise<string> =>
      (await ask(url, '/club/.well-known/jwks.json')).body;
    await until(
      async () => (JSON.parse(await published()) as { keys: unknown[] }).keys.length === 2,
    );
    const store = openFileStore({ path: join(folder, 'data/jetway.db'), environment: 'staging' });
    const sealed = await Promise.all(
      ['club', 'plain'].map((id) => store.list('token_key', id as ProgrammeId)),
    );
    await store.close();
    const told = [...runs.map(({ stdout, stderr }) => stdout + stderr), await published()].join('');
    assert.equal(sealed.flat().length, 4);
    for (const { sealedKey } of sealed.flat()) assert.ok(!told.includes(sealedKey));
    assert.ok(!(await published()).includes('"oct"'));
  });

  test('an emergency gives servers five seconds', async (t) => {
    const folder = workFolder(t, files);
    await jetwayEach(folder, [
      ['key', 'rotate', '--kind', 'token'],
      ['key', 'rotate', '--kind', 'token'],
    ]);
    const now = 'key rotate --now --kind token --programme plain'.split(' ');
    const [soon] = (await jetwayJson(folder, now)) as [
      { kid: string; changed: boolean; signs_from: string },
    ];
    assert.deepEqual([soon.kid, soon.changed], ['1', true]);
    const wait = Date.parse(soon.signs_from) - Date.now();
    assert.ok(wait <= 5000 && wait > -60_000, `${wait}`);
    const next = 'key retire --programme plain --kind token --kid 1 --force'.split(' ');
    const refused = await jetway(folder, next);
    assert.equal(refused.code, 1);
    // On a slow machine it has begun by then.
    assert.match(
      refused.stderr,
      /^plain: the token key 1 signs(,| in a moment:) .* key rotate --now/,
    );
  });

  test('a restore brings none back, not even in pages that nobody reads any more', async (t) => {
    const folder = workFolder(t, files);
    await jetwayEach(folder, [
      ['key', 'rotate'],
      ['store', 'backup', 'backup.db'],
    ]);
    const path = join(folder, 'data/jetway.db');
    const store = openFileStore({ path, environment: 'staging' });
    const [key] = await store.list('token_key', 'plain' as ProgrammeId);
    await store.close();
    assert.ok(key);
    const [restored, tokens, signing] = await jetwayEach(folder, [
      ['store', 'restore', 'backup.db', '--yes'],
      ['key', 'list', '--kind', 'token', '--json'],
      ['key', 'list', '--kind', 'signing', '--json'],
    ]);
    assert.equal(restored.code, 0, restored.stderr);
    assert.deepEqual([tokens.stdout, shown(signing.stdout).length], ['[]\n', 1]);
    assert.ok(readFileSync(join(folder, 'backup.db')).includes(key.sealedKey));
    assert.ok(!readFileSync(path).includes(key.sealedKey));
  });
});
