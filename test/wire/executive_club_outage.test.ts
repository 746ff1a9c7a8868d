// The executive club when what it rests on fails: the answers of G-22, and that nothing is spent.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import type { Subject } from '../../src/oauth/member.ts';
import {
  askPartnerToken,
  askTokens,
  type Club,
  codeFor,
  invalidRefreshToken,
  isLive,
  loginTarget,
  openClub,
  programme,
  redeem,
  refresh,
  refused,
  type Tokens,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { type FailingStore, failingStore, type FailingVerb } from '../support/failing_store.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { type Answer, ask } from '../support/wire.ts';

/** With signs in it that no random text has. */
const secretDetail = 'disk /dev/sdz of host db7 is gone';

/** What can befall a verb, and what a partner is told of it. */
const faults = [
  {
    name: 'an outage',
    error: () => new Unavailable(secretDetail),
    answer: refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' }),
    event: 'unavailable',
    page: 503,
  },
  {
    name: 'a crash',
    error: () => new TypeError(secretDetail),
    answer: refused(500, { error: 'server_error' }),
    event: 'server_error',
    page: 500,
  },
] as const;

interface FailingClub extends Club {
  readonly failing: FailingStore;
}

async function openFailing(t: TestContext): Promise<FailingClub> {
  const failing = failingStore();
  return { ...(await openClub(t, { store: failing.store })), failing };
}

/** Has operators been told, and only them? */
function assertTold(club: Club, event: string, answer: Answer): void {
  assert.deepEqual(
    club.events.map((one) => one.event),
    [event],
  );
  const [told] = club.events.splice(0);
  assert.equal(told?.facts['programme'], programme);
  assert.match(told?.facts['detail'] ?? '', new RegExp(secretDetail));
  assert.ok(!JSON.stringify(answer).includes('/dev/sdz'));
}

const codeVerbs = ['find client', 'count', 'findCode', 'spendCode'] as const;
const refreshVerbs = ['find client', 'count', 'findLogin', 'find member', 'advanceLogin'] as const;
const partnerVerbs = ['find client', 'count', 'era'] as const;

for (const { name, error, answer, event, page: pageStatus } of faults) {
  test(`G-22: ${name} while a code is redeemed spends nothing`, async (t) => {
    const club = await openFailing(t);
    for (const verb of codeVerbs) {
      const code = await codeFor(club);
      club.failing.fail(verb, error());
      const broken = await redeem(club, code);
      assert.deepEqual(broken, answer, verb);
      assertTold(club, event, broken);
      club.failing.heal();
      tokensIn(await redeem(club, code));
    }
  });

  test(`G-22: ${name} while a token is refreshed spends nothing`, async (t) => {
    const club = await openFailing(t);
    let tokens: Tokens = await tokensOfLogin(club);
    for (const verb of refreshVerbs) {
      club.failing.fail(verb, error());
      const broken = await refresh(club, tokens.refresh_token);
      assert.deepEqual(broken, answer, verb);
      assertTold(club, event, broken);
      assert.equal(await isLiveAfterHealing(club, tokens.access_token), true);
      tokens = tokensIn(await refresh(club, tokens.refresh_token));
    }
  });

  test(`G-22: ${name} while a partner asks for its own token`, async (t) => {
    const club = await openFailing(t);
    for (const verb of partnerVerbs) {
      club.failing.fail(verb, error());
      const broken = await askPartnerToken(club);
      assert.deepEqual(broken, answer, verb);
      assertTold(club, event, broken);
      club.failing.heal();
    }
  });

  test(`G-19 G-22: ${name} while a login is revoked is not told as revoked`, async (t) => {
    const club = await openFailing(t);
    const reused = await tokensOfLogin(club);
    tokensIn(await refresh(club, reused.refresh_token));
    club.clock.advance(11);
    const disabled = await tokensOfLogin(club);
    const subject = club.member.subject as Subject;
    const status = 'disabled' as const;
    await club.store.change('member', programme, subject, (member) => ({ ...member, status }));
    for (const tokens of [reused, disabled]) {
      club.failing.fail('revoke', error());
      const broken = await refresh(club, tokens.refresh_token);
      assert.deepEqual(broken, answer);
      assertTold(club, event, broken);
      assert.equal(await isLiveAfterHealing(club, tokens.access_token), true);
      assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
      assert.equal(await isLiveAfterHealing(club, tokens.access_token), false);
    }
  });

  test(`G-22: ${name} at the login request shows a page`, async (t) => {
    const club = await openFailing(t);
    club.failing.fail('find client', error());
    const broken = await ask(club.url, loginTarget(club.client));
    const { 'retry-after': retryAfter, ...headers } = broken.headers;
    assert.equal(retryAfter, pageStatus === 503 ? '5' : undefined);
    assert.deepEqual(readPage({ ...broken, headers }), {
      status: pageStatus,
      title: 'You cannot log in at the moment',
      heading: 'You cannot log in at the moment',
      text: ['We are having difficulties. Please try again later.'],
    });
    assertTold(club, event, broken);
    const reason = pageStatus === 503 ? 'temporarily_unavailable' : 'server_error';
    assert.equal(club.records.at(-1)?.failure?.reason, reason);
  });

  test(`G-22: ${name} while a member logs in shows the form again, good for later`, async (t) => {
    const club = await openFailing(t);
    for (const verb of ['find client', 'findBy member', 'issueCode'] satisfies FailingVerb[]) {
      const login = await openLogin(club.url, loginTarget(club.client));
      club.failing.fail(verb, error());
      const broken = await submitLogin(club.url, login, club.member);
      const { 'retry-after': retryAfter, ...headers } = broken.headers;
      assert.equal(retryAfter, pageStatus === 503 ? '5' : undefined);
      const page = readPage({ ...broken, headers });
      assert.deepEqual(page.text, ['We are having difficulties. Please try again later.'], verb);
      assert.deepEqual([page.status, page.title], [pageStatus, 'Error: Log in to Executive Club']);
      assertTold(club, event, broken);
      club.failing.heal();
      const { headers: healed } = await submitLogin(club.url, login, club.member);
      assert.match(healed['location'] ?? '', /\?code=[0-9a-f]{64}$/);
    }
  });
}

function isLiveAfterHealing(club: FailingClub, accessToken: string): Promise<boolean> {
  club.failing.heal();
  return isLive(club, accessToken);
}

test('HOSTILE 57: a request refused before its grant spends neither code nor token', async (t) => {
  const club = await openClub(t);
  const throttle = { limit: 1, window: 60_000 };
  const slow = await club.addClient({ id: 'partnerapi-00002', more: { throttle } });
  const slowClub = { ...club, client: slow };
  const code = await codeFor(slowClub);
  club.clock.advance(-60);
  const tokens = await tokensOfLogin(slowClub);
  club.clock.advance(60);
  const byCode = { grant_type: 'authorization_code', code };
  const byToken = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
  const nobody = { authorization: `Basic ${Buffer.from(`${slow.id}:no`).toString('base64')}` };
  const own = { authorization: slow.basic };
  // Uses up the minute.
  assert.equal((await askTokens(club, { grant_type: 'client_credentials' }, own)).status, 200);
  for (const fields of [byCode, byToken]) {
    const refusals: readonly (readonly [number, Promise<Answer>])[] = [
      [429, askTokens(club, fields, own)],
      [401, askTokens(club, fields, nobody)],
      [400, askTokens(club, fields, {})],
      [400, askTokens(club, [...Object.entries(fields), ['code', 'x'], ['code', 'x']], own)],
      [400, askTokens(club, { ...fields, client_id: 'partnerapi-99999' }, own)],
      [400, askTokens(club, { ...fields, scope: 'AUTHN-LEVEL-16' }, own)],
      [413, askTokens(club, { ...fields, padding: 'x'.repeat(70_000) }, own)],
      [400, askTokens(club, fields, { ...own, 'content-type': 'text/plain' })],
      [405, ask(club.url, '/executive-club/api/grant', { method: 'PUT', headers: own })],
    ];
    for (const [status, refusal] of refusals) assert.equal((await refusal).status, status);
  }
  club.clock.advance(60);
  tokensIn(await askTokens(club, byCode, own));
  club.clock.advance(60);
  tokensIn(await askTokens(club, byToken, own));
});
