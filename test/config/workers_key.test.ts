// Tests of the key `workers`.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

import { readConfig } from '../../src/config/config.ts';
import { FaultsError } from '../../src/lib/fault.ts';
import { scratchFolder } from '../support/scratch.ts';

const shared = 'postgres://jetway@127.0.0.1/jetway?sslmode=disable';

/** The workers of a configuration, or what is wrong with it. */
function workersOf(t: TestContext, store: string, workers: string): unknown {
  const path = join(scratchFolder(t, 'workers'), 'config.yaml');
  const head = 'environment: staging\npublic_url: http://127.0.0.1\n';
  writeFileSync(path, `${head}store: ${store}\nworkers: ${workers}\n`);
  try {
    return readConfig(path).workers;
  } catch (error) {
    assert.ok(error instanceof FaultsError);
    return error.faults.map((fault) => `${fault.path}: ${fault.message}`);
  }
}

test('a number of workers, or one for each core', (t) => {
  assert.equal(workersOf(t, shared, '4'), 4);
  assert.equal(workersOf(t, shared, 'cores'), availableParallelism());
  for (const [text, message] of [
    ['0', 'expected 1 or more, found the number 0'],
    ['65', 'expected 64 or less, found the number 65'],
    ['1.5', 'expected a whole number, found the number 1.5'],
    ['many', 'expected a number of processes from 1 to 64, or cores for as many as there are'],
  ] as const) {
    assert.deepEqual(workersOf(t, shared, text), [`workers: ${message}`]);
  }
});

test('several workers only on a store that gains by them', (t) => {
  const only =
    'only a postgres: store gains by more processes: SQLite has one writer at a time, and memory belongs to one process';
  for (const store of ['memory', 'file:./a.db']) {
    assert.equal(workersOf(t, store, '1'), 1);
    assert.deepEqual(workersOf(t, store, '2'), [`workers: ${only}`]);
  }
});
