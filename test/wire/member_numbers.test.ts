// Owns membership numbers on the wire (P-7, P-15): a grant that answers with the number refuses a
// member whose number is not of the dialect's shape, and spends nothing.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { failingStore } from '../support/failing_store.ts';
import type { TestMember } from '../support/jetway.ts';
import {
  codeFor,
  headersOf,
  openPartnerClub,
  type PartnerClub,
  redeem,
  refresh,
  refused,
  tokensIn,
} from '../support/partner_club.ts';
import { type Answer, post } from '../support/wire.ts';

const password = `
token_endpoints: { refresh: { path: /secure/token, inputs: { username: {}, password: {} } } }
grants: { password: { endpoint: refresh, role: member } }`;

const right = ['1234567890123456', '1'.repeat(24)];
const wrong = ['123456789012345', '1'.repeat(25), '', undefined];

/** A club whose file says `over`, a way to add members to it, and what was asked of its store. */
async function openClub(t: TestContext, over: string) {
  const failing = failingStore();
  const club = await openPartnerClub(t, { over, store: failing.store });
  let added = 0;
  const withNumber = async (number: string | undefined): Promise<PartnerClub> => {
    const named = { programme: club.programme, username: `member-${(added += 1)}` };
    const member: TestMember = await club.addMember({
      ...named,
      ...(number === undefined ? {} : { membershipNumber: number }),
    });
    return { ...club, member };
  };
  const spent = (): readonly string[] =>
    failing.calls.filter((verb) => /^(?:spendCode|advanceLogin|startLogin|revoke)/.test(verb));
  return { withNumber, spent, calls: failing.calls };
}

function askByPassword(club: PartnerClub): Promise<Answer> {
  const { username, password: typed } = club.member;
  const fields = { grant_type: 'password', username, password: typed };
  return post(club.url, '/second-club/secure/token', fields, headersOf(club));
}

test('P-15: the password grant answers a number of 16 to 24 digits, and nobody else', async (t) => {
  const { withNumber, spent, calls } = await openClub(t, password);
  for (const number of right) {
    const { token_Information: told } = tokensIn(await askByPassword(await withNumber(number)));
    assert.equal(told['membershipNumber'], number);
  }
  calls.length = 0;
  const refusal = refused(400, 'invalid_grant', 'Invalid username or password');
  for (const number of wrong) {
    const club = await withNumber(number);
    assert.deepEqual(await askByPassword(club), refusal, String(number));
    assert.deepEqual(
      await askByPassword({ ...club, member: { ...club.member, password: 'x' } }),
      refusal,
    );
  }
  assert.deepEqual(spent(), []);
  // What does not answer with the number asks for none.
  for (const number of wrong) {
    const club = await withNumber(number);
    assert.equal((await redeem(club, await codeFor(club))).status, 200, String(number));
  }
});

for (const [where, over] of [
  [
    'in the answer',
    'token_response: { fields: { token_Information: { object: { membershipNumber: { only: [GRANT] } } } } }',
  ],
  [
    'in a header',
    'token_response: { headers: { X-Number: { value: membership_number, only: [GRANT] } } }',
  ],
  [
    'in the token',
    'tokens: { access: { claims: { number: { value: membership_number, only: [GRANT] } } } }',
  ],
] as const) {
  test(`P-15: a code buys no answer that lacks the number ${where}, and is not spent`, async (t) => {
    const { withNumber, spent, calls } = await openClub(
      t,
      over.replace('GRANT', 'authorization_code'),
    );
    for (const number of right) {
      const club = await withNumber(number);
      assert.equal((await redeem(club, await codeFor(club))).status, 200, number);
    }
    for (const number of wrong) {
      const club = await withNumber(number);
      const code = await codeFor(club);
      calls.length = 0;
      const refusal = refused(400, 'invalid_grant', 'Invalid authorization code');
      assert.deepEqual(await redeem(club, code), refusal, String(number));
      assert.deepEqual(spent(), []);
    }
  });

  test(`P-15: nor does a refresh token where the number would be missing ${where}`, async (t) => {
    const { withNumber, spent, calls } = await openClub(t, over.replace('GRANT', 'refresh_token'));
    const able = await withNumber(right[0]);
    const first = tokensIn(await redeem(able, await codeFor(able)));
    assert.equal((await refresh(able, first.refresh_token)).status, 200);
    const club = await withNumber(undefined);
    const tokens = tokensIn(await redeem(club, await codeFor(club)));
    calls.length = 0;
    const refusal = refused(400, 'invalid_grant', 'Invalid refresh token');
    assert.deepEqual(await refresh(club, tokens.refresh_token), refusal);
    assert.deepEqual(spent(), []);
  });
}

test('a file without a shape answers what there is', async (t) => {
  const { withNumber } = await openClub(t, `members: { membership_number: null }${password}`);
  for (const number of [...right, ...wrong]) {
    const { token_Information: told } = tokensIn(await askByPassword(await withNumber(number)));
    assert.equal(told['membershipNumber'], number);
  }
});
