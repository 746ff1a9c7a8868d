// The signature of a redirect, as a partner checks it: by itself, from the address that the browser brings.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test, type TestContext } from 'node:test';

import type { Client } from '../../src/oauth/client.ts';
import { type Club, loginTarget, openClub, programme } from '../support/club.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { sealedSecrets } from '../support/signing.ts';

const id = 'partnerapi-77777';
const [older, newer] = ['an-older-signing-secret', 'a-newer-signing-secret'];

async function open(t: TestContext, texts: readonly string[], mode = 'query'): Promise<Club> {
  const club = await openClub(t, {
    over: `authorize: { answer: { mode: ${mode}, more: { shop: client.shop }, signature: { name: hmac, hmac: sha256, of: [code, shop, state] } } }`,
  });
  const signingSecrets = sealedSecrets(club.keyring, { programme, id }, texts, club.clock.now());
  await club.addClient({ id, more: { signingSecrets, properties: { shop: 'a&b=c%' } } });
  return club;
}

/** The parameters with which the browser comes back. */
async function comeBack(
  club: Club,
  more: Readonly<Record<string, string>>,
): Promise<URLSearchParams> {
  const { url, member } = club;
  const login = await openLogin(url, loginTarget({ id }, more));
  const answer = await submitLogin(url, login, member);
  const { search, hash } = new URL(answer.headers['location'] ?? assert.fail(answer.body));
  return new URLSearchParams(search || hash.slice(1));
}

function signatureBy(secret: string, back: URLSearchParams): string {
  const signed = ['code', 'shop', 'state'].flatMap((name) => {
    const value = back.get(name)?.replaceAll('%', '%25').replaceAll('&', '%26');
    return value === undefined ? [] : [`${name}=${value}`];
  });
  return createHmac('sha256', secret).update(signed.join('&')).digest('hex');
}

test('a redirect with a code is signed by the older of two signing secrets, until that has ended', async (t) => {
  const club = await open(t, [older, newer]);
  for (const state of ['a', 'x&shop=evil', '%26']) {
    const back = await comeBack(club, { state });
    assert.equal(back.get('hmac'), signatureBy(older, back));
    assert.equal(back.get('state'), state);
  }
  const without = await comeBack(club, {});
  assert.equal(without.get('hmac'), signatureBy(older, without));
  const { store, clock } = club;
  await store.change('client', programme, id as Client['id'], (client) => ({
    ...client,
    signingSecrets: (client.signingSecrets ?? []).map((one, index) =>
      index === 0 ? { ...one, expiresAt: clock.now() } : one,
    ),
  }));
  const back = await comeBack(club, { state: 'b' });
  assert.equal(back.get('hmac'), signatureBy(newer, back));
});

test('so is a fragment; a failure is not signed, nor the redirect of a client without a signing secret', async (t) => {
  const club = await open(t, [older], 'fragment');
  const back = await comeBack(club, { state: 'a' });
  assert.equal(back.get('hmac'), signatureBy(older, back));
  await club.store.change('client', programme, id as Client['id'], (client) => ({
    ...client,
    signingSecrets: [],
  }));
  const unsigned = await comeBack(club, { state: 'a' });
  assert.deepEqual([unsigned.has('code'), unsigned.has('hmac')], [true, false]);
});
