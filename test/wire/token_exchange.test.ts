// The token_exchange grant (RFC 8693): an access token for another one.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Subject } from '../../src/oauth/member.ts';
import {
  askTokens,
  type Club,
  isLive,
  openClub,
  partnerTokenOf,
  programme,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { inactive, introspect, managed, revoke, verify } from '../support/gateway.ts';
import { inTurns } from '../support/nodes.ts';
import { changeClient } from '../support/partner_token.ts';
import type { Answer } from '../support/wire.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
const minute = 60;
const day = 24 * 60 * minute;

const exchanging = `${managed}
token_endpoints:
  grant:
    inputs:
      subject_token: {}
      subject_token_type: { allowed: ["${accessTokenType}"] }
      requested_token_type: { allowed: ["${accessTokenType}"] }
      actor_token: {}
grants: { token_exchange: { endpoint: grant, role: member, access_lifetime: 20d } }
token_response: { fields: { issued_token_type: issued_token_type } }
errors: { reasons: { invalid_assertion: { status: 400, error: invalid_request } } }
`;

function exchange(club: Club, token: string, more: object = {}): Promise<Answer> {
  return askTokens(club, { grant_type: grantType, subject_token: token, ...more });
}

const invalid = refused(400, { error: 'invalid_request' });

for (const format of ['opaque', 'jwt'] as const) {
  const over = [exchanging, `tokens: { access: { format: ${format} } }`];

  test(`RFC 8693 2.2.1: a short token becomes a long one of the same login, ${format}`, async (t) => {
    const club = await openClub(t, { over });
    const { basic } = club.client;
    const first = await tokensOfLogin(club);
    const answer = tokensIn(await exchange(club, first.access_token));
    assert.deepEqual(answer, {
      access_token: answer.access_token,
      scope: first.scope,
      token_type: 'bearer',
      expires_in: 20 * day,
      issued_token_type: accessTokenType,
    });
    club.clock.advance(19 * day);
    assert.equal(await isLive(club, first.access_token), false);
    const { status, headers } = await verify(club, programme, 'member', {
      token: answer.access_token,
    });
    assert.deepEqual([status, headers['x-auth-subject']], [200, 'subject-of-ann']);
    const about = await introspect(club, programme, basic, answer.access_token);
    const { exp } = JSON.parse(about.body) as { exp: number };
    assert.equal(exp, club.clock.now() / 1000 + day);
    // It can be exchanged itself, until its login ends.
    const last = tokensIn(await exchange(club, answer.access_token));
    assert.equal(last.expires_in, 11 * day);
    club.clock.advance(11 * day);
    assert.equal(await isLive(club, last.access_token), false);
    assert.deepEqual(await exchange(club, last.access_token), invalid);
  });

  test(`what ends a login ends its exchanged tokens, ${format}`, async (t) => {
    const club = await openClub(t, { over });
    const { basic } = club.client;
    const first = await tokensOfLogin(club);
    const { access_token: long } = tokensIn(await exchange(club, first.access_token));
    const next = tokensIn(await refresh(club, first.refresh_token));
    assert.equal(await isLive(club, long), true);
    await revoke(club, programme, basic, next.refresh_token);
    assert.equal(await isLive(club, long), false);
    assert.deepEqual(await introspect(club, programme, basic, long), inactive);
    assert.deepEqual(await exchange(club, long), invalid);
  });

  test(`a client’s own token becomes another own token, ${format}`, async (t) => {
    const club = await openClub(t, { over });
    await changeClient(club, () => ({ roles: ['member', 'partner'] }));
    const token = await partnerTokenOf(club);
    const tokens = tokensIn(await exchange(club, token));
    assert.deepEqual([tokens.scope, tokens.expires_in], ['AUTHN-LEVEL-15', 20 * day]);
    const shown = { token: tokens.access_token };
    assert.equal((await verify(club, programme, 'client', shown)).status, 200);
    assert.equal((await verify(club, programme, 'member', shown)).status, 403);
    await club.store.revokeAll(programme, { client: club.client.id as never });
    assert.equal(await isLive(club, tokens.access_token), false);
  });
}

test('HOSTILE 32: an exchange narrows a scope and never widens it', async (t) => {
  const levels = 'scope: { values: [AUTHN-LEVEL-5, AUTHN-LEVEL-10, AUTHN-LEVEL-15] }';
  const club = await openClub(t, { over: [exchanging, levels] });
  const { access_token: token } = await tokensOfLogin(club);
  const scoped = (text: string, of = token) => exchange(club, of, { scope: text });
  const less = tokensIn(await scoped('AUTHN-LEVEL-5'));
  assert.equal(less.scope, 'AUTHN-LEVEL-5');
  const wider = refused(400, { error: 'invalid_scope' });
  assert.deepEqual(await scoped('AUTHN-LEVEL-15'), wider);
  assert.deepEqual(await scoped('AUTHN-LEVEL-10', less.access_token), wider);
  assert.equal(tokensIn(await exchange(club, less.access_token)).scope, 'AUTHN-LEVEL-5');
});

test('RFC 8693 2.2.2: whatever is no live token of the client is refused in one way', async (t) => {
  const club = await openClub(t, { over: exchanging });
  const other = await club.addClient({ id: 'partnerapi-54321' });
  const tokens = await tokensOfLogin(club);
  const { access_token: token } = tokens;
  for (const text of ['x', `${token}x`, tokens.refresh_token, 'a.b.c']) {
    assert.deepEqual(await exchange(club, text), invalid);
  }
  assert.deepEqual(await exchange({ ...club, client: other }, token), invalid);
  const parameter = (name: string, what: string) =>
    refused(400, { error: 'invalid_request', error_description: `${name} is ${what}` });
  assert.deepEqual(
    await askTokens(club, { grant_type: grantType }),
    parameter('subject_token', 'missing'),
  );
  for (const name of ['subject_token_type', 'requested_token_type', 'actor_token']) {
    const wrong = 'urn:ietf:params:oauth:token-type:saml2';
    assert.deepEqual(await exchange(club, token, { [name]: wrong }), parameter(name, 'invalid'));
  }
  tokensIn(await exchange(club, token));
  club.clock.advance(30 * minute);
  assert.deepEqual(await exchange(club, token), invalid);
});

test('G-19: an exchange for a member who is disabled ends the login', async (t) => {
  const club = await openClub(t, { over: exchanging });
  const [first, second] = [await tokensOfLogin(club), await tokensOfLogin(club)];
  const { access_token: long } = tokensIn(await exchange(club, second.access_token));
  await club.store.change('member', programme, club.member.subject as Subject, (member) => ({
    ...member,
    status: 'disabled',
  }));
  assert.deepEqual(await exchange(club, first.access_token), invalid);
  assert.equal((await verify(club, programme, 'member', { token: long })).status, 401);
});

test('20 exchanges at once all succeed, and write the login once', async (t) => {
  const failing = failingStore();
  const club = await openClub(t, { over: exchanging, store: failing.store });
  const { access_token: token } = await tokensOfLogin(club);
  club.clock.advance(1);
  const answers = await inTurns([club], 20, (node) => exchange(node, token));
  for (const answer of answers)
    assert.equal(await isLive(club, tokensIn(answer).access_token), true);
  failing.calls.length = 0;
  tokensIn(await exchange(club, token));
  assert.deepEqual(
    failing.calls.filter((verb) => verb === 'advanceLogin'),
    [],
  );
});
