// Files that are read from inside a folder, and from nowhere else (HOSTILE 54).

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import {
  noteReads,
  readFileInside,
  readSecretFile,
  readSourceFile,
  readTextFile,
  stampOf,
  UnreadableFile,
} from '../../src/lib/read_file.ts';
import { scratchFolder } from '../support/scratch.ts';

test('HOSTILE 54: no name and no link leads out of the folder', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'jetway-inside-'));
  t.after(() => {
    rmSync(home, { recursive: true });
  });
  const folder = join(home, 'programmes');
  mkdirSync(join(folder, 'logos'), { recursive: true });
  mkdirSync(join(home, 'programmes-secret'));
  writeFileSync(join(home, 'secret.svg'), 'secret');
  writeFileSync(join(home, 'programmes-secret/a.svg'), 'secret');
  writeFileSync(join(folder, 'logos/a.svg'), 'a');
  // As a mounted folder has it, whose files are links to those of its newest version.
  symlinkSync('logos', join(folder, '..data'));
  symlinkSync('..data/a.svg', join(folder, 'a.svg'));
  symlinkSync('../secret.svg', join(folder, 'out.svg'));
  symlinkSync(home, join(folder, 'outside'));
  for (const name of ['a.svg', 'logos/a.svg']) {
    assert.equal(Buffer.from(readFileInside(folder, name, 10)).toString(), 'a');
  }
  for (const name of [
    'out.svg',
    'outside/secret.svg',
    '../secret.svg',
    '../programmes-secret/a.svg',
  ]) {
    assert.throws(() => readFileInside(folder, name, 10), /is in another folder/, name);
  }
  assert.throws(() => readFileInside(folder, 'logos', 10), /is not a regular file/);
  assert.throws(() => readFileInside(folder, 'none.svg', 10), /does not exist/);
  assert.throws(() => readFileInside(folder, 'a.svg', 0), /is larger than 0 bytes/);
});

test('reads are noted by path and content, with what could not be read', (t) => {
  const folder = join(scratchFolder(t, 'reads'), 'inner');
  mkdirSync(folder);
  const path = join(folder, 'a');
  writeFileSync(path, 'one');
  const { result, reads } = noteReads(() => {
    assert.throws(() => readFileInside(folder, '../b', 10), UnreadableFile);
    return readTextFile(path, 10);
  });
  assert.equal(result, 'one');
  assert.deepEqual(
    reads.map((read) => read.path),
    [join(folder, '../b'), path],
  );
  const [missing, found] = reads;
  assert.equal(missing?.stamp, 'ENOENT');
  assert.equal(found?.digest, createHash('sha256').update('one').digest('hex'));
  assert.equal(found?.stamp, stampOf(path));
  writeFileSync(path, 'two');
  assert.notEqual(stampOf(path), found?.stamp);
  const again = noteReads(() => readTextFile(path, 10)).reads[0];
  assert.notEqual(again?.digest, found?.digest);
});

test('HOSTILE 89: a byte that is no UTF-8 is refused with its line, where no parser tells its place', (t) => {
  const path = join(scratchFolder(t, 'bytes'), 'secret');
  const write = (text: string, encoding: BufferEncoding): void =>
    writeFileSync(path, text, { encoding, mode: 0o600 });
  write('one\r\ntwo é', 'latin1');
  for (const read of [readTextFile, readSecretFile]) {
    const message = 'is not UTF-8 (line 2): save it as UTF-8';
    assert.throws(() => read(path, 100), { name: 'UnreadableFile', message });
  }
  assert.equal(readSourceFile(path, 100), 'one\r\ntwo \ufffd');
  // What PowerShell writes.
  writeFileSync(path, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('abc', 'utf16le')]));
  assert.throws(() => readSecretFile(path, 100), {
    message: 'is not UTF-8 (line 1): save it as UTF-8',
  });
  write('\ufeffsecret é\ufeff\r\n', 'utf8');
  for (const read of [readTextFile, readSecretFile]) {
    assert.equal(read(path, 100), 'secret é\ufeff\r\n');
  }
});
