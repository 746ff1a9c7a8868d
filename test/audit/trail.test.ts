// Appending to the audit stream, whatever became of its file meanwhile: rotated, cut, removed, written
// to by others, or left with half a line by a writer that was killed.

import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import { Trail } from '../../src/audit/trail.ts';
import { lockPath } from '../../src/audit/turns.ts';
import { breaksIn, eventOf, eventsIn, key, scene } from './trail_scene.ts';

describe('appending', () => {
  test('goes on in a new file where the old one was renamed, as logrotate does', async (t) => {
    const { open, path, lines, verify } = scene(t);
    const [one, other] = [open(), open()];
    one.append([eventOf('a')]);
    other.append([eventOf('b')]);
    renameSync(path, `${path}.1`);
    one.append([eventOf('c')]);
    other.append([eventOf('d')]);
    assert.deepEqual(eventsIn(lines()), ['file_begun', 'c', 'd']);
    renameSync(`${path}.1`, `${path}.2`);
    renameSync(path, `${path}-20261123`);
    other.append([eventOf('e')]);
    assert.equal((await verify()).broken, 0);
    // Compressed, and the oldest thrown away, as it is once it is old enough.
    for (const [name, compress, end] of [
      [`${path}-20261123`, gzipSync, 'gz'],
      [`${path}.2`, zstdCompressSync, 'zst'],
    ] as const) {
      writeFileSync(`${name}.${end}`, compress(readFileSync(name)));
      rmSync(name);
    }
    const { broken, oldest, newest, files } = await verify();
    assert.deepEqual([broken, oldest?.seq, newest?.seq, files.length], [0, 1, 8, 3]);
    rmSync(`${path}.2.zst`);
    const later = await verify();
    assert.deepEqual([later.broken, later.oldest?.seq], [0, 4]);
  });

  test('a rotated file that is gone from the middle shows', async (t) => {
    const { append, path, verify } = scene(t);
    for (const name of ['1', '2', '3']) {
      append(name);
      renameSync(path, `${path}.${name}`);
    }
    append('newest');
    assert.equal((await verify()).broken, 0);
    rmSync(`${path}.2`);
    assert.deepEqual(breaksIn(await verify()), [
      'audit.jsonl.3:1 lines 3 to 4 of the stream are missing before it',
    ]);
  });

  test('goes on in a file that was copied and emptied', async (t) => {
    const { open, path, lines, verify } = scene(t);
    const trail = open();
    trail.append([eventOf('a')]);
    copyFileSync(path, `${path}.1`);
    truncateSync(path, 0);
    trail.append([eventOf('b')]);
    assert.deepEqual(eventsIn(lines()), ['file_begun', 'b']);
    assert.equal((await verify()).broken, 0);
  });

  test('half a line at the end is no break: its writer was killed, or writes it now', async (t) => {
    const { append, path, lines, verify } = scene(t);
    append('a');
    appendFileSync(path, lines()[1]?.slice(0, 40) ?? '');
    const { broken, notes } = await verify();
    assert.deepEqual(
      [broken, notes.map(({ line, what }) => [line, what])],
      [0, [[3, 'the last write was cut off, or is under way']]],
    );
  });

  test('closes the line in which a writer was killed, and tells of it', async (t) => {
    const { append, path, lines, put, verify } = scene(t);
    append('a', 'b');
    appendFileSync(path, lines()[1]?.slice(0, 50) ?? '');
    append('c');
    const whole = lines();
    assert.deepEqual(eventsIn(whole.toSpliced(3, 1)), [
      'file_begun',
      'a',
      'b',
      'write_cut_off',
      'c',
    ]);
    const { broken, notes, newest } = await verify();
    assert.deepEqual([broken, newest?.seq], [0, 5]);
    assert.deepEqual(
      notes.map(({ line, what }) => [line, what]),
      [[4, 'its writer was killed while writing it']],
    );
    // Something else was put there since: the next line tells where the file ended.
    put(whole.with(3, `${whole[3]} and more`));
    assert.deepEqual(breaksIn(await verify()), [
      'audit.jsonl:4 is no line of the stream: changed, or written by something else',
    ]);
  });

  test('goes on after a line that is longer than most', async (t) => {
    const { append, verify } = scene(t);
    append('a'.repeat(300_000));
    append('b');
    const { broken, newest } = await verify();
    assert.deepEqual([broken, newest?.seq], [0, 3]);
  });

  const cut = 'lines had been cut off the file before this one was written';
  const disturbances: Readonly<
    Record<string, readonly [(path: string) => void, readonly string[]]>
  > = {
    'lines were cut off': [
      (path) => truncateSync(path, statSync(path).size - 150),
      [
        'audit.jsonl:3 is no line of the stream: changed, or written by something else',
        'audit.jsonl:4 lines 3 to 4 of the stream are missing before it',
        `audit.jsonl:4 ${cut}`,
      ],
    ],
    'something else wrote to it': [
      (path) => appendFileSync(path, 'hello\nworld\n'),
      [
        'audit.jsonl:5 is no line of the stream: changed, or written by something else',
        'audit.jsonl:6 is no line of the stream: changed, or written by something else',
        'audit.jsonl:7 something else had written to the file before this line',
      ],
    ],
    'an older file is in its place': [
      (path) => {
        const lines = readFileSync(path, 'utf8').split('\n').slice(0, 2);
        writeFileSync(`${path}.new`, `${lines.join('\n')}\n`);
        renameSync(`${path}.new`, path);
      },
      ['audit.jsonl:3 lines 3 to 4 of the stream are missing before it', `audit.jsonl:3 ${cut}`],
    ],
    'it was removed': [
      (path) => rmSync(path),
      ['audit.jsonl:2 the stream had been removed before this line was written'],
    ],
    'it was emptied': [
      (path) => truncateSync(path, 0),
      ['audit.jsonl:2 the stream had been removed before this line was written'],
    ],
  };
  for (const [name, [disturb, expected]] of Object.entries(disturbances)) {
    test(`goes on, and leaves the break to see, where ${name}`, async (t) => {
      const { open, path, verify } = scene(t);
      const trail = open();
      trail.append(['a', 'b', 'c'].map(eventOf));
      disturb(path);
      trail.append([eventOf('d')]);
      trail.append([eventOf('e')]);
      assert.deepEqual(breaksIn(await verify()), expected);
    });

    test(`a writer that begins, and knows the newest line, sees that ${name}`, async (t) => {
      const { append, path, verify } = scene(t);
      append('a', 'b', 'c');
      const { newest: known } = await verify();
      disturb(path);
      const trail = new Trail({ path, key, patience: 10, known });
      trail.append([eventOf('d')]);
      trail.close();
      append('e');
      assert.deepEqual(breaksIn(await verify()), expected);
    });
  }

  test('a file that begins with half a line or a foreign one is no first start in silence', async (t) => {
    for (const [text, expected] of [
      ['{"seq":1,"si', []],
      [
        'hello\n',
        [
          'audit.jsonl:1 is no line of the stream: changed, or written by something else',
          'audit.jsonl:2 something else had written to the file before this line',
        ],
      ],
    ] as const) {
      const { append, path, verify } = scene(t);
      writeFileSync(path, text);
      append('a');
      assert.deepEqual(breaksIn(await verify()), expected);
    }
  });

  test('what is rotated away and removed at once counts as removed', async (t) => {
    const { open, path, verify } = scene(t);
    const trail = open();
    trail.append([eventOf('a')]);
    renameSync(path, `${path}.1`);
    rmSync(`${path}.1`);
    trail.append([eventOf('b')]);
    assert.equal((await verify()).broken, 1);
  });

  test('FAULTS 31: goes on beside a rotated file that cannot be read, or is large', async (t) => {
    const { open, path, folder, lines } = scene(t);
    const writer = open();
    writer.append([eventOf('a')]);
    renameSync(path, `${path}.2`);
    writer.append([eventOf('b')]);
    const whole = gzipSync(readFileSync(path));
    rmSync(path);
    // Half of a file that is being compressed; a folder of such a name; more than is worth to look at.
    writeFileSync(`${path}.1.gz`, whole.subarray(0, whole.length / 2));
    mkdirSync(join(folder, 'audit.jsonl.1d'));
    writer.append([eventOf('c')]);
    assert.deepEqual(eventsIn(lines()), ['file_begun', 'c']);
    rmSync(path);
    writeFileSync(`${path}.1.gz`, gzipSync(Buffer.alloc(100_000_000)));
    open().append([eventOf('d')]);
    assert.deepEqual(eventsIn(lines()), ['file_begun', 'd']);
  });

  test('a forged line decides no number: the stream goes on after its own newest', async (t) => {
    const { append, path, lines, verify } = scene(t);
    append('a', 'b');
    const forged = `{"seq":999999999999999,"size":1,"time":"x","mac":"${'A'.repeat(22)}"}\n`;
    appendFileSync(path, forged);
    append('c');
    append('d');
    const numbers = lines().map((line) => (JSON.parse(line) as { readonly seq: number }).seq);
    assert.deepEqual(numbers, [1, 2, 3, 999_999_999_999_999, 4, 5, 6]);
    assert.deepEqual(breaksIn(await verify()), [
      'audit.jsonl:4 lines 4 to 999999999999998 of the stream are missing before it',
      'audit.jsonl:5 line 4 of the stream is out of place: 1000000000000000 is expected',
      'audit.jsonl:5 something else had written to the file before this line',
    ]);
  });

  test('refuses what is no regular file', (t) => {
    const { path, open } = scene(t);
    mkdirSync(path);
    const trail = open();
    assert.throws(() => trail.append([eventOf('a')]), { code: 'EISDIR' });
    rmSync(path, { recursive: true });
    trail.append([eventOf('a')]);
  });

  test('makes files that are their owner’s alone', (t) => {
    const { append, path } = scene(t);
    append('a');
    for (const name of [path, lockPath(path)]) assert.equal(statSync(name).mode & 0o777, 0o600);
  });

  test('waits for another writer, and gives up in time', (t) => {
    const { open, path, lines } = scene(t);
    open().append([eventOf('a')]);
    const holder = new DatabaseSync(lockPath(path));
    holder.exec('BEGIN IMMEDIATE');
    const hasty = new Trail({ path, key, patience: 10 });
    assert.throws(() => hasty.append([eventOf('b')]), /database is locked/);
    holder.exec('ROLLBACK');
    holder.close();
    hasty.append([eventOf('c')]);
    hasty.close();
    assert.deepEqual(eventsIn(lines()), ['file_begun', 'a', 'c']);
  });
});

test('a stream that version 0.1.0 has written is whole, and goes on', async (t) => {
  const { append, path, lines, verify } = scene(t);
  copyFileSync(join(import.meta.dirname, 'streams/0.1.0.jsonl'), path);
  const before = await verify();
  assert.deepEqual([before.broken, before.notes.length, before.newest?.seq], [0, 1, 4]);
  // It is locked by the database that version kept of the newest line, which may still run.
  const former = new DatabaseSync(`${path}.head`);
  former.exec('PRAGMA journal_mode = WAL; CREATE TABLE head (seq INTEGER); BEGIN IMMEDIATE');
  const hasty = new Trail({ path, key, patience: 10 });
  assert.throws(() => hasty.append([eventOf('c')]), /database is locked/);
  former.exec('ROLLBACK');
  former.close();
  hasty.close();
  append('c');
  append('d');
  assert.deepEqual(eventsIn(lines().slice(-2)), ['c', 'd']);
  const { broken, newest } = await verify();
  assert.deepEqual([broken, newest?.seq], [0, 6]);
  assert.equal(lockPath(path), `${path}.head`);
});
