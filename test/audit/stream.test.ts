// FAULTS 27: the audit stream of a server while its file can be written and while it cannot: a bounded
// buffer, and then the stated policy.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test, type TestContext } from 'node:test';

import { AuditStream, type StreamOptions } from '../../src/audit/stream.ts';
import { lockPath } from '../../src/audit/turns.ts';
import { until } from '../support/until.ts';
import { eventOf, eventsIn, key, scene } from './trail_scene.ts';

/** Longer than a test takes. */
const forever = 600_000;
const patient = { characters: 1_000_000, milliseconds: forever };

function streamOf(
  t: TestContext,
  path: string,
  { onFailure = 'refuse', bounds = patient }: Partial<StreamOptions> = {},
): { readonly stream: AuditStream; readonly told: (string | undefined)[] } {
  const told: (string | undefined)[] = [];
  const tell = (trouble: string | undefined): void => void told.push(trouble);
  const stream = new AuditStream({ path, key, patience: 10, onFailure, bounds, tell });
  t.after(() => stream.end(0));
  return { stream, told };
}

/** Takes the writers' turn, as a writer does that hangs; the returned function gives it back. */
function blockWriters(t: TestContext, path: string): () => void {
  const holder = new DatabaseSync(lockPath(path));
  holder.exec('BEGIN IMMEDIATE');
  t.after(() => holder.close());
  return () => holder.exec('ROLLBACK');
}

describe('the stream of a server', () => {
  test('appends what is put within a moment, in order, and all of it at the end', async (t) => {
    const { path, lines, verify } = scene(t);
    const { stream, told } = streamOf(t, path);
    stream.putText(eventOf('a'));
    stream.putText(eventOf('b'));
    await until(() => existsSync(path) && lines().length === 3);
    assert.deepEqual(eventsIn(lines()), ['file_begun', 'a', 'b']);
    stream.putText(eventOf('c'));
    assert.equal(await stream.end(forever), 0);
    assert.deepEqual(eventsIn(lines()), ['file_begun', 'a', 'b', 'c']);
    assert.deepEqual([(await verify()).broken, told], [0, []]);
  });

  test('keeps events while the file is blocked, and refuses nothing within its bounds', async (t) => {
    const { append, path, lines } = scene(t);
    append('first');
    const release = blockWriters(t, path);
    const { stream, told } = streamOf(t, path);
    stream.putText(eventOf('a'));
    await until(() => told.length === 1);
    assert.deepEqual(
      [stream.trouble, stream.isBlocked, told],
      ['database is locked', false, ['database is locked']],
    );
    stream.putText(eventOf('b'));
    release();
    assert.equal(await stream.flush(forever), true);
    assert.deepEqual(eventsIn(lines()), ['file_begun', 'first', 'a', 'b']);
    assert.deepEqual([stream.trouble, told], [undefined, ['database is locked', undefined]]);
  });

  for (const [bound, bounds] of [
    ['too many events wait', { characters: 500, milliseconds: forever }],
    ['events wait for too long', { characters: 1_000_000, milliseconds: 200 }],
  ] as const) {
    test(`refuse: asks to have requests refused while ${bound}, and loses none`, async (t) => {
      const { append, path, lines, verify } = scene(t);
      append('first');
      const release = blockWriters(t, path);
      const { stream } = streamOf(t, path, { bounds });
      const clients = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const client of clients) stream.putText(eventOf(client));
      await until(() => stream.isBlocked);
      // Of a request that was under way by then.
      stream.putText(eventOf('g'));
      release();
      await until(() => !stream.isBlocked);
      assert.equal(await stream.flush(forever), true);
      const told = eventsIn(lines());
      const own = told.filter((one) => one !== 'audit_resumed');
      assert.deepEqual(own, ['file_begun', 'first', ...clients, 'g']);
      // On a slow machine the stream may be late once more.
      assert.ok(told.length > own.length);
      assert.equal((await verify()).broken, 0);
    });

    test(`drop: drops and counts events while ${bound}`, async (t) => {
      const { append, path, lines, verify } = scene(t);
      append('first');
      const release = blockWriters(t, path);
      const { stream } = streamOf(t, path, { bounds, onFailure: 'drop' });
      for (const client of ['a', 'b', 'c', 'd', 'e', 'f']) stream.putText(eventOf(client));
      await until(() => stream.isDropping);
      for (const client of ['g', 'h']) stream.putText(eventOf(client));
      assert.equal(stream.isBlocked, false);
      release();
      await until(() => !stream.isDropping);
      assert.equal(await stream.flush(forever), true);
      const told = lines();
      const { events } = JSON.parse(told.find((line) => line.includes('events_lost')) ?? '{}') as {
        events: number;
      };
      // Those that found no room are counted; all others are there.
      assert.equal(eventsIn(told).filter((one) => one.length === 1).length + events, 8);
      assert.ok(events >= 2);
      assert.equal((await verify()).broken, 0);
    });
  }

  test('FAULTS 27: what waits beyond the bound is written in several batches, and tells its end once', async (t) => {
    const { append, path, lines } = scene(t);
    append('first');
    const release = blockWriters(t, path);
    const bounds = { characters: 300_000, milliseconds: forever };
    const { stream, told } = streamOf(t, path, { bounds });
    // Each is a batch of its own, as two have more characters than one batch.
    for (let at = 0; at < 4; at += 1) stream.put('token_issued', { of: 'x'.repeat(150_000) });
    await until(() => told.length === 1);
    assert.equal(stream.isBlocked, true);
    release();
    assert.equal(await stream.flush(forever), true);
    assert.equal(told.length, 2);
    assert.equal(lines().filter((line) => line.includes('audit_resumed')).length, 1);
  });

  test('ends in time where the file stays blocked, and says how much is lost', async (t) => {
    const { append, path } = scene(t);
    append('first');
    blockWriters(t, path);
    const { stream } = streamOf(t, path);
    for (const client of ['a', 'b']) stream.putText(eventOf(client));
    assert.equal(await stream.end(100), 2);
  });

  test('goes on in a folder that comes back', async (t) => {
    const { folder, path, lines } = scene(t);
    const { stream, told } = streamOf(t, `${folder}/later/audit.jsonl`);
    stream.putText(eventOf('a'));
    await until(() => told.length === 1);
    assert.match(told[0] ?? '', /ENOENT/);
    mkdirSync(`${folder}/later`);
    assert.equal(await stream.flush(forever), true);
    rmSync(path, { force: true });
    assert.deepEqual(eventsIn(lines('later/audit.jsonl')), ['file_begun', 'a']);
  });

  test('takes more than one order can hold, all of it once and in order', async (t) => {
    const { path, lines, verify } = scene(t);
    const { stream } = streamOf(t, path, { bounds: { ...patient, characters: 10_000_000 } });
    const clients = Array.from({ length: 12 }, (_, index) => `${index}`.repeat(200_000));
    for (const client of clients) stream.putText(eventOf(client));
    assert.equal(await stream.end(forever), 0);
    assert.deepEqual(
      eventsIn(lines()).map((one) => one.slice(0, 12)),
      ['file_begun', ...clients.map((one) => one.slice(0, 12))],
    );
    assert.equal((await verify()).broken, 0);
  });

  test('takes what strangers sent as text, and puts no line in', async (t) => {
    const { path, lines, verify } = scene(t);
    const { stream } = streamOf(t, path);
    const client = 'a"}\n{"seq":3,"event":"token_issued"\u2028\u202e\u0085\\';
    stream.put('token_refused', { client });
    assert.equal(await stream.end(forever), 0);
    const [, line = ''] = lines();
    assert.equal(lines().length, 2);
    assert.equal((JSON.parse(line) as { client: string }).client, client);
    assert.doesNotMatch(readFileSync(path, 'utf8').replaceAll('\n', ''), /\p{C}|\u2028/u);
    assert.equal((await verify()).broken, 0);
  });
});
