// Owns the promises of a folder of programmes: what counts as a file, and that a bad one harms none.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import {
  listProgrammeFiles,
  readProgrammeFile,
  readProgrammeFolder,
} from '../../src/config/programme_files.ts';
import { FaultsError } from '../../src/lib/fault.ts';
import { scratchFolder } from '../support/scratch.ts';

const good = 'variant: grant\nname: Club\nprogramme_identifier: Club\nbase_path: /club\n';

/** What editors, package managers and hasty hands leave beside `a.yaml`. */
const leavings = [
  '.a.YAML.swp',
  '.#a.yaml',
  '#a.yaml#',
  'a.YAML~',
  'a.yaml.bak',
  'a.yaml.orig',
  'a.yaml.dpkg-old',
  'a.yaml.rpmsave',
  'a.yaml.tmp',
  'a.yaml.txt',
  '4913',
];

describe('a folder of programmes', () => {
  test('is read in order of name; a bad file says what is wrong and leaves the good ones alone', (t) => {
    const folder = filled(t, { 'b.yaml': 'name: [\n', 'c.yaml': good, 'a.yaml': good });
    const read = readProgrammeFolder(folder).map(({ file, loaded, faults }) => [
      file,
      loaded?.id,
      faults.filter(({ severity }) => severity === 'error').map(({ at }) => at),
    ]);
    assert.deepEqual(read, [
      [join(folder, 'a.yaml'), 'a', []],
      [join(folder, 'b.yaml'), undefined, [{ file: join(folder, 'b.yaml'), line: 1, column: 7 }]],
      [join(folder, 'c.yaml'), 'c', []],
    ]);
  });

  test('holds YAML files, hidden files and what editors leave excepted', (t) => {
    const folder = filled(t, {
      'a.yaml': good,
      '.a.yaml': good,
      'a.yaml~': good,
      'notes.md': good,
      ...Object.fromEntries(leavings.map((name) => [name, good])),
    });
    assert.deepEqual(listProgrammeFiles(folder), [join(folder, 'a.yaml')]);
  });

  test('HOSTILE 87: a file with another ending of YAML is listed, and told to be renamed', (t) => {
    const others = ['a.YAML', 'b.yml', 'c.YML', 'd.Yaml', 'e.yaML'];
    const folder = filled(t, Object.fromEntries(others.map((name) => [name, good])));
    const paths = others.map((name) => join(folder, name));
    assert.deepEqual(listProgrammeFiles(folder), paths);
    for (const path of paths) {
      const { loaded, faults } = readProgrammeFile(path);
      assert.deepEqual(
        [loaded, ...faults.map(({ severity, at, message, hint }) => [severity, at, message, hint])],
        [
          undefined,
          [
            'error',
            { file: path, line: 1, column: 1 },
            'a programme file is named *.yaml',
            'rename it',
          ],
        ],
      );
    }
  });

  test('may hold links to files; a link to nothing, a folder and a pipe are faults and do not block', (t) => {
    const folder = filled(t, { 'elsewhere/club': good });
    symlinkSync(join(folder, 'elsewhere/club'), join(folder, 'linked.yaml'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'lost.yaml'));
    mkdirSync(join(folder, 'dir.yaml'));
    // HOSTILE 54: opening a pipe to read it waits for a writer that never comes.
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe.yaml')]);
    const read = readProgrammeFolder(folder).map(({ loaded, faults }) => [
      loaded?.id,
      faults.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    ]);
    assert.deepEqual(read, [
      [undefined, ['the file is not a regular file']],
      ['linked', []],
      [undefined, ['the file does not exist']],
      [undefined, ['the file is not a regular file']],
    ]);
  });

  test('holds files of at most 64 KiB', (t) => {
    const padded = (size: number): string => `${good}#${'x'.repeat(size - good.length - 2)}\n`;
    const folder = filled(t, {
      'full.yaml': padded(64 * 1024),
      'larger.yaml': padded(64 * 1024 + 1),
      'large.yaml': padded(65 * 1024),
    });
    const read = readProgrammeFolder(folder).map(({ loaded, faults }) => [
      loaded?.id,
      faults
        .filter(({ severity }) => severity === 'error')
        .map(({ at, message }) => [at.line, message]),
    ]);
    const tooLarge = [undefined, [[1, 'the file is larger than 65536 bytes']]];
    assert.deepEqual(read, [['full', []], tooLarge, tooLarge]);
  });

  test('that is missing is a fault of its own', (t) => {
    const folder = join(filled(t, {}), 'missing');
    assert.throws(
      () => readProgrammeFolder(folder),
      (error) =>
        error instanceof FaultsError &&
        error.message === `${folder}:1:1: error: the folder of programmes cannot be read (ENOENT)`,
    );
  });

  test('shows its files as they would be typed', () => {
    const { file } = readProgrammeFile(join(process.cwd(), 'programmes/no-such-club.yaml'));
    assert.equal(file, 'programmes/no-such-club.yaml');
  });
});

function filled(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = scratchFolder(t, 'programmes');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
