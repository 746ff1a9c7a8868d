// HOSTILE 15 and G-7: what happens to a login between its page and its form: another attempt that is
// faster, a partner that loses its standing, a code that is long over.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';

import type { Client, ClientId } from '../../src/oauth/client.ts';
import type { Store } from '../../src/store/contract.ts';
import {
  type Club,
  invalidCode,
  loginTarget,
  openClub,
  programme,
  redeem,
  redirected,
  tokensIn,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { openLogin, type OpenLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import type { Answer } from '../support/wire.ts';

interface Visit extends Club {
  readonly login: OpenLogin;
  readonly submit: () => Promise<Answer>;
}

async function visit(t: TestContext, over = '', store?: Store): Promise<Visit> {
  const club = await openClub(t, { over, ...(store === undefined ? {} : { store }) });
  const login = await openLogin(club.url, loginTarget(club.client, { state: 'mine' }));
  return { ...club, login, submit: () => submitLogin(club.url, login, club.member) };
}

function codeIn({ headers, body }: Answer): string {
  return URL.parse(headers['location'] ?? '')?.searchParams.get('code') ?? assert.fail(body);
}

test('HOSTILE 15: of two attempts the code of the one sent later is good, whichever ends first', async (t) => {
  const failing = failingStore();
  const { submit, clock, ...club } = await visit(t, '', failing.store);
  const { waiting, letGo } = failing.hold('findBy member');
  const slow = submit();
  await waiting;
  clock.advance(1);
  const code = codeIn(await submit());
  clock.advance(1);
  letGo();
  // Nobody waits for its answer: the browser has gone on with the second.
  assert.equal(readPage(await slow).title, 'You have logged in');
  assert.equal(tokensIn(await redeem({ ...club, clock }, code)).token_type, 'bearer');
});

test('HOSTILE 15: a login whose tokens have ended and been swept is over all the same', async (t) => {
  const { submit, clock, store, ...club } = await visit(
    t,
    'login: { lifetime: 2h }\ntokens: { access: { lifetime: 1m }, refresh: { lifetime: 1m, longest: 1m } }',
  );
  tokensIn(await redeem({ ...club, clock, store }, codeIn(await submit())));
  clock.advance(600);
  for (let sweep = 0; sweep < 6; sweep += 1) await store.sweep(clock.now(), 100);
  assert.equal(readPage(await submit()).title, 'You have logged in');
});

test('HOSTILE 15: a code that nobody redeemed in time is replaced by the next attempt', async (t) => {
  const { submit, clock, ...club } = await visit(t);
  const late = codeIn(await submit());
  clock.advance(121);
  const code = codeIn(await submit());
  assert.deepEqual(await redeem({ ...club, clock }, late), invalidCode);
  assert.equal(tokensIn(await redeem({ ...club, clock }, code)).token_type, 'bearer');
});

/** What can befall a partner while a member types, and what the member gets. */
const losses: Readonly<Record<string, readonly [(client: Client) => Client, string | Answer]>> = {
  'G-6: is disabled': [(client) => ({ ...client, status: 'disabled' }), 'This login cannot start'],
  'G-7: loses its redirect URI': [
    (client) => ({ ...client, redirectUris: ['https://partner.example/other'] }),
    'Security Issue',
  ],
  'G-20: loses its role': [
    (client) => ({ ...client, roles: ['partner'] }),
    redirected('https://partner.example/callback?error=access_denied&state=mine'),
  ],
};

for (const [name, [change, expected]] of Object.entries(losses)) {
  test(`${name} while a member types: no code, whether the password is right or wrong`, async (t) => {
    const { submit, store, client, login, ...club } = await visit(t);
    await store.change('client', programme, client.id as ClientId, change);
    const wrong = { ...club.member, password: 'wrong' };
    for (const answer of [await submit(), await submitLogin(club.url, login, wrong)]) {
      if (typeof expected === 'object') assert.deepEqual(answer, expected);
      else {
        const { status, title } = readPage(answer);
        assert.deepEqual([status, title], [400, expected]);
      }
    }
  });
}

test('C-5: a partner that is removed while a member types gets no code', async (t) => {
  const { submit, store, client, clock } = await visit(t);
  await store.remove('client', programme, client.id as ClientId, clock.now());
  const { status, title } = readPage(await submit());
  assert.deepEqual([status, title], [400, 'This login cannot start']);
});

test('HOSTILE 1: a callback that is removed while a member types takes its variants along', async (t) => {
  const club = await openClub(t, {
    over: 'authorize: { redirect_uri: { varies: [redirect_state] } }',
  });
  const redirect_uri = `${club.client.redirectUri}?redirect_state=a`;
  const login = await openLogin(club.url, loginTarget(club.client, { redirect_uri }));
  const redirectUris = ['https://partner.example/cb2'];
  await club.store.change('client', programme, club.client.id as ClientId, (client) => ({
    ...client,
    redirectUris,
  }));
  const answer = await submitLogin(club.url, login, club.member);
  assert.equal(readPage(answer).title, 'Security Issue');
});
