// Owns the promise that every test is run: each file by one of `npm test` and `npm run test:slow`, once.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { testProcesses } from './together.ts';

const root = join(import.meta.dirname, '../..');

const ci = readFileSync(join(root, '.ci/run'), 'utf8');

const run = (speed: 'quick' | 'slow'): readonly string[] =>
  testProcesses(speed).flatMap(({ tests }) => tests);

test('each test file belongs to exactly one of the two commands', () => {
  const files = globSync('test/**/*.test.ts', { cwd: root });
  assert.deepEqual([...run('quick'), ...run('slow')].toSorted(), files.toSorted());
  assert.deepEqual(
    run('slow').toSorted(),
    files.filter((file) => file.endsWith('.slow.test.ts')).toSorted(),
  );
});

test('both commands run what is named here, and .ci/run runs both', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const { test: all = '', 'test:unit': quick = '', 'test:slow': slow = '' } = scripts;
  assert.ok(all.endsWith(' npm run test:unit'));
  assert.deepEqual(
    [quick, slow],
    ['TESTS=quick', 'TESTS=slow'].map((set) => `${set} npm run test:run`),
  );
  assert.ok(scripts['test:run']?.endsWith('$(node test/support/together.ts $TESTS)'));
  for (const command of ['npm test', 'npm run test:slow']) assert.ok(ci.includes(command), command);
});

test('each part of .ci/run has a budget, and all together stay under 35 minutes', () => {
  const [, table = ''] = /^declare -A budget=\(\n([^)]*)\)/m.exec(ci) ?? [];
  const budgets = new Map(
    [...table.matchAll(/\[(\w+)\]=(\d+)/g)].map(([, one, s]) => [one, Number(s)]),
  );
  const parts = [...ci.matchAll(/^part (\w+) /gm)].map(([, name]) => name);
  assert.deepEqual(new Set(parts), new Set(budgets.keys()));
  const all = [...budgets.values()].reduce((sum, one) => sum + one, 0);
  assert.ok(all < 35 * 60, `${all} s`);
});
