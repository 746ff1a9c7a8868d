// Two programmes on one base path, told apart by programme-identifier: which of them answers, in
// whose words, and that they are strangers to each other as they are on paths of their own (C-2).

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { redirected } from '../support/club.ts';
import { publicUrl, shippedProgramme, startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import {
  askKey,
  askLogin,
  callback,
  codeFor,
  headersOf,
  invalidClient,
  invalidCode,
  invalidRefreshToken,
  joinClub,
  loginTarget,
  namesOf,
  type PartnerClub,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { keySetOf, verifyJwt } from '../support/resource_server.ts';
import { ask } from '../support/wire.ts';

const difficulties = 'We are having difficulties. Please try again later.';

const second = namesOf('second-club', 'SecondClub', '/clubs', '/clubs/second-club');
const third = namesOf('third-club', 'ThirdClub', '/clubs', '/clubs/third-club');

interface Pair {
  readonly second: PartnerClub;
  readonly third: PartnerClub;
}

/** How each words a missing or wrong header, so that it shows who answered. */
function words(name: string, isDefault: boolean): string {
  return `
base_path: /clubs
selector: { input: programme, default: ${isDefault} }
errors:
  reasons:
    missing_header: { error_description: "${name} misses {parameter}" }
    programme_mismatch: { error_description: "${name} is not {parameter}" }
authorize:
  failures:
    programme_mismatch: { page: { title: Not ${name} } }
    unknown_client: { page: { title: Unknown to ${name} } }
`;
}

async function openPair(
  t: TestContext,
  options: {
    readonly isDefault?: string;
    readonly sameSecret?: boolean;
    readonly over?: string;
  } = {},
): Promise<Pair> {
  const { isDefault = 'second-club', sameSecret = false, over = '' } = options;
  const programmes = {
    'second-club': shippedProgramme('second-club', words('Second', isDefault === 'second-club')),
    'third-club': shippedProgramme('third-club', words('Third', isDefault === 'third-club'), over),
  };
  const jetway = await startJetway(t, { programmes });
  return {
    second: await joinClub(jetway, second, { secret: 'secret of second' }),
    third: await joinClub(jetway, third, { secret: sameSecret ? 'secret of second' : 'another' }),
  };
}

test('C-2: each programme answers its own at the shared endpoints', async (t) => {
  const clubs = await openPair(t);
  for (const club of [clubs.second, clubs.third]) {
    const login = await openLogin(club.url, loginTarget(club, { state: 's' }), 'POST');
    const begun = `${publicUrl}/clubs/${club.programme}/login?transaction=`;
    assert.ok(login.begin.headers['location']?.startsWith(begun));
    assert.equal(readPage(login.page).title, `Log in to ${club.name}`);
    assert.equal(login.action.split('?')[0], `/clubs/${club.programme}/login`);
    const back = await submitLogin(club.url, login, club.member);
    const code = new URL(back.headers['location'] ?? '').searchParams.get('code') ?? '';
    const first = tokensIn(await redeem(club, code));
    const next = tokensIn(await refresh(club, first.refresh_token));
    for (const tokens of [first, next]) {
      assert.equal(tokens.token_Information['programmeIdentifier'], club.identifier);
      await verifyJwt(club, club.own, tokens.access_token);
    }
    const wrong = { authorization: 'Basic x' };
    assert.deepEqual(await redeem(club, 'x', {}, wrong), invalidClient(club));
    assert.deepEqual(await refresh(club, 'x', {}, wrong), invalidClient(club));
  }
});

for (const isDefault of ['second-club', 'third-club']) {
  test(`C-2 C-8: a missing or unknown selector is worded by the default, ${isDefault}`, async (t) => {
    const clubs = await openPair(t, { isDefault });
    const [chosen, name] =
      isDefault === 'second-club'
        ? ([clubs.second, 'Second'] as const)
        : ([clubs.third, 'Third'] as const);
    for (const club of [clubs.second, clubs.third]) {
      for (const selector of [undefined, '']) {
        const missing = refused(400, 'invalid_request', `${name} misses programme identifier`);
        const headers = { 'programme-identifier': selector };
        assert.deepEqual(await redeem(club, 'x', {}, headers), missing);
        assert.deepEqual(await refresh(club, 'x', {}, headers), missing);
      }
      for (const selector of ['FourthClub', 'secondclub', 'ThirdClubs']) {
        const unknown = refused(400, 'invalid_request', `${name} is not programme identifier`);
        const headers = { 'programme-identifier': selector };
        assert.deepEqual(await redeem(club, 'x', {}, headers), unknown);
        assert.deepEqual(await refresh(club, 'x', {}, headers), unknown);
        const page = await askLogin(club, { 'programme-identifier': selector });
        assert.equal(readPage(page).title, `Not ${name}`);
      }
      // The query does not name it where a header does, nor the other way.
      const astray = { 'programme-identifier': clubs.third.identifier };
      const inQuery = await askKey(club, astray, { 'programme-identifier': undefined });
      assert.match(inQuery.body, new RegExp(`"${name} misses`));
    }
    const none = await askLogin(chosen, { 'programme-identifier': undefined, state: 's' });
    assert.deepEqual(none, redirected(`${callback}?error=invalid_request&state=s`));
    const lost = await askLogin(chosen, { 'programme-identifier': undefined, client_id: 'Nobody' });
    assert.equal(readPage(lost).title, `Unknown to ${name}`);
  });
}

test('C-2: a selector that is there twice is no selector', async (t) => {
  const { third: club } = await openPair(t);
  const target = `${loginTarget(club)}&programme-identifier=ThirdClub`;
  const answer = await ask(club.url, target, { method: 'POST' });
  assert.deepEqual(answer, redirected(`${callback}?error=invalid_request`), 'told by the default');
  const broken = await ask(club.url, `${loginTarget(club)}&x=%zz`, { method: 'POST' });
  assert.equal(
    readPage(broken).text[0],
    'The link that brought you here is damaged. Please go back to the site you came from and try again. If it happens again, please tell that site.',
  );
  const headers = { ...headersOf(club), 'programme-identifier': ['ThirdClub', 'SecondClub'] };
  const key = `${club.paths.key}?grant_type=authorization_code&code=x`;
  const twice = await ask(club.url, key, { method: 'POST', headers });
  assert.equal(twice.status, 400);
});

test('C-2 HOSTILE 33: nothing of one is worth anything at the other', async (t) => {
  const clubs = await openPair(t, { sameSecret: true });
  for (const [here, there] of [
    [clubs.second, clubs.third],
    [clubs.third, clubs.second],
  ] as const) {
    const code = await codeFor(here);
    assert.deepEqual(await redeem(there, code), invalidCode);
    const tokens = tokensIn(await redeem(here, code));
    assert.deepEqual(await refresh(there, tokens.refresh_token), invalidRefreshToken);
    tokensIn(await refresh(here, tokens.refresh_token));
    const login = await openLogin(here.url, loginTarget(here), 'POST');
    const moved = { ...login, action: there.paths.page };
    const posted = await submitLogin(here.url, moved, there.member);
    assert.deepEqual(readPage(posted).text, [difficulties]);
    const search = new URL(login.begin.headers['location'] ?? '').search;
    const shown = await ask(here.url, there.paths.page + search, {
      headers: { cookie: login.cookie },
    });
    assert.deepEqual(readPage(shown).text, [difficulties]);
    // Nor is a member of one anybody at the other.
    const { programme } = there;
    const theirs = await there.addMember({ programme, username: `only-${programme}` });
    const lost = await submitLogin(here.url, login, theirs);
    assert.equal(readPage(lost).title, `Error: Log in to ${here.name}`);
  }
  const kids = await Promise.all(
    [clubs.second, clubs.third].map(async (club) =>
      (await keySetOf(club, club.own)).keys.map(({ kid }) => kid),
    ),
  );
  assert.equal(new Set(kids.flat()).size, 2);
});

test('HOSTILE 69: a selector with a scheme before it tells programmes apart', async (t) => {
  const input = '{ inputs: { programme: { scheme: Club } } }';
  const over = `token_endpoints: { key: ${input}, refresh: ${input} }`;
  const programmes = {
    'second-club': shippedProgramme('second-club', words('Second', true), over),
    'third-club': shippedProgramme('third-club', words('Third', false), over),
  };
  const jetway = await startJetway(t, { programmes });
  for (const names of [second, third]) {
    const club = await joinClub(jetway, names);
    for (const scheme of ['Club', 'CLUB  ']) {
      const named = { 'programme-identifier': `${scheme} ${names.identifier}` };
      const first = tokensIn(await redeem(club, await codeFor(club), {}, named));
      tokensIn(await refresh(club, first.refresh_token, {}, named));
    }
    // Without the scheme the default answers, as it answers whatever names nobody.
    const bare = refused(400, 'invalid_request', 'Second misses programme identifier');
    assert.deepEqual(await redeem(club, 'x'), bare);
    const other = { 'programme-identifier': `Other ${names.identifier}` };
    assert.deepEqual(await redeem(club, 'x', {}, other), bare);
  }
});

test('C-2: a client of one is unknown to the other, though the path is the same', async (t) => {
  const clubs = await openPair(t);
  const authorization = clubs.second.client.basic;
  const answer = await redeem(clubs.third, 'x', {}, { authorization });
  assert.deepEqual(answer, invalidClient(clubs.third));
  const more = { redirectUris: [`${callback}/2`] };
  const only = await clubs.third.addClient({ programme: 'third-club', id: 'OnlyThird', ...more });
  const page = await askLogin(clubs.second, { client_id: only.id });
  assert.equal(readPage(page).title, 'Unknown to Second');
  const other = await askLogin(clubs.third, { client_id: only.id });
  assert.equal(other.status, 303);
});

test('C-2: there is no login page and no key set at the path they share', async (t) => {
  const { second: club } = await openPair(t);
  for (const path of ['/clubs/login', '/clubs/.well-known/jwks.json', '/second-club/secure/key']) {
    assert.equal((await ask(club.url, path)).status, 404, path);
  }
});

test('C-2 C-8: the selector decides before the method does', async (t) => {
  const over = 'token_endpoints: { key: { methods: [GET, POST] } }';
  const clubs = await openPair(t, { over });
  const target = (code: string): string =>
    `${second.paths.key}?grant_type=authorization_code&code=${code}`;
  const code = await codeFor(clubs.third);
  const got = await ask(clubs.third.url, target(code), { headers: headersOf(clubs.third) });
  tokensIn(got);
  const refusal = await ask(clubs.second.url, target('x'), { headers: headersOf(clubs.second) });
  assert.deepEqual(
    refusal,
    refused(405, 'invalid_request', 'Method not allowed', { allow: 'POST' }),
  );
});

test('C-2: a programme that is alone on its path answers every selector', async (t) => {
  const over = 'base_path: /clubs\nselector: { input: programme }';
  const programmes = { 'third-club': shippedProgramme('third-club', over) };
  const club = await joinClub(await startJetway(t, { programmes }), third);
  await tokensOfLogin(club);
  const mismatch = refused(400, 'invalid_request', 'Invalid header: programme identifier');
  assert.deepEqual(await redeem(club, 'x', {}, { 'programme-identifier': 'Other' }), mismatch);
});
