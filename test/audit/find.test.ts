// Owns the promises of finding events: what a fact must be.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { findEvents } from '../../src/audit/find.ts';
import { verifyStream } from '../../src/audit/verify.ts';
import { scratchFolder } from '../support/scratch.ts';
import { key, scene } from './trail_scene.ts';

test('HOSTILE 75: an event without a fact, or with one that is no text, has no value of it', async (t) => {
  const path = join(scratchFolder(t, 'find'), 'audit.jsonl');
  const time = '2026-01-02T03:04:05Z';
  const clients = [undefined, null, 7, ['7'], { a: '7' }, '7'];
  const lines = clients.map((client) =>
    JSON.stringify({
      time,
      event: 'client_added',
      client,
      note: 'undefined null 7 [object Object]',
    }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
  const found = async (value: string): Promise<readonly unknown[]> => {
    const facts = [{ names: ['client'], values: [value] }];
    const events = await Array.fromAsync(findEvents(path, { facts }, assert.fail));
    return events.flat().map(({ facts: told }) => told['client']);
  };
  assert.deepEqual(await found('7'), ['7']);
  for (const value of ['undefined', 'null', '[object Object]']) {
    assert.deepEqual(await found(value), [], value);
  }
});

test('FAULTS 27: a rotated file that is damaged hides no event of the others', async (t) => {
  const { append, path, folder, lines, put } = scene(t);
  for (const client of ['a', 'b', 'c']) append(client);
  const [head, ...rest] = [lines().slice(0, 3), ...lines().slice(3)];
  const packed = gzipSync(`${head.join('\n')}\n`);
  put(rest);
  const rotated = `${path}.1.gz`;
  const events = async (): Promise<readonly [found: number, troubles: readonly string[]]> => {
    const troubles: string[] = [];
    const criteria = { facts: [{ names: ['event'], values: ['token_issued'] }] };
    const onTrouble = (file: string, why: string): void => void troubles.push(`${file} ${why}`);
    const found = await Array.fromAsync(findEvents(path, criteria, onTrouble));
    return [found.flat().length, troubles];
  };
  writeFileSync(rotated, packed);
  assert.deepEqual(await events(), [3, []]);
  assert.equal((await verifyStream(path, key)).broken, 0);
  writeFileSync(rotated, packed.subarray(0, -20));
  const why = 'cannot be read to its end (unexpected end of file)';
  const [found, troubles] = await events();
  assert.ok(found >= 1);
  assert.deepEqual(troubles, [`${rotated} ${why}`]);
  const { breaks } = await verifyStream(path, key);
  assert.deepEqual(breaks[0], { file: rotated, what: why });
  // What is no file is none of the stream: nobody writes to a pipe.
  rmSync(rotated);
  mkdirSync(`${path}-20261123`);
  assert.equal(spawnSync('mkfifo', [`${path}.2`]).status, 0);
  const { files } = await verifyStream(path, key);
  assert.deepEqual([files, await events()], [[path], [1, []]]);
  assert.ok(readdirSync(folder).length > 2);
});
