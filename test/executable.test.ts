// Owns what is promised of the executable itself: it runs alone, answers on the port it names,
// and is built the same twice. What it answers is tested at the sources.

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';

import { build, buildIfStale } from '../scripts/build.ts';

const root = join(import.meta.dirname, '..');

describe('executable', () => {
  let folder: string;
  let executable: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jetway-'));
    executable = join(folder, 'jetway');
    copyFileSync(await buildIfStale(), executable);
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  test('is one file that may be executed by everyone', () => {
    assert.equal(statSync(join(root, 'dist/jetway')).mode & 0o777, 0o755);
  });

  test('tells its version in an empty folder', () => {
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const printed = execFileSync(executable, ['version'], { cwd: folder, encoding: 'utf8' });
    assert.ok(typeof manifest === 'object' && manifest !== null && 'version' in manifest);
    assert.match(printed, new RegExp(`(^|\\s)${String(manifest.version)}(\\s|$)`));
  });

  test('serves the shipped programmes in an empty folder and ends when told', async () => {
    const jetway = spawn(executable, ['dev', '--listen', '127.0.0.1:0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const url = await urlPrinted(jetway);
      const response = await fetch(url);
      assert.ok(response.status < 500, `${url} answered ${response.status}`);
      const page = await (await fetch(`${url}/executive-club/login`)).text();
      const logo = /<img src="([^"]*)"/.exec(page)?.[1] ?? '';
      assert.equal(
        await (await fetch(url + logo)).text(),
        readFileSync(join(root, 'programmes/executive-club.svg'), 'utf8'),
      );
      jetway.kill('SIGTERM');
      assert.deepEqual(await once(jetway, 'exit'), [0, null]);
    } finally {
      jetway.kill('SIGKILL');
    }
  });

  test('is the same to the byte when built twice, and names no folder of the machine', async () => {
    const bytes = readFileSync(executable);
    const again = await build(join(folder, 'again'));
    assert.ok(bytes.equals(readFileSync(again)), 'two builds differ');
    assert.ok(!bytes.includes(root), `${root} is in the executable`);
    assert.ok(!bytes.includes(folder), `${folder} is in the executable`);
  });
});

/** The first address that `jetway dev` prints; it prints one only once it listens. */
async function urlPrinted(jetway: ChildProcess): Promise<string> {
  assert.ok(jetway.stdout);
  const printed: string[] = [];
  for await (const line of createInterface({ input: jetway.stdout })) {
    printed.push(line);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`jetway dev ended without an address:\n${printed.join('\n')}`);
}
