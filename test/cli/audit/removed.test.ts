// What becomes of an audit stream that is removed or cut while nobody writes to it: the store knows its
// newest line. And what `audit verify` does where the store cannot tell, or is older than the stream.

import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { jetway, type Ran, workFolder } from '../command.ts';
import { startServer } from '../server.ts';

const add = 'client add --programme club --role partner --name'.split(' ');
const verify = ['audit', 'verify'];

async function whole(folder: string): Promise<Ran> {
  const ran = await jetway(folder, verify);
  assert.equal(ran.code, 0, ran.stdout);
  return ran;
}

describe('an audit stream and its store', { concurrency: 2 }, () => {
  test('a removed stream shows at once, and in the next line', async (t) => {
    const folder = workFolder(t);
    for (const name of ['Blue', 'Green']) await jetway(folder, [...add, name]);
    await whole(folder);
    for (const file of ['audit.jsonl', 'audit.jsonl.lock']) rmSync(join(folder, 'data', file));
    const gone = await jetway(folder, verify);
    assert.deepEqual(
      [gone.code, gone.stdout],
      [
        1,
        'data/audit.jsonl: the stream was removed: the store knows of line 6\nThe audit stream is broken: 1 place.\n',
      ],
    );
    assert.equal((await jetway(folder, [...add, 'Red'])).code, 0);
    const told = await jetway(folder, verify);
    assert.deepEqual(
      [told.code, told.stdout],
      [
        1,
        'data/audit.jsonl:2: the stream had been removed before this line was written\nThe audit stream is broken: 1 place.\n',
      ],
    );
    assert.match(readFileSync(join(folder, 'data/audit.jsonl'), 'utf8'), /^\{"seq":7,"size":0,/);
  });

  test('a stream that was cut while no server ran shows when one starts', async (t) => {
    const folder = workFolder(t);
    await jetway(folder, [...add, 'Blue']);
    const first = await startServer(t, folder);
    assert.equal(await first.end('SIGTERM'), 0);
    await whole(folder);
    const path = join(folder, 'data/audit.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${lines.slice(0, 3).join('\n')}\n`);
    const second = await startServer(t, folder);
    assert.equal(await second.end('SIGTERM'), 0);
    const { code, stdout } = await jetway(folder, verify);
    assert.equal(code, 1);
    assert.match(stdout, /:4: lines had been cut off the file before this one was written\n/);
  });

  test('without its store the chain is verified, and a note tells what does not show', async (t) => {
    const folder = workFolder(t);
    await jetway(folder, [...add, 'Blue']);
    const database = join(folder, 'data/jetway.db');
    renameSync(database, `${database}.away`);
    assert.match(
      (await whole(folder)).stdout,
      /: the store cannot be asked .* \(there is none\): /,
    );
    writeFileSync(database, 'no store');
    assert.match((await whole(folder)).stdout, /: the store cannot be asked .*jetway\.db.*: lines/);
    const changed = readFileSync(join(folder, 'data/audit.jsonl'), 'utf8').replace('Blue', 'Bleu');
    writeFileSync(join(folder, 'data/audit.jsonl'), changed);
    assert.equal((await jetway(folder, verify)).code, 1);
  });

  test('a store that was restored knows an older line: nothing is broken', async (t) => {
    const folder = workFolder(t);
    await jetway(folder, [...add, 'Blue']);
    await jetway(folder, ['store', 'backup', 'backup.db']);
    await jetway(folder, [...add, 'Green']);
    const restore = ['store', 'restore', 'backup.db', '--yes'];
    assert.equal((await jetway(folder, restore)).code, 0);
    await whole(folder);
    assert.equal((await jetway(folder, [...add, 'Red'])).code, 0);
    await whole(folder);
  });
});
