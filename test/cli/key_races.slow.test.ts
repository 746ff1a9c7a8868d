// FAULTS 24 with real processes: of commands and starts at once no two make a successor, and one that
// is killed has changed the keys as a whole or not at all.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import type { SigningKeyRecord } from '../../src/oauth/signing_key.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';
import { keyStates } from '../../src/token/key_line.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { isSealedUnder } from '../../src/token/signing_keys.ts';
import { changeKeys, type KeyAct, keyRules, programmeOf } from '../store/child.ts';
import { startChild, traced } from '../store/children.ts';
import { scratchFile } from '../store/file_directory.ts';
import { addSigningKey, aSigningKey, at } from '../store/fixtures.ts';
import { without } from '../support/tools.ts';
import { jetway, workFolder } from './command.ts';
import { signingProgramme } from './server.ts';

const rounds = 12;
const keyring = createKeyring(new Uint8Array(32).fill(7));

function scratch(t: TestContext): string {
  const { path, remove } = scratchFile();
  t.after(remove);
  return path;
}

/** Lets each act at the same time as the others, in a process of its own. */
async function atOnce(path: string, acts: readonly KeyAct[], second = 0): Promise<void> {
  const children = await Promise.all(acts.map(() => startChild()));
  const asked = children.map(({ ask }, n) => {
    return ask('keys', path, acts[n] ?? 'start', String(rounds), String(second));
  });
  const failures = (await Promise.all(asked)).filter((failure) => failure !== undefined);
  assert.deepEqual(failures, []);
  await Promise.all(children.map(({ kill }) => kill()));
}

async function keysAt(path: string, round = 0): Promise<readonly SigningKeyRecord[]> {
  const store = openFileStore({ path, environment: 'staging' });
  const keys = await store.list('signing_key', programmeOf(round));
  await store.close();
  return keys;
}

/** The status of the keys of every programme, each of which can be opened. */
async function statesAfter(path: string, second: number): Promise<readonly string[][]> {
  const all: string[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const keys = await keysAt(path, round);
    assert.ok(keys.every((key) => isSealedUnder(key, keyring)));
    all.push(keyStates(keys, keyRules, at(second)).map(({ status }) => status));
  }
  return all;
}

const each = (...states: string[]): string[][] => Array.from({ length: rounds }, () => states);

/** Keys of which each act changes more than one row: a lifetime is noted, or one key follows another. */
const beginnings: Readonly<Record<'rotate' | 'force', readonly Partial<SigningKeyRecord>[]>> = {
  rotate: [{ kid: 'first', signsFrom: at(0) }],
  force: [
    { kid: 'first', signsFrom: at(0) },
    { kid: 'second', signsFrom: at(600) },
  ],
};

describe('keys', { concurrency: 2 }, () => {
  test('FAULTS 24: first starts at once make one key of each kind', async (t) => {
    const path = scratch(t);
    await atOnce(path, ['start', 'start', 'start']);
    assert.deepEqual(await statesAfter(path, 0), each('signing'));
    const store = openFileStore({ path, environment: 'staging' });
    for (let round = 0; round < rounds; round += 1) {
      assert.equal((await store.list('token_key', programmeOf(round))).length, 1);
    }
    await store.close();
  });

  test('FAULTS 24: a rotation beside a first start makes a key, and at most one to follow it', async (t) => {
    const path = scratch(t);
    await atOnce(path, ['start', 'rotate']);
    for (const states of await statesAfter(path, 0)) {
      assert.ok(
        [['signing'], ['signing', 'waiting']].some((good) => isDeepStrictEqual(states, good)),
        states.join(),
      );
    }
  });

  test('FAULTS 24: rotations at once make one successor', async (t) => {
    const path = scratch(t);
    await atOnce(path, ['start']);
    await atOnce(path, ['rotate', 'rotate']);
    assert.deepEqual(await statesAfter(path, 0), each('signing', 'waiting'));
    // In an emergency it signs at once; retiring meanwhile takes nothing.
    await atOnce(path, ['now', 'retire'], 30);
    assert.deepEqual(await statesAfter(path, 30), each('retiring', 'signing'));
  });

  test('FAULTS 24: commands at once leave one key waiting', async (t) => {
    const folder = workFolder(t, { 'programmes/club.yaml': signingProgramme });
    assert.equal((await jetway(folder, ['key', 'rotate'])).code, 0);
    const ran = await Promise.all([1, 2].map(() => jetway(folder, ['key', 'rotate'])));
    assert.deepEqual(
      ran.map(({ code, stderr }) => [code, stderr]),
      [1, 2].map(() => [0, '']),
    );
    const { stdout } = await jetway(folder, ['key', 'list', '--json']);
    const keys = JSON.parse(stdout) as readonly { readonly status: string }[];
    assert.deepEqual(
      keys.map(({ status }) => status),
      ['signing', 'waiting', 'signing', 'waiting'],
    );
  });

  for (const [act, beginning] of Object.entries(beginnings)) {
    const name = `FAULTS 24: ${act}, killed at a write, has changed all keys or none`;
    test(name, { skip: without('strace') }, async (t) => {
      const seen = new Set<string>();
      for (let write = 1; ; write += 3) {
        const path = scratch(t);
        const store = openFileStore({ path, environment: 'staging' });
        for (const { kid = '', ...more } of beginning) {
          await addSigningKey(store, aSigningKey(kid, { programme: programmeOf(0), ...more }));
        }
        const before = await store.list('signing_key', programmeOf(0));
        await store.close();
        const kill = ['-e', 'trace=pwrite64', '-e', `inject=pwrite64:signal=KILL:when=${write}`];
        const { stdout } = await traced(kill, 'keys', path, act, '1', '5');
        const after = await keysAt(path);
        seen.add(isDeepStrictEqual(after, before) ? 'none' : outcomeOf(after));
        // Whatever it was, doing it again comes to the same.
        await changeKeys(path, act as KeyAct, 1, 5);
        assert.equal(outcomeOf(await keysAt(path)), outcomes[act as keyof typeof outcomes]);
        if (stdout === 'done\n') break;
      }
      assert.deepEqual(seen, new Set(['none', outcomes[act as keyof typeof outcomes]]));
    });
  }
});

/** What each act comes to. */
const outcomes = { rotate: 'signing for 60, waiting for 60', force: 'signing' } as const;

function outcomeOf(keys: readonly SigningKeyRecord[]): string {
  const shown = keyStates(keys, keyRules, at(5)).map(({ key, status }) => {
    const { longestToken } = key;
    return status + (longestToken === undefined ? '' : ` for ${longestToken / 1000}`);
  });
  return shown.join(', ');
}
