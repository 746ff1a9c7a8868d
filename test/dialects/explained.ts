// Owns holding the refusals of a played transcript against what `why` tells of them.

import assert from 'node:assert/strict';

import { partnerView } from '../../src/cli/why/partner_text.ts';
import type { Instant } from '../../src/lib/clock.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { readRefusal, refusalText } from '../../src/server/requests/refusal.ts';
import { explain } from '../../src/server/why/explain.ts';
import type { Played } from '../support/transcript/play.ts';
import { assertWritten } from '../support/transcript/rule_line.ts';

/** Names of a transcript whose values are secret, and those that carry them. */
const secretNames = /secret|basic|code|token|api_key|session|state/;

/**
 * Each refusal names a line that holds its rule and a line that words its answer, and nothing that was
 * sent in confidence.
 */
export function assertExplained(
  name: string,
  yaml: string,
  { records, values, member }: Played,
): void {
  const { loaded } = loadProgramme(`${name}.yaml`, yaml);
  const secrets = [...values].filter(([key]) => secretNames.test(key)).map(([, value]) => value);
  const refused = records
    .flatMap((record) => refusalText(record, 0 as Instant) ?? [])
    .map(readRefusal);
  assert.ok(refused.length > 0);
  for (const refusal of refused) {
    const explanation = explain(refusal, loaded, [], `${name}.yaml`);
    const told = JSON.stringify(explanation);
    assert.notEqual(explanation.expected, undefined, `no cause: ${told}`);
    for (const line of [explanation.rule_line, explanation.answer_line]) {
      if (line !== undefined) assertWritten(line, name, yaml);
    }
    const isNowhere = refusal.reason === 'not_found';
    assert.ok(explanation.answer_line !== undefined || isNowhere, `no words: ${told}`);
    for (const text of [told, JSON.stringify(partnerView(explanation))]) {
      for (const secret of [...secrets, member.password, member.username]) {
        assert.ok(!holds(text, secret), `${secret} is in ${text}`);
      }
    }
  }
}

/** Short values, such as a member's name, also stand inside of other words. */
function holds(text: string, secret: string): boolean {
  return secret !== '' && new RegExp(`(?<!\\w)${RegExp.escape(secret)}(?!\\w)`).test(text);
}
