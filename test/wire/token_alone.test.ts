// Owns requests that prove their client by a token of an earlier answer alone, on the wire.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import { tokenExchange } from '../../src/oauth/grant.ts';
import {
  askTokens,
  invalidRefreshToken,
  isLive,
  jsonHeaders,
  openClub,
  partnerTokenOf,
  programme,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { type Answer, ask, post } from '../support/wire.ts';

const over = 'client: { authentication: { methods: [basic, token] } }';

const missing: Answer = {
  status: 400,
  headers: jsonHeaders,
  body: '{"error":"invalid_client"}',
};

test('a refresh token alone is renewed; used again, it ends its login', async (t) => {
  const club = await openClub(t, { over });
  const renew = (token: string): Promise<Answer> =>
    post(club.url, `/${programme}/api/grant`, {
      grant_type: 'refresh_token',
      refresh_token: token,
    });
  const first = await tokensOfLogin(club);
  const second = tokensIn(await renew(first.refresh_token));
  club.clock.advance(11);
  assert.deepEqual(await renew(first.refresh_token), invalidRefreshToken);
  assert.deepEqual(await renew(second.refresh_token), invalidRefreshToken);
});

test('it proves nothing for another grant, and nothing beside another client', async (t) => {
  const club = await openClub(t, { over });
  const { refresh_token } = await tokensOfLogin(club);
  const path = `/${programme}/api/grant`;
  for (const grant_type of ['client_credentials', 'authorization_code']) {
    const asked = { grant_type, refresh_token, code: 'a' };
    assert.deepEqual(await post(club.url, path, asked), missing);
  }
  const other = { grant_type: 'refresh_token', refresh_token, client_id: 'partnerapi-99999' };
  assert.equal((await post(club.url, path, other)).status, 400);
  const changed = refresh_token.replace(/(?<=^.{20})./, (former) => (former === 'A' ? 'B' : 'A'));
  const wrong = { grant_type: 'refresh_token', refresh_token: changed };
  const answer = await post(club.url, path, wrong);
  assert.equal(answer.status, 400);
  const made = { grant_type: 'refresh_token', refresh_token: 'made-up' };
  assert.deepEqual(await post(club.url, path, made), invalidRefreshToken);
});

test('HOSTILE 40: a disabled client is refused with its token, as with its secret', async (t) => {
  const club = await openClub(t, { over });
  const { refresh_token } = await tokensOfLogin(club);
  const disable = { status: 'disabled' } as const;
  await club.store.change('client', programme, club.client.id as ClientId, (client) => ({
    ...client,
    ...disable,
  }));
  const answer = await post(club.url, `/${programme}/api/grant`, {
    grant_type: 'refresh_token',
    refresh_token,
  });
  assert.equal(answer.status, 401);
});

test('RFC 8693: an access token alone is exchanged for a longer one, which ends with its login', async (t) => {
  const exchange = `${over}
authorize: { endpoint: { inputs: { scope: {} } } }
token_endpoints:
  long: { path: /api/long, methods: [GET], read: query, inputs: [{ subject_token: { name: access_token } }] }
grants: { token_exchange: { endpoint: long, role: member, access_lifetime: 1d } }
scope: { kind: list, values: [], client: null, member_default: null }
`;
  const club = await openClub(t, { over: exchange });
  const { access_token: first } = await tokensOfLogin(club);
  const longer = async (token: string): Promise<Answer> =>
    ask(club.url, `/${programme}/api/long?access_token=${token}`);
  const { access_token: second } = tokensIn(await longer(first));
  club.clock.advance(3600);
  assert.equal(await isLive(club, first), false);
  assert.equal(await isLive(club, second), true);
  const { access_token: third } = tokensIn(await longer(second));
  assert.equal(await isLive(club, third), true);
  assert.equal((await longer(first)).status, 400);
  assert.equal((await longer('made-up')).status, 400);
});

test("a client's own token alone is not exchanged: it would never end", async (t) => {
  const own = `
token_endpoints: { grant: { inputs: { subject_token: {} } } }
grants: { token_exchange: { endpoint: grant, role: partner } }
`;
  const club = await openClub(t, { over: [over, own] });
  const subject_token = await partnerTokenOf(club);
  const asked = { grant_type: tokenExchange, subject_token };
  assert.equal((await askTokens(club, asked, {})).status, 400);
  assert.equal(club.records.at(-1)?.failure?.reason, 'invalid_assertion');
  tokensIn(await askTokens(club, asked));
});
