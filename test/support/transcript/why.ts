// Owns what a transcript says of a refusal's causes: `why: reason | step | rule | expected | came | own`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { type Explanation, explain, type RuleLine } from '../../../src/cli/why/explain.ts';
import { partnerView } from '../../../src/cli/why/partner_text.ts';
import { refusalOf } from '../../../src/cli/why/refusal.ts';
import { loadProgramme } from '../../../src/programme/language/load.ts';
import type { Jetway } from '../jetway.ts';

/** What the last refusal of a server is explained by, as its programme's text stands. */
function explained({ records, clock }: Jetway, programme: string, yaml: string): Explanation {
  const record = records.at(-1);
  assert.ok(record !== undefined);
  const refusal = refusalOf(record, clock.now());
  assert.ok(refusal !== undefined, `not refused: ${record.status}`);
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

/** The line has the last key of its path, or of a default the nearest one above; or is a group of `errors`. */
export function assertWritten(
  { at, key, is_default: isDefault }: RuleLine,
  name: string,
  yaml: string,
): void {
  const [, file = '', line = '', column = ''] = /^(.*):(\d+):(\d+)$/.exec(at) ?? [];
  const text = file === `${name}.yaml` ? yaml : readFileSync(`src/${file}`, 'utf8');
  const written = text.split('\n')[Number(line) - 1]?.slice(Number(column) - 1) ?? '';
  const keys = key.split('.');
  const [, group] = /^(?:\{ )?reasons: (.*)/.exec(written) ?? [];
  if (key.startsWith('errors.reasons.') && group !== undefined) {
    assert.ok(
      group.startsWith('all') || group.includes(keys[2] ?? ''),
      `${key} at ${at}: ${written}`,
    );
    return;
  }
  const found = keys.findLastIndex(
    (one) => written.startsWith(one) || written.startsWith(`"${one}"`),
  );
  if (found < 0 && isDefault) {
    // Neither file nor variant has the section.
    assert.ok(!text.includes(`\n${keys[0] ?? ''}:`), `${key} is not at ${at}`);
    return;
  }
  assert.ok(found >= 0, `${key} is not at ${at}: ${written}`);
  assert.equal(found === keys.length - 1, !isDefault, `${key} at ${at}: ${written}`);
}
