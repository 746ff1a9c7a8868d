// Owns comparing the backends with the model over random sequences of verbs.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import type { Store } from '../../src/store/contract.ts';
import { createMemoryStore } from '../../src/store/memory/store.ts';
import { fc } from '../support/property.ts';
import { openScratchStore } from './file_directory.ts';
import { key } from './fixtures.ts';
import { Model } from './model.ts';
import { Sequence, turn } from './sequence.ts';

/** Everything a store can be asked about what the sequence has made. */
async function views(store: Store, sequence: Sequence): Promise<unknown> {
  const { programme, made, now } = sequence;
  const unremembered = sequence.unremembered();
  return {
    standing: await Promise.all(unremembered.map((token) => store.isStanding(programme, token))),
    codes: await Promise.all(made.codes.map((name) => store.findCode(programme, key(name), now))),
    access: await Promise.all(
      made.access.map((name) => store.findAccessToken(programme, key(name), now)),
    ),
    refresh: await Promise.all(
      made.refresh.map(async (name) => {
        const state = await store.findRefreshToken(programme, key(name), now);
        return state && [state.family.id, state.revoked, state.rotated, state.keptAnswer];
      }),
    ),
  };
}

function modelViews(model: Model, sequence: Sequence): unknown {
  const { programme, made, now } = sequence;
  return {
    standing: sequence.unremembered().map((token) => model.isStanding(programme, token)),
    codes: made.codes.map((name) => model.findCode(programme, key(name), now)),
    access: made.access.map((name) => model.findAccessToken(programme, key(name), now)),
    refresh: made.refresh.map((name) => {
      const family = model.familyOf(programme, key(name), now);
      if (family === undefined) return undefined;
      const revoked = model.isRevoked(family);
      const rotated = model.rotationOf(programme, key(name)) !== undefined;
      const answer = revoked ? undefined : model.retryAnswer(programme, key(name), now);
      return [family.id, revoked, rotated, answer];
    }),
  };
}

test('G-2, HOSTILE 23 to 31: any sequence of verbs, as the model has it', async (t) => {
  const memory = createMemoryStore();
  const file = await openScratchStore();
  const files = [file.store, await file.another!()] as const;
  t.after(() => file.close());
  let runs = 0;
  const seen: Record<string, number> = {};
  const count = (result: unknown): void => {
    const name =
      typeof result === 'object' && result && 'outcome' in result ? result.outcome : result;
    seen[String(name)] = (seen[String(name)] ?? 0) + 1;
  };
  const property = fc.asyncProperty(
    fc.array(turn, { maxLength: 25, size: 'max' }),
    async (turns) => {
      runs += 1;
      const sequence = new Sequence(`programme ${runs}`);
      const model = new Model();
      for (const { pause, file: chosen, commands } of turns) {
        sequence.now = instant(sequence.now + pause);
        const calls = commands.map((each) => sequence.callOf(each));
        const expected = calls.map((call) => call(model));
        for (const store of [memory, files[chosen]]) {
          assert.deepEqual(await Promise.all(calls.map((call) => call(store))), expected);
        }
        for (const outcome of expected) count(outcome);
        sequence.forgetDead(model);
        const view = modelViews(model, sequence);
        for (const store of [memory, ...files])
          assert.deepEqual(await views(store, sequence), view);
      }
    },
  );
  await fc.assert(property, { numRuns: 80 });
  t.diagnostic(JSON.stringify(seen));
  // Sequences that never get anywhere would prove nothing.
  for (const outcome of ['already_spent', 'spent', 'replayed', 'rotated', 'retried', 'reused']) {
    assert.ok((seen[outcome] ?? 0) > 5, `${outcome} hardly came up`);
  }
});
