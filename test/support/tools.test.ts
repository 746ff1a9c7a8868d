// Owns the promise of a bare machine: what is absent is named once, with the command that installs it,
// and the tests that need it are skipped with that reason; where nothing may be skipped it is an error.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

/** Runs node where no program of the system is found; what is not looked for by name may be there. */
function runBare(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: '/nowhere', ...env },
  });
  return { status, stdout, stderr };
}

const tools = 'test/support/tools.ts';
const strict = { JETWAY_TESTS_SKIP_NOTHING: '1' };

test('what is absent is named in a line, with what installs it; an error where nothing is skipped', () => {
  const lenient = runBare([tools]);
  assert.match(
    lenient.stdout,
    /^Absent here: curl, openssl, [^\n]*\. Tests that need them are skipped; with them: apt-get install curl openssl [^\n]*\n$/,
  );
  assert.deepEqual([lenient.status, lenient.stderr], [0, '']);
  assert.deepEqual(runBare([tools], strict), { ...lenient, status: 1 });
  const packages = runBare([tools, '--packages']).stdout;
  assert.ok(lenient.stdout.endsWith(`apt-get install ${packages}`), packages);
  assert.match(packages, /\bgcc libc6-dev\b.*\bbinutils\b/);
});

test('a test that needs what is absent is skipped with its reason, or fails', () => {
  const runner = ['--test', '--test-reporter=tap', 'test/clients/curl.test.ts'];
  const lenient = runBare(runner);
  const reasons = new Set(lenient.stdout.match(/# SKIP .*/g));
  assert.deepEqual([...reasons], ['# SKIP curl is not installed: apt-get install curl']);
  assert.match(lenient.stdout, /^# pass 0\n# fail 0\n/m);
  assert.equal(lenient.status, 0);
  const { status, stdout } = runBare(runner, strict);
  assert.match(stdout, /curl is not installed: apt-get install curl/);
  assert.equal(status, 1);
});

test('every package takes each node that package.json lets run npm ci', () => {
  interface Manifest {
    readonly engines?: { readonly node?: string };
  }
  const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const { engines } = read('package.json') as Manifest;
  const { packages } = read('package-lock.json') as {
    readonly packages: Readonly<Record<string, Manifest>>;
  };
  // The lowest of each range: npm compares nothing else of the machine's node.
  const lowest = (engines?.node ?? '').match(/\d[\d.]*/g) ?? [];
  assert.deepEqual(lowest, ['20.19.0', '22.13.0', '24']);
  const refusing = Object.entries(packages).filter(([, { engines: own }]) =>
    lowest.some((version) => !takes(own?.node ?? '*', version)),
  );
  assert.deepEqual(
    refusing.map(([name]) => name),
    [],
  );
});

/** Of the shapes that packages use: `20 || >=22`, `^20.19.0 || …`, `>= 14.x`, `*`. */
function takes(range: string, version: string): boolean {
  const numbers = (text: string): number[] => [0, 1, 2].map((n) => Number(text.split('.')[n]) || 0);
  const [major, ...lower] = numbers(version);
  return range.split('||').some((part) => {
    const [, operator = '', least = ''] = /^\s*(>=|\^)?\s*(\d[\d.]*)?/.exec(part) ?? [];
    const [leastMajor = 0, ...rest] = numbers(least);
    if (least === '' || (operator === '>=' && major !== undefined && major > leastMajor))
      return true;
    if (major !== leastMajor) return false;
    const [minor = 0, patch = 0] = lower;
    const [leastMinor = 0, leastPatch = 0] = rest;
    return minor > leastMinor || (minor === leastMinor && patch >= leastPatch);
  });
}
