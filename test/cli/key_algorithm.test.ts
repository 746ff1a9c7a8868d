// Owns the promises of `key` where programme files change or are broken.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { jetwayEach, workFolder } from './command.ts';
import { signingProgramme } from './server.ts';

const files = { 'programmes/club.yaml': signingProgramme };

interface Key {
  readonly algorithm: string;
  readonly status: string;
  readonly retires_at: string | null;
}

describe('key, programme files', { concurrency: 2 }, () => {
  test('an algorithm is changed by its key ahead, then one line of YAML', async (t) => {
    const folder = workFolder(t, {
      ...files,
      'later/club.yaml': signingProgramme.replace('format: jwt', 'format: jwt, algorithm: EdDSA'),
      'later.yaml': `environment: staging
listen: 127.0.0.1:0
public_url: https://tokens.example
store: file:./data/jetway.db
programmes: ./later
`,
    });
    const later = ['--config', 'later.yaml'];
    const [, ahead, again, before, after, retired, dated] = await jetwayEach(folder, [
      ['key', 'rotate', '--kind', 'signing'],
      ['key', 'rotate', '--algorithm', 'EdDSA'],
      ['key', 'rotate', '--algorithm', 'EdDSA'],
      ['key', 'list', '--json'],
      ['key', 'list', '--json', ...later],
      ['key', 'retire', ...later],
      ['key', 'list', '--json', ...later],
    ]);
    assert.match(
      ahead.stdout,
      /^club: the EdDSA key \S+ is published: once verifiers have it, in 10m, set tokens\.access\.algorithm to EdDSA and have servers take it up \(jetway reload\)\n$/,
    );
    assert.match(again.stdout, /is published already/);
    const statuses = (stdout: string): unknown =>
      (JSON.parse(stdout) as readonly Key[]).map(({ algorithm, status, retires_at }) => [
        algorithm,
        status,
        retires_at !== null,
      ]);
    assert.deepEqual(statuses(before.stdout), [
      ['ES256', 'signing', false],
      ['EdDSA', 'ahead', false],
    ]);
    assert.deepEqual(statuses(after.stdout), [
      ['ES256', 'retiring', false],
      ['EdDSA', 'signing', false],
    ]);
    assert.match(retired.stdout, /^club: the ES256 key \S+ may go from \S+Z\n$/);
    assert.deepEqual(statuses(dated.stdout), [
      ['ES256', 'retiring', true],
      ['EdDSA', 'signing', false],
    ]);
  });

  test('a broken programme file does not keep the others from being rotated: exit 3', async (t) => {
    const folder = workFolder(t, { ...files, 'programmes/broken.yaml': 'name: [\n' });
    const [rotated, listed] = await jetwayEach(folder, [
      ['key', 'rotate', '--kind', 'signing'],
      ['key', 'list', '--json'],
    ]);
    assert.equal(rotated.code, 3);
    assert.match(rotated.stdout, /^club: the ES256 key/);
    assert.match(rotated.stderr, /^programmes\/broken\.yaml:1:7: error: /);
    assert.equal((JSON.parse(listed.stdout) as unknown[]).length, 1);
  });
});
