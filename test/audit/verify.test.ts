// The chain of the audit stream: any line that is changed, removed, inserted or moved shows, and so does
// a cut at the end.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';

import { verifyFiles, verifyStream } from '../../src/audit/verify.ts';
import { fc } from '../support/property.ts';
import { breaksIn, eventOf, key, scene } from './trail_scene.ts';

const clients = Array.from({ length: 12 }, (_, index) => `partnerapi-${index}`);

describe('the audit stream', () => {
  test('is whole as it was written, by however many writers', async (t) => {
    const { append, verify, lines } = scene(t);
    for (const client of clients) append(client, client);
    const { broken, notes, oldest, newest, lines: count } = await verify();
    assert.deepEqual([broken, notes, oldest?.seq, newest?.seq, count], [0, [], 1, 25, 25]);
    assert.equal(lines().length, 25);
  });

  test('is whole also where nothing was written yet', async (t) => {
    const { open, verify } = scene(t);
    const none = { files: [], lines: 0, broken: 0, breaks: [], notes: [] };
    assert.deepEqual(await verify(), none);
    open();
    assert.deepEqual(await verify(), none);
  });

  test('is broken to whoever has another key', async (t) => {
    const { append, path } = scene(t);
    append('a', 'b');
    const { broken } = await verifyStream(path, new Uint8Array(32).fill(8));
    assert.ok(broken > 0);
  });

  /** Ways to tamper with lines; each takes two different places in them. */
  const tampering: Readonly<
    Record<string, (lines: string[], at: number, other: number, text: string) => void>
  > = {
    'a changed character': (lines, at, other) => {
      const line = lines[at] ?? '';
      const place = (other * 37) % line.length;
      const letter = line[place] === 'x' ? 'y' : 'x';
      lines[at] = line.slice(0, place) + letter + line.slice(place + 1);
    },
    'a removed line': (lines, at) => lines.splice(at, 1),
    'a cut at the end': (lines, at) => lines.splice(at),
    'a cut at the beginning': (lines, at) => lines.splice(0, Math.max(1, at)),
    'a line put in': (lines, at, _other, text) => lines.splice(at, 0, text),
    'a line of its own put in again': (lines, at, other) => lines.splice(at, 0, lines[other] ?? ''),
    'two lines swapped': (lines, at, other) => {
      [lines[at], lines[other]] = [lines[other] ?? '', lines[at] ?? ''];
    },
    'a line in the place of another': (lines, at, other) => {
      lines[at] = lines[other] ?? '';
    },
    'a member changed for another client': (lines, at) => {
      const line = lines[at] ?? '';
      lines[at] = line.includes('partnerapi-')
        ? line.replace('partnerapi-', 'partnerapi-9')
        : line.replace('file_begun', 'file_ended');
    },
  };
  for (const [name, tamper] of Object.entries(tampering)) {
    test(`shows ${name}`, async (t) => {
      const { append, put, verify, lines } = scene(t);
      append(...clients);
      const { newest: known } = await verify();
      const whole = lines();
      const place = fc.nat(whole.length - 1);
      const text = fc.oneof(fc.string(), fc.constantFrom(...clients.map(eventOf)));
      await fc.assert(
        fc.asyncProperty(place, place, text, async (at, other, inserted) => {
          fc.pre(at !== other && !inserted.includes('\n'));
          const changed = [...whole];
          tamper(changed, at, other, inserted);
          put(changed);
          assert.ok((await verify(known)).broken > 0, changed.join('\n'));
          put(whole);
          assert.equal((await verify(known)).broken, 0);
        }),
        { numRuns: 40 },
      );
    });
  }

  test('names the first broken line and how many lines are gone', async (t) => {
    const { append, put, verify, lines } = scene(t);
    append(...clients);
    const { newest: known } = await verify();
    const whole = lines();
    const withLine = (at: number, text: string): readonly string[] => whole.with(at, text);
    const told = async (changed: readonly string[]): Promise<readonly string[]> => {
      put(changed);
      return breaksIn(await verify(known));
    };
    const changedText = 'is not as it was written, or the line before it is not';
    assert.deepEqual(await told(withLine(4, whole[4]?.replace('-3', '-4') ?? '')), [
      `audit.jsonl:5 ${changedText}`,
    ]);
    assert.deepEqual(await told(whole.toSpliced(4, 1)), [
      'audit.jsonl:5 line 5 of the stream is missing before it',
    ]);
    assert.deepEqual(await told(whole.toSpliced(4, 3)), [
      'audit.jsonl:5 lines 5 to 7 of the stream are missing before it',
    ]);
    assert.deepEqual(await told(whole.slice(0, 10)), [
      'audit.jsonl: lines are cut off at the end: the store knows of line 13',
    ]);
    assert.deepEqual(await told(whole.toSpliced(4, 0, 'a text')), [
      'audit.jsonl:5 is no line of the stream: changed, or written by something else',
    ]);
    assert.deepEqual(await told(whole.slice(1)), [
      'audit.jsonl:1 the lines before it are missing from this file, or it was changed',
    ]);
  });

  test('shows by the store that lines were cut off at the end, or that all of it was removed', async (t) => {
    const { append, path, put, lines, verify } = scene(t);
    append(...clients);
    const { newest: known } = await verify();
    append('later');
    const broken = async (): Promise<readonly string[]> => breaksIn(await verify(known));
    assert.deepEqual(await broken(), []);
    const whole = lines();
    const cut = 'audit.jsonl: lines are cut off at the end: the store knows of line 13';
    put(whole.slice(0, 12));
    assert.deepEqual(await broken(), [cut]);
    rmSync(path);
    assert.deepEqual(await broken(), [
      'audit.jsonl: the stream was removed: the store knows of line 13',
    ]);
    append('new');
    assert.deepEqual(await broken(), [cut]);
    // Of a stream whose old files were removed, as they may be.
    put(whole.slice(13));
    assert.deepEqual(await broken(), [
      'audit.jsonl:1 the lines before it are missing from this file, or it was changed',
    ]);
  });

  test('holds a line that was noted elsewhere, or shows that it does not', async (t) => {
    const { append, path, put, lines, verify } = scene(t);
    append(...clients);
    const { newest } = await verify();
    append('later');
    assert.equal((await verifyStream(path, key, { expected: newest })).broken, 0);
    // An old copy of everything: by itself it is whole.
    put(lines().slice(0, 5));
    const old = await verifyFiles([path], key);
    assert.deepEqual([old.broken, old.newest?.seq], [0, 5]);
    assert.deepEqual(breaksIn(await verifyFiles([path], key, newest)), [
      'audit.jsonl: the expected line 13 is not there',
    ]);
  });
});
