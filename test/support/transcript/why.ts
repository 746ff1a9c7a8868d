// Owns what a transcript says of a refusal's causes: `why: reason | step | rule | expected | came | own`.

import assert from 'node:assert/strict';

import { partnerView } from '../../../src/cli/why/partner_text.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { readRefusal, refusalText } from '../../../src/server/requests/refusal.ts';
import { type Explanation, explain } from '../../../src/server/why/explain.ts';
import type { Jetway } from '../jetway.ts';
import { assertWritten } from './rule_line.ts';

/** What the last refusal of a server is explained by, as its programme's text stands. */
function explained({ records, clock }: Jetway, programme: string, yaml: string): Explanation {
  const record = records.at(-1);
  assert.ok(record !== undefined);
  const text = refusalText(record, clock.now());
  assert.ok(text !== undefined, `not refused: ${record.status}`);
  const refusal = readRefusal(text);
  const { loaded } = loadProgramme(`${programme}.yaml`, yaml);
  return explain(refusal, loaded, [], `${programme}.yaml`);
}

/**
 * The last refusal as a transcript says it; `own` where the partner may read the last two. Its lines are held
 * against the file, and it and what the partner reads against secrets.
 */
export function whyLine(
  jetway: Jetway,
  file: { readonly programme: string; readonly yaml: string },
  secrets: readonly string[],
): string {
  const found = explained(jetway, file.programme, file.yaml);
  const { reason, step, rule_line: rule, answer_line: answer, expected, came, own } = found;
  for (const line of [rule, answer]) {
    if (line !== undefined) assertWritten(line, file.programme, file.yaml);
  }
  const everything = JSON.stringify(found);
  const sent = JSON.stringify(partnerView(found));
  for (const secret of secrets) {
    assert.ok(!`${everything}${sent}`.includes(secret), `${secret} in ${everything}`);
  }
  if (own === undefined) {
    for (const text of [came, expected]) assert.ok(!sent.includes(JSON.stringify(text)));
  }
  const told = [reason, step, rule?.key ?? '-', expected ?? '-', came ?? '-'];
  return [...told, ...(own === true ? ['own'] : [])].join(' | ');
}
