// Appending to the audit stream, whatever became of its file meanwhile: rotated, cut, replaced, written
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
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import { headPath } from '../../src/audit/head.ts';
import { Trail } from '../../src/audit/trail.ts';
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

  test('takes up whole lines that a killed writer could not tell the head of', async (t) => {
    const { open, path, lines, verify } = scene(t);
    const trail = open();
    trail.append([eventOf('a')]);
    const copy = `${headPath(path)}.copy`;
    const head = new DatabaseSync(headPath(path));
    head.exec(`VACUUM INTO '${copy}'`);
    head.close();
    trail.append([eventOf('b'), eventOf('c')]);
    const [half = ''] = [lines().at(-1)];
    for (const end of ['', '-wal', '-shm']) rmSync(`${headPath(path)}${end}`, { force: true });
    copyFileSync(copy, headPath(path));
    appendFileSync(path, half.slice(0, 50));
    const next = open();
    next.append([eventOf('d')]);
    assert.deepEqual(eventsIn(lines().filter((line) => line.endsWith('"}'))), [
      'file_begun',
      'a',
      'b',
      'c',
      'write_cut_off',
      'd',
    ]);
    const { broken, notes, newest } = await verify();
    assert.deepEqual([broken, newest?.seq], [0, 6]);
    assert.deepEqual(
      notes.map(({ line, what }) => [line, what]),
      [[5, 'its writer was killed while writing it']],
    );
  });

  const disturbances: Readonly<
    Record<string, readonly [(path: string) => void, readonly string[]]>
  > = {
    'lines were cut off': [
      (path) => truncateSync(path, statSync(path).size - 150),
      [
        'audit.jsonl:3 is no line of the stream: changed, or written by something else',
        'audit.jsonl:4 lines 3 to 4 of the stream are missing before it',
        'audit.jsonl:4 lines had been cut off the file before this one was written',
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
    'another file is in its place': [
      (path) => {
        writeFileSync(`${path}.new`, readFileSync(path, 'utf8').split('\n').slice(0, 2).join('\n'));
        renameSync(`${path}.new`, path);
      },
      [
        'audit.jsonl:3 lines 3 to 4 of the stream are missing before it',
        'audit.jsonl:3 another file had been put in the place of the stream',
      ],
    ],
    'the record of the newest line is gone': [
      (path) => {
        for (const end of ['', '-wal', '-shm']) rmSync(`${headPath(path)}${end}`, { force: true });
      },
      [
        'audit.jsonl:5 the record of the newest line was gone: lines may have been cut off before this one',
      ],
    ],
    'the record of the newest line was changed with a cut': [
      (path) => {
        const lines = readFileSync(path, 'utf8').split('\n').slice(0, 3);
        writeFileSync(path, `${lines.join('\n')}\n`);
        setHead(path, (head) => ({ ...head, seq: 3, size: statSync(path).size }));
      },
      [
        'audit.jsonl:4 the record of the newest line had been changed: lines may have been cut off before this one',
      ],
    ],
  };
  for (const [name, [disturb, expected]] of Object.entries(disturbances)) {
    test(`goes on, and leaves the break to see, where ${name}`, async (t) => {
      const { append, path, verify } = scene(t);
      append('a', 'b', 'c');
      disturb(path);
      append('d');
      append('e');
      assert.deepEqual(breaksIn(await verify()), expected);
    });
  }

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
    for (const name of [path, headPath(path)]) assert.equal(statSync(name).mode & 0o777, 0o600);
  });

  test('waits for another writer, and gives up in time', (t) => {
    const { open, path, lines } = scene(t);
    open().append([eventOf('a')]);
    const holder = new DatabaseSync(headPath(path));
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

interface HeadRow {
  readonly seq: number;
  readonly size: number;
}

/** Changes the record as somebody without the key can. */
function setHead(path: string, change: (head: HeadRow) => HeadRow): void {
  const database = new DatabaseSync(headPath(path));
  const row = database.prepare('SELECT seq, size FROM head').get() as unknown as HeadRow;
  const { seq, size } = change(row);
  database.prepare('UPDATE head SET seq = ?, size = ?').run(seq, size);
  database.close();
}
