// That the three programmes of one service are strangers to each other: codes, tokens, clients,
// and logins of one are worth nothing at another (C-2, HOSTILE 33).

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import {
  codeFor as executiveCode,
  type Club,
  invalidRefreshToken as executiveInvalidToken,
  loginTarget as executiveLogin,
  programme as executive,
  redeem as executiveRedeem,
  refresh as executiveRefresh,
  tokensIn as executiveTokens,
  unknownClient,
} from '../support/club.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import {
  askLogin,
  callback,
  codeFor,
  invalidClient,
  invalidRefreshToken,
  joinClub,
  loginTarget,
  type PartnerClub,
  redeem,
  refresh,
  secondClub,
  thirdClub,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { ask } from '../support/wire.ts';

interface Clubs {
  readonly first: Club;
  readonly second: PartnerClub;
  readonly third: PartnerClub;
}

/** All three in one service; one identifier is registered with each, under secrets of its own. */
async function openClubs(t: TestContext, secret = (name: string) => `secret of ${name}`) {
  const names = [executive, secondClub.programme, thirdClub.programme];
  const programmes = Object.fromEntries(names.map((name) => [name, shippedProgramme(name)]));
  const jetway = await startJetway(t, { programmes });
  const id = 'partnerapi-12345';
  return {
    first: {
      ...jetway,
      client: await jetway.addClient({ id, secret: secret('first') }),
      member: await jetway.addMember(),
    },
    second: await joinClub(jetway, secondClub, { secret: secret('second') }),
    third: await joinClub(jetway, thirdClub, { secret: secret('third') }),
  } satisfies Clubs;
}

const sameSecret = (): string => 'one secret for all';

test('HOSTILE 33: one identifier in two programmes is two clients, each with its secret', async (t) => {
  const { second, third } = await openClubs(t);
  assert.equal(second.client.id, third.client.id);
  for (const [here, there] of [
    [second, third],
    [third, second],
  ] as const) {
    const code = await codeFor(here);
    const foreign = { authorization: there.client.basic };
    assert.deepEqual(await redeem(here, code, {}, foreign), invalidClient(here));
    assert.deepEqual(await refresh(here, 'x', {}, foreign), invalidClient(here));
    tokensIn(await redeem(here, code));
  }
});

test('HOSTILE 33: a refresh token is worth nothing at another programme', async (t) => {
  const { first, second, third } = await openClubs(t, sameSecret);
  const token = (await tokensOfLogin(second)).refresh_token;
  const other = executiveTokens(await executiveRedeem(first, await executiveCode(first)));
  assert.deepEqual(await refresh(third, token), invalidRefreshToken);
  assert.deepEqual(await refresh(third, other.refresh_token), invalidRefreshToken);
  assert.deepEqual(await executiveRefresh(first, token), executiveInvalidToken);
  const next = tokensIn(await refresh(second, token));
  second.clock.advance(11);
  // A rotated token shown elsewhere is no reuse.
  assert.deepEqual(await refresh(third, token), invalidRefreshToken);
  tokensIn(await refresh(second, next.refresh_token));
});

test('HOSTILE 33: a client of one programme is unknown to another', async (t) => {
  const { first, second } = await openClubs(t);
  const authorization = first.client.basic;
  assert.deepEqual(await redeem(second, 'x', {}, { authorization }), invalidClient(second));
  const club = { ...first, client: { ...second.client } };
  assert.deepEqual(await executiveRedeem(club, 'x'), unknownClient);
  const lost =
    'The link that brought you here names a partner that is not known here. Please go back to the site you came from and try again. If it happens again, please tell that site.';
  const atSecond = await askLogin(second, { client_id: first.client.id, redirect_uri: callback });
  assert.deepEqual(readPage(atSecond).text, [lost]);
  const atFirst = await ask(first.url, executiveLogin(second.client));
  assert.deepEqual(readPage(atFirst).text, [lost]);
});

test('HOSTILE 33: a login begun at one programme goes on there alone', async (t) => {
  const { first, second, third } = await openClubs(t, sameSecret);
  const login = await openLogin(second.url, loginTarget(second), 'POST');
  const begun = new URL(login.begin.headers['location'] ?? '');
  for (const [page, title] of [
    [third.paths.page, 'You cannot log in at the moment'],
    ['/executive-club/login', 'This login cannot go on'],
  ] as const) {
    const headers = { cookie: login.cookie };
    const shown = await ask(first.url, page + begun.search, { headers });
    assert.equal(readPage(shown).title, title);
    const posted = await submitLogin(first.url, { ...login, action: page }, third.member);
    assert.equal(readPage(posted).title, title);
  }
  const back = await submitLogin(second.url, login, second.member);
  assert.ok(back.headers['location']?.startsWith(`${callback}?code=`));
});

test('HOSTILE 33: a member of one programme is nobody at another', async (t) => {
  const { second, third } = await openClubs(t);
  const { programme } = second;
  const member = await second.addMember({ programme, username: 'bob', password: 'only here' });
  const login = await openLogin(third.url, loginTarget(third), 'POST');
  const answer = await submitLogin(third.url, login, member);
  assert.deepEqual(readPage(answer).text, [
    'Your details were not recognised. Please try again, or update your details on the programme website.',
  ]);
});
