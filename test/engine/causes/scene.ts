// Owns the causes of refusals as tests ask for them: a request is refused, and its record explained.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { partnerView } from '../../../src/cli/why/partner_text.ts';
import { loadProgramme } from '../../../src/rules/load.ts';
import { readRefusal, refusalText } from '../../../src/server/requests/refusal.ts';
import { type Explanation, explain } from '../../../src/server/why/explain.ts';
import { assertWritten } from '../../dialects/explained.ts';
import { type Club, openClub, programme as club } from '../../support/club.ts';
import { type Jetway, shippedProgramme } from '../../support/jetway.ts';

/** A refusal as `why` must tell it. */
export interface Told {
  readonly reason: string;
  readonly step: string;
  /** The key of the rule; absent for Jetway's own rules. */
  readonly rule?: string | undefined;
  readonly expected: RegExp | string;
  readonly came: RegExp | string;
  /** Whether the partner may read these two. */
  readonly own?: true | undefined;
}

/** Explains the last answer of a server by the text that it serves. */
export function explained(
  { records, clock }: Jetway,
  programme: string,
  yaml: string,
): Explanation {
  const record = records.at(-1);
  assert.ok(record !== undefined);
  const text = refusalText(record, clock.now());
  assert.ok(text !== undefined, `not refused: ${record.status}`);
  const refusal = readRefusal(text);
  const { loaded } = loadProgramme(`${programme}.yaml`, yaml);
  return explain(refusal, loaded, [], `${programme}.yaml`);
}

/** Holds an explanation against what must be told, its lines against the files, and it against secrets. */
export function assertTold(
  found: Explanation,
  { reason, step, rule, expected, came, own }: Told,
  file: { readonly programme: string; readonly yaml: string },
  secrets: readonly string[],
): void {
  const what = JSON.stringify(found);
  assert.deepEqual(
    [found.reason, found.step, found.rule_line?.key, found.own],
    [reason, step, rule, own],
    what,
  );
  assertText(found.expected, expected);
  assertText(found.came, came);
  for (const line of [found.rule_line, found.answer_line]) {
    if (line !== undefined) assertWritten(line, file.programme, file.yaml);
  }
  const sent = JSON.stringify(partnerView(found));
  for (const secret of secrets)
    assert.ok(!`${what}${sent}`.includes(secret), `${secret} in ${what}`);
  if (own === undefined) {
    for (const text of [found.came, found.expected])
      assert.ok(!sent.includes(JSON.stringify(text)));
  }
}

function assertText(text: string | undefined, form: RegExp | string): void {
  if (typeof form === 'string') assert.equal(text, form);
  else assert.match(text ?? '', form);
}

const over = `
token_endpoints:
  grant:
    unknown: refuse
    inputs:
      trace: { in: header, name: x-trace, characters: alphanumeric, length: 4..8 }
      channel: { allowed: [web, app] }
`;
const yaml = shippedProgramme(club, over);

/** The endpoint of the club. */
export const endpoint = 'token_endpoints.grant';
export const methods = 'client.authentication.methods';
export const secret = 'a-secret-of-some-length';

export function basic(id: string, text: string): Record<string, string> {
  return { authorization: `Basic ${btoa(`${id}:${text}`)}` };
}

export function partner(): Record<string, string> {
  return { grant_type: 'client_credentials' };
}

/** A request that is refused, and what must be told of it. */
export type Case = readonly [
  title: string,
  send: (club: Club) => Promise<unknown>,
  reason: string,
  step: string,
  rule: string | undefined,
  expected: RegExp | string,
  came: RegExp | string,
  own?: 'own',
];

/** Plays the cases against one club. */
export async function tellAll(t: TestContext, cases: readonly Case[]): Promise<void> {
  const site = await openClub(t, { over });
  const { member, client } = site;
  const secrets = [client.secret, member.password, member.subject, 'hush', 'former-secret'];
  for (const [title, send, reason, step, rule, expected, came, own] of cases) {
    await t.test(title, async () => {
      await send(site);
      const told = { reason, step, rule, expected, came, own: own && (true as const) };
      assertTold(explained(site, club, yaml), told, { programme: club, yaml }, secrets);
    });
  }
}
