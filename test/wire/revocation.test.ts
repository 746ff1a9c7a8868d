// Owns revocation on the wire (RFC 7009): what goes with a token, and what stays.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Unavailable } from '../../src/oauth/failure.ts';
import {
  askPartnerToken,
  type Club,
  invalidRefreshToken,
  isLive,
  openClub,
  programme,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
  unknownClient,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { verify } from '../support/gateway.ts';
import { type Answer, post } from '../support/wire.ts';

const on = 'revocation: { path: /revoke }';

function revoke(
  { url }: Pick<Club, 'url'>,
  authorization: string,
  fields: Readonly<Record<string, string>>,
  id: string = programme,
): Promise<Answer> {
  return post(url, `/${id}/revoke`, fields, { authorization });
}

const done: Answer = {
  status: 200,
  headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
  body: '',
};

test('a refresh token takes its login along, all access tokens included', async (t) => {
  const club = await openClub(t, { over: on });
  const first = await tokensOfLogin(club);
  const second = tokensIn(await refresh(club, first.refresh_token));
  const other = await tokensOfLogin(club);
  assert.deepEqual(await revoke(club, club.client.basic, { token: second.refresh_token }), done);
  assert.deepEqual(await refresh(club, second.refresh_token), invalidRefreshToken);
  for (const { access_token: token } of [first, second]) {
    assert.equal((await verify(club, programme, 'member', { token })).status, 401);
  }
  const { access_token: token } = other;
  assert.equal((await verify(club, programme, 'member', { token })).status, 200);
  // RFC 7009 2.2: it is no error to revoke what is revoked.
  assert.deepEqual(await revoke(club, club.client.basic, { token: second.refresh_token }), done);
});

test('FAULTS 11: an access token of a clock that was ahead can be revoked before its time', async (t) => {
  const club = await openClub(t, { over: on });
  const first = await tokensOfLogin(club);
  club.clock.advance(3600);
  const { access_token: token } = tokensIn(await refresh(club, first.refresh_token));
  club.clock.advance(-3500);
  assert.equal(await isLive(club, token), false);
  assert.deepEqual(await revoke(club, club.client.basic, { token }), done);
  club.clock.advance(3600);
  assert.equal(await isLive(club, token), false);
});

test('FAULTS 33: a token that a clock ahead takes for expired is revoked all the same', async (t) => {
  const form = 'form: { characters: base64url, length: 40 }';
  for (const format of ['opaque', 'jwt', `opaque, ${form}`]) {
    const club = await openClub(t, {
      over: `{ ${on}, tokens: { access: { format: ${format} }, refresh: { lifetime: 1h, ${form} } } }`,
    });
    const { access_token: member } = await tokensOfLogin(club);
    const { refresh_token: other } = await tokensOfLogin(club);
    const { access_token: own } = tokensIn(await askPartnerToken(club));
    await club.store.time(club.clock.now());
    const right = club.clock.now();
    club.clock.advance(7200);
    await club.store.time(club.clock.now());
    for (const token of [member, own, other]) {
      assert.deepEqual(await revoke(club, club.client.basic, { token }), done);
    }
    club.clock.advance(-7200);
    await club.store.acceptTime(right);
    assert.equal(await isLive(club, member), false, format);
    assert.deepEqual(await refresh(club, other), invalidRefreshToken, format);
    assert.equal((await verify(club, programme, 'client', { token: own })).status, 401, format);
    const { access_token: fresh } = tokensIn(await askPartnerToken(club));
    assert.equal((await verify(club, programme, 'client', { token: fresh })).status, 200, format);
  }
});

test('one that was used already ends its login as well', async (t) => {
  const club = await openClub(t, { over: on });
  const first = await tokensOfLogin(club);
  const second = tokensIn(await refresh(club, first.refresh_token));
  assert.deepEqual(await revoke(club, club.client.basic, { token: first.refresh_token }), done);
  assert.deepEqual(await refresh(club, second.refresh_token), invalidRefreshToken);
});

test('an access token goes alone, whatever the hint says', async (t) => {
  const club = await openClub(t, { over: on });
  for (const hint of [undefined, 'access_token', 'refresh_token', 'something_else']) {
    const tokens = await tokensOfLogin(club);
    const fields = {
      token: tokens.access_token,
      ...(hint === undefined ? {} : { token_type_hint: hint }),
    };
    assert.deepEqual(await revoke(club, club.client.basic, fields), done);
    assert.equal(await isLive(club, tokens.access_token), false);
    tokensIn(await refresh(club, tokens.refresh_token));
  }
  const own = tokensIn(await askPartnerToken(club));
  assert.deepEqual(await revoke(club, club.client.basic, { token: own.access_token }), done);
  const after = await verify(club, programme, 'client', { token: own.access_token });
  assert.equal(after.status, 401);
});

test('another client’s token stays as it is, and nobody learns that it is one', async (t) => {
  const club = await openClub(t, { over: on });
  const another = await club.addClient({ id: 'partnerapi-54321' });
  const tokens = await tokensOfLogin(club);
  for (const token of [tokens.access_token, tokens.refresh_token, 'unknown', 'a.b.c']) {
    assert.deepEqual(await revoke(club, another.basic, { token }), done);
  }
  assert.equal(await isLive(club, tokens.access_token), true);
  tokensIn(await refresh(club, tokens.refresh_token));
});

test('only clients may revoke, in the words of the dialect', async (t) => {
  const club = await openClub(t, { over: on });
  const { access_token: token } = await tokensOfLogin(club);
  const wrong = `Basic ${Buffer.from('partnerapi-12345:wrong').toString('base64')}`;
  assert.deepEqual(await revoke(club, wrong, { token }), unknownClient);
  assert.deepEqual(
    await post(club.url, '/executive-club/revoke', { token }),
    refused(400, { error: 'invalid_client' }),
  );
  assert.deepEqual(
    await revoke(club, club.client.basic, {}),
    refused(400, { error: 'invalid_request', error_description: 'token is missing' }),
  );
  assert.equal(await isLive(club, token), true);
});

test('G-22: what could not be revoked is not answered as if it had been', async (t) => {
  const failing = failingStore();
  const club = await openClub(t, { over: on, store: failing.store });
  const tokens = await tokensOfLogin(club);
  const away = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
  for (const [verb, token] of [
    ['revokeLogin', tokens.refresh_token],
    ['revokeToken', tokens.access_token],
    ['findLogin', tokens.refresh_token],
    ['findLogin', tokens.access_token],
  ] as const) {
    failing.fail(verb, new Unavailable('the disk is gone'));
    assert.deepEqual(await revoke(club, club.client.basic, { token }), away, verb);
    failing.heal();
  }
});
