// Owns the verb `key rotate`: adds the next key, which signs once verifiers and servers have it.

import { milliseconds } from '../../lib/clock.ts';
import { formatDuration, dateOrNull, dateText } from '../../lib/duration.ts';
import { present } from '../../lib/present.ts';
import { say } from '../../server/ending.ts';
import { rotateKeys } from '../../server/keys/changes.ts';
import { awaitsKeys, isInUse, shownKind } from '../../server/keys/lines.ts';
import { type KeyRules, shortestWait } from '../../token/key_rules.ts';
import type { Rotated, RotationWish } from '../../token/key_steps.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { rotateKeysOptions } from '../grammar/rows.ts';
import { expectDurableStore, withStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { forKeys, nameOf, noneSigns, signsNothing } from './programmes.ts';

type RotateKeysOptions = GivenWithConfig<typeof rotateKeysOptions>;

interface Done extends Rotated {
  readonly rules: KeyRules;
}

export async function rotateAllKeys(options: RotateKeysOptions): Promise<void> {
  const wish = wishOf(options);
  const config = configOf(options);
  expectDurableStore(config);
  const { programme, algorithm, kind = algorithm && 'signing' } = options;
  await forKeys(config, { ...present({ programme, kind }) }, async (lines) => {
    // A first key of identity tokens alone can be published before the file speaks of it.
    const used = lines.filter(
      (line) => isInUse(line) || (algorithm !== undefined && awaitsKeys(line)),
    );
    if (programme !== undefined && used.length === 0) throw signsNothing(options);
    const rotated = await withStore(config, async (open) => {
      const done: Done[] = [];
      for (const { id, rules } of used) {
        const step = await rotateKeys(open, { id, rules }, wish, open.clock.now());
        done.push({ ...step, rules });
      }
      return done;
    });
    if (options.json !== true && rotated.length === 0) return say(noneSigns(options));
    return printResult(options, rotated.map(viewRotated), rotated.flatMap(linesOf).join('\n'));
  });
}

/** A key that signs before verifiers have fetched it must be requested explicitly (`--now`). */
function wishOf({ wait = shortestWait, now = false, algorithm }: RotateKeysOptions): RotationWish {
  return { wait: now ? milliseconds(0) : wait, ...present({ algorithm }) };
}

function viewRotated({ step, key, predecessors, rules }: Done): object {
  return {
    programme: key.programme,
    kind: shownKind(rules),
    kid: key.kid,
    algorithm: key.algorithm ?? null,
    changed: step === 'add' || step === 'hasten',
    signs_from: dateOrNull(key.signsFrom),
    retiring: predecessors.map(({ kid, retiresAt }) => ({ kid, retires_at: dateText(retiresAt) })),
  };
}

function linesOf({ step, key, predecessors, rules }: Done): readonly string[] {
  const from = dateOrNull(key.signsFrom);
  const name = nameOf(key);
  if (step === 'wait') return [`${name} waits already and signs from ${from}; nothing is changed`];
  if (step === 'overtaken') {
    return [`${name} signs from ${from}, by another command just now; nothing more is changed`];
  }
  const switching = `once verifiers have it, in ${formatDuration(shortestWait)}, set ${rules.kind === 'identity_key' ? 'id_token' : 'tokens.access'}.algorithm to ${key.algorithm ?? ''} and have servers take it up (jetway reload)`;
  if (step === 'stand') return [`${name} is published already: ${switching}`];
  if (from === null) return [`${name} is published: ${switching}`];
  return [
    `${name} is ${key.algorithm === undefined ? 'made' : 'published'} and signs from ${from}`,
    ...predecessors.map(
      (one) =>
        `${key.programme}: the key ${one.kid} may be retired from ${dateText(one.retiresAt)}, when its last token has expired: ${lifeText(one.retiresAt - (key.signsFrom ?? 0), rules)}`,
    ),
  ];
}

/** A key lasts for the longest tokens that were ever made with it. */
function lifeText(span: number, { longestToken, longestBy }: KeyRules): string {
  const life = formatDuration(milliseconds(span));
  const why = span === longestToken ? longestBy : 'a longer lifetime of before';
  return `its tokens live up to ${life} (${why})`;
}
