// Every decision of RULES.md that is a value: the shipped file has it, and a line of YAML changes it.
//
// Not here, because no file may decide them (DESIGN, "Semantics fixed once for every dialect"):
// - C-8, the order in which faults answer: a partner's client must not see it change.
// - C-9, what `sub` and `iss` are, and that `jti` is unique; `iss` follows public_url.
// - G-2, single use, binding, and what a replay revokes; G-4, that a query of a redirect URI is kept.
// - G-6 and G-7, that these are never redirects, and that redirect URIs are compared as strings.
// - G-17, the same bytes and time for unknown client and wrong secret.
// - G-18, one counter over all grants, Retry-After, and that a refused request spends nothing.
// - G-19 and G-21, which cases are one and the same failure.
// - G-22, Retry-After, and that no outage is an invalid_grant.
// - G-23, that refresh tokens rotate, and that the directory is asked at each refresh.
// - P-5, `Allow` on a 405. P-7, `jti` of 1 to 2^53-1 and dates in UTC.
// Not here either, because they are not built yet: G-13 and P-15 (verify), P-9 (password grant).

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { openClub } from '../support/club.ts';
import { type FailingStore, failingStore } from '../support/failing_store.ts';
import { openPartnerClub } from '../support/partner_club.ts';
import type { Decision } from './decisions/decision.ts';
import { grantLoginDecisions } from './decisions/grant_login.ts';
import { grantTokenDecisions } from './decisions/grant_tokens.ts';
import { partnerLoginDecisions } from './decisions/partner_login.ts';
import { partnerTokenDecisions } from './decisions/partner_tokens.ts';

interface Options {
  readonly over: readonly string[];
  readonly store: FailingStore['store'];
}

/** Sees each decision as it is shipped, then as the line of YAML has it. */
function testDecisions<Club>(
  decisions: readonly Decision<Club>[],
  open: (t: TestContext, options: Options) => Promise<Club>,
): void {
  for (const { decides, given = '', over, see, shipped, changed } of decisions) {
    test(decides, async (t) => {
      assert.notDeepEqual(changed, shipped, 'a decision that changes nothing is none');
      const seen = async (...texts: readonly string[]): Promise<unknown> => {
        const failing = failingStore();
        return see(await open(t, { over: texts, store: failing.store }), failing);
      };
      assert.deepEqual(await seen(given), shipped, 'as shipped');
      assert.deepEqual(await seen(given, over), changed, 'as changed');
    });
  }
}

testDecisions([...grantLoginDecisions, ...grantTokenDecisions], openClub);
testDecisions([...partnerLoginDecisions, ...partnerTokenDecisions], openPartnerClub);
