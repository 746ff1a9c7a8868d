// The executive club's refusals at the grant endpoint, each in full (G-14 to G-21, C-10).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  askTokens,
  codeFor,
  invalidCode,
  invalidRefreshToken,
  openClub,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
  unknownClient,
} from '../support/club.ts';

const partnerToken = { grant_type: 'client_credentials' };

test('G-14: an unknown grant type', async (t) => {
  const club = await openClub(t);
  const refusal = refused(400, { error: 'unsupported_grant_type' });
  for (const type of ['password', 'implicit', 'AUTHORIZATION_CODE', 'code', '__proto__', ' ']) {
    assert.deepEqual(await askTokens(club, { grant_type: type }), refusal, type);
  }
});

test('G-15: a missing parameter is named; an empty one is missing', async (t) => {
  const club = await openClub(t);
  const missing = (name: string) =>
    refused(400, { error: 'invalid_request', error_description: `${name} is missing` });
  const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['grant_type', {}],
    ['grant_type', { grant_type: '', code: 'x' }],
    ['code', { grant_type: 'authorization_code' }],
    ['code', { grant_type: 'authorization_code', code: '', refresh_token: 'x' }],
    ['refresh_token', { grant_type: 'refresh_token' }],
    ['refresh_token', { grant_type: 'refresh_token', refresh_token: '', code: 'x' }],
  ];
  for (const [name, fields] of cases) {
    assert.deepEqual(await askTokens(club, fields), missing(name), JSON.stringify(fields));
  }
});

test('G-16: no authentication, or another than Basic', async (t) => {
  const club = await openClub(t);
  const refusal = refused(400, { error: 'invalid_client' });
  const { basic, id, secret } = club.client;
  const headers: readonly Readonly<Record<string, string>>[] = [
    {},
    { authorization: basic.replace('Basic', 'Bearer') },
    { authorization: basic.replace('Basic ', '') },
    { authorization: 'Basic' },
    { authorization: 'Basic !!!!' },
  ];
  for (const one of headers) assert.deepEqual(await askTokens(club, partnerToken, one), refusal);
  const inBody = { ...partnerToken, client_id: id, client_secret: secret };
  assert.deepEqual(await askTokens(club, inBody, {}), refusal);
  assert.equal((await askTokens(club, partnerToken, { authorization: basic })).status, 200);
});

test('G-17: unknown client, wrong secret, disabled client', async (t) => {
  const club = await openClub(t);
  const disabled = await club.addClient({ id: 'partnerapi-00002', more: { status: 'disabled' } });
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const { id, secret } = club.client;
  for (const authorization of [
    basic(`partnerapi-00000:${secret}`),
    basic(`${id}:${secret}x`),
    basic(`${id}:`),
    basic(`${id}:${secret.toUpperCase()}`),
    basic(`${id.toUpperCase()}:${secret}`),
    disabled.basic,
  ]) {
    assert.deepEqual(await askTokens(club, partnerToken, { authorization }), unknownClient);
  }
});

test('G-17 C-5: of two secrets both are good until one has expired', async (t) => {
  const club = await openClub(t);
  const { clock, keyring } = club;
  const createdAt = clock.now();
  const client = await club.addClient({
    id: 'partnerapi-00002',
    secret: 'old',
    more: {
      secrets: [
        {
          digest: keyring.secretDigest('old'),
          createdAt,
          expiresAt: (createdAt + 60_000) as never,
        },
        { digest: keyring.secretDigest('new'), createdAt },
      ],
    },
  });
  const statusWith = async (secret: string): Promise<number> => {
    const authorization = `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`;
    return (await askTokens(club, partnerToken, { authorization })).status;
  };
  assert.deepEqual([await statusWith('old'), await statusWith('new')], [200, 200]);
  clock.advance(60);
  assert.deepEqual([await statusWith('old'), await statusWith('new')], [401, 200]);
});

test('G-18: one counter per client over all grants, and a time to come back', async (t) => {
  const club = await openClub(t);
  const throttle = { limit: 4, window: 60_000 };
  const slow = await club.addClient({ id: 'partnerapi-00002', more: { throttle } });
  const other = await club.addClient({ id: 'partnerapi-00003', more: { throttle } });
  const authorization = slow.basic;
  const slowClub = { ...club, client: slow };
  const code = await codeFor(slowClub);
  const tokens = tokensIn(await redeem(slowClub, code));
  const second = tokensIn(await refresh(slowClub, tokens.refresh_token));
  assert.equal((await askTokens(club, partnerToken, { authorization })).status, 200);
  club.clock.advance(20.5);
  assert.deepEqual(await redeem(slowClub, 'nonsense'), invalidCode);
  const tooMany = refused(429, { error: 'too_many_tokens' }, { 'retry-after': '40' });
  assert.deepEqual(await askTokens(club, partnerToken, { authorization }), tooMany);
  assert.deepEqual(await refresh(slowClub, second.refresh_token), tooMany);
  const { basic } = other;
  assert.equal((await askTokens(club, partnerToken, { authorization: basic })).status, 200);
  club.clock.advance(39.5);
  tokensIn(await refresh(slowClub, second.refresh_token));
});

test('G-18: the shipped limit is 600 a minute', async (t) => {
  const club = await openClub(t);
  const headers = { authorization: club.client.basic };
  const ask = () => askTokens(club, { grant_type: 'authorization_code', code: 'x' }, headers);
  for (let batch = 0; batch < 12; batch++) {
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    assert.ok(answers.every(({ status }) => status === 400));
  }
  assert.deepEqual(
    await ask(),
    refused(429, { error: 'too_many_tokens' }, { 'retry-after': '60' }),
  );
});

test('G-19: a refresh token that is unknown, expired or foreign', async (t) => {
  const club = await openClub(t);
  const { refresh_token: token, access_token: access } = await tokensOfLogin(club);
  const other = await club.addClient({ id: 'partnerapi-00002' });
  for (const unknown of ['x', `${token}x`, access, token.toUpperCase(), 'a'.repeat(5000)]) {
    assert.deepEqual(await refresh(club, unknown), invalidRefreshToken);
  }
  assert.deepEqual(await refresh({ ...club, client: other }, token), invalidRefreshToken);
  club.clock.advance(24 * 3600);
  assert.deepEqual(await refresh(club, token), invalidRefreshToken);
});

test('G-20: a client without the role of the grant', async (t) => {
  const club = await openClub(t);
  const refusal = refused(400, { error: 'invalid_grant', error_description: 'access_denied' });
  const none = await club.addClient({ id: 'partnerapi-00002', roles: [] });
  const members = await club.addClient({ id: 'partnerapi-00003', roles: ['member'] });
  const partners = await club.addClient({ id: 'partnerapi-00004', roles: ['partner'] });
  const ask = (client: { readonly basic: string }, fields: Readonly<Record<string, string>>) =>
    askTokens(club, fields, { authorization: client.basic });
  const byCode = { grant_type: 'authorization_code', code: 'x' };
  const byToken = { grant_type: 'refresh_token', refresh_token: 'x' };
  for (const fields of [byCode, byToken, partnerToken]) {
    assert.deepEqual(await ask(none, fields), refusal);
  }
  assert.deepEqual(await ask(members, partnerToken), refusal);
  assert.deepEqual(await ask(members, byCode), invalidCode);
  assert.deepEqual(await ask(partners, byCode), refusal);
  assert.deepEqual(await ask(partners, byToken), refusal);
  assert.equal((await ask(partners, partnerToken)).status, 200);
});

test('G-21: a code that is unknown or somebody else’s', async (t) => {
  const club = await openClub(t);
  const code = await codeFor(club);
  const other = await club.addClient({ id: 'partnerapi-00002' });
  for (const unknown of ['x', `${code}0`, code.toUpperCase(), ` ${code}`, '\u0000']) {
    assert.deepEqual(await redeem(club, unknown), invalidCode);
  }
  assert.deepEqual(await redeem({ ...club, client: other }, code), invalidCode);
  tokensIn(await redeem(club, code));
});
