// Owns comparing the backends with the model over random sequences of verbs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { instant, type Instant } from '../../src/lib/clock.ts';
import type { Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { fc } from '../support/property.ts';
import { openScratchStore } from './file_directory.ts';
import { key, sweepAll } from './fixtures.ts';
import { Model } from './model.ts';
import { resultOf, Sequence, type Target, turn } from './sequence.ts';

/** Everything a target can be asked about what the sequence has made. */
async function views(target: Target, sequence: Sequence): Promise<unknown> {
  const { programme, codes, places, now } = sequence;
  const tokens = sequence
    .tokensOf(target)
    .map(async (token) => target.isStanding(programme, token));
  return {
    standing: await Promise.all(tokens),
    codes: await Promise.all(codes.map((name) => codeView(target, sequence, name, now))),
    logins: await Promise.all([...places].map(async (place) => target.findLogin(programme, place))),
  };
}

/** A spent code as far as it is kept for good. Without its login it is of no consequence. */
async function codeView(
  target: Target,
  { programme }: Sequence,
  name: string,
  now: Instant,
): Promise<unknown> {
  const found = await target.findCode(programme, key(name), now);
  if (found?.spentFor === undefined) return found?.code;
  const login = await target.findLogin(programme, found.spentFor);
  const { client, redirectUri, codeChallenge } = found.code;
  return login && [found.spentFor, client, redirectUri.slice(0, 6), codeChallenge?.slice(0, 6)];
}

type Call = ReturnType<Sequence['callOf']>;

function* orders<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  if (items.length < 2) yield items;
  else {
    for (const [index, first] of items.entries()) {
      for (const rest of orders(items.toSpliced(index, 1))) yield [first, ...rest];
    }
  }
}

/**
 * Has the model do the calls of a turn in an order that explains what the store has answered, and what it
 * shows since: calls at once may come in any order, each as a whole. Returns the answers that the model gave.
 */
async function explain(
  model: Model,
  calls: readonly Call[],
  store: Store,
  sequence: Sequence,
): Promise<readonly unknown[]> {
  const begun = model.length;
  const answers = await Promise.all(calls.map((call) => resultOf(call, store)));
  const shown = await views(store, sequence);
  const told = async (order: readonly Call[]): Promise<readonly unknown[]> => {
    model.undo(begun);
    const results = new Map<Call, unknown>();
    for (const call of order) results.set(call, await resultOf(call, model));
    return calls.map((call) => results.get(call));
  };
  for (const order of orders(calls)) {
    const expected = await told(order);
    const isSame = isDeepStrictEqual(answers, expected);
    if (isSame && isDeepStrictEqual(shown, await views(model, sequence))) return expected;
  }
  assert.deepEqual(answers, await told(calls));
  assert.deepEqual(shown, await views(model, sequence));
  return answers;
}

test('G-2, HOSTILE 23 to 31: any sequence of verbs, as the model has it', async (t) => {
  const memory = openMemoryStore();
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
      const sequence = new Sequence(runs);
      const [model, memoryModel] = [new Model(), new Model()];
      for (const { pause, file: chosen, commands } of turns) {
        const [own, other] = [files[chosen], files[1 - chosen] as Store];
        const targets = [model, memoryModel, memory, own];
        if (commands === 'accept') {
          sequence.now = instant(sequence.now - pause);
          for (const target of targets) await target.acceptTime(sequence.now);
          await other.acceptTime(sequence.now, 'another_process');
        } else {
          sequence.now = instant(sequence.now + pause);
          if (commands === 'sweep') {
            for (const target of targets) await sweepAll(target, sequence.now);
          } else {
            const calls = commands.map((each) => sequence.callOf(each));
            await explain(memoryModel, calls, memory, sequence);
            (await explain(model, calls, own, sequence)).forEach(count);
          }
        }
        await sequence.settle(model, [[model], [memoryModel], [memory], [own, other]]);
        assert.deepEqual(await views(memory, sequence), await views(memoryModel, sequence));
        const view = await views(model, sequence);
        for (const store of files) assert.deepEqual(await views(store, sequence), view);
      }
    },
  );
  await fc.assert(property, { numRuns: 80 });
  t.diagnostic(JSON.stringify(seen));
  // Sequences that never get anywhere would prove nothing.
  for (const outcome of ['already_spent', 'spent', 'replayed', 'taken', 'true', 'false']) {
    assert.ok((seen[outcome] ?? 0) > 5, `${outcome} hardly came up`);
  }
});
