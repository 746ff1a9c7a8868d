// Owns the promises of `-`: a backup goes to standard output, and imports come from standard input.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import { program } from '../support/program.ts';
import { environment, jetway, jetwayEach, workFolder } from './command.ts';

const hash = `$2b$04$${'u'.repeat(53)}`;

describe('-', { concurrency: 2 }, () => {
  test('store backup writes the backup to standard output, and nothing else there', async (t) => {
    const folder = workFolder(t, { 'tmp/kept': '' });
    const added = await jetway(folder, ['client', 'add', '--programme', 'club', '--name', 'A']);
    assert.equal(added.code, 0);
    const child = spawn(process.execPath, [program, 'store', 'backup', '-'], {
      cwd: folder,
      env: { ...environment, TMPDIR: join(folder, 'tmp') },
    });
    const ended = once(child, 'close');
    const [bytes, told] = await Promise.all([buffer(child.stdout), text(child.stderr)]);
    assert.deepEqual(await ended, [0, null]);
    assert.match(told, /^The store is backed up to standard output, and .* sound\.\n/);
    assert.deepEqual(readdirSync(join(folder, 'tmp')), ['kept']);
    writeFileSync(join(folder, 'piped.db'), bytes, { mode: 0o600 });
    const [verified, restored, listed, json] = await jetwayEach(folder, [
      ['store', 'verify', 'piped.db'],
      ['store', 'restore', 'piped.db', '--yes'],
      ['client', 'list', '--count'],
      ['store', 'backup', '-', '--json'],
    ]);
    assert.deepEqual([verified.code, restored.code, listed.stdout], [0, 0, '1\n']);
    const message = '--json and - do not go together: standard output is the backup\n';
    assert.deepEqual(json, { code: 2, stdout: '', stderr: message });
  });

  test('a reader of a backup that goes away, or no room for it, is told', async (t) => {
    const folder = workFolder(t);
    assert.equal((await jetway(folder, ['client', 'list'])).code, 0);
    const run = async (output: 'destroy' | 'resume', temporary: string) => {
      const child = spawn(process.execPath, [program, 'store', 'backup', '-'], {
        cwd: folder,
        env: { ...environment, TMPDIR: temporary },
      });
      child.stdout[output]();
      const ended = once(child, 'close') as Promise<[number]>;
      const told = await text(child.stderr);
      const [code] = await ended;
      return [code, told] as const;
    };
    mkdirSync(join(folder, 'tmp'));
    assert.deepEqual(await run('destroy', join(folder, 'tmp')), [1, '']);
    assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
    const [code, told] = await run('resume', join(folder, 'absent'));
    assert.equal(code, 1);
    assert.match(told, /^ENOENT: [^\n]*absent[^\n]*\n$/);
  });

  test('imports read standard input, CSV or YAML, and tell places in it', async (t) => {
    const folder = workFolder(t);
    const load = (noun: string, input: string) =>
      jetway(folder, [noun, 'import', '-', '--programme', 'club'], input);
    const csv = `client_id,client_secret,name\npartnerapi-00001,${'s'.repeat(20)},Ann\n`;
    const yaml = `---\n# as another system has it\n- client_id: partnerapi-00002\n  client_secret: ${'t'.repeat(20)}\n  name: Bob\n`;
    const client = { client_id: 'partnerapi-00003', client_secret: 'u'.repeat(20), name: 'Cem' };
    const one = { code: 0, stdout: '1 client is imported into club\n' };
    for (const input of [csv, yaml, JSON.stringify([client])]) {
      const { code, stdout } = await load('client', input);
      assert.deepEqual({ code, stdout }, one);
    }
    assert.deepEqual(await load('member', `username,bcrypt\nann,${hash}\n`), {
      code: 0,
      stdout: '1 member is imported into club\n',
      stderr: '',
    });
    const slips = [
      [await load('member', 'username,bcrypt\nann,none\n'), /^<stdin>:2:5: error: /],
      [await load('client', '- client_id: x\n  nam: A\n'), /^<stdin>:2:3: error: .*"nam"/m],
      [await load('client', ''), /^<stdin>:1:1: error: there is no client in this file/],
      [await load('client', '\u{fffd}'.repeat(6_000_000)), /longer than 16777216 bytes\n$/],
    ] as const;
    for (const [{ code, stdout, stderr }, message] of slips) {
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    }
  });
});
