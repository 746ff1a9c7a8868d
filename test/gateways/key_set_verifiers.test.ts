// HOSTILE 35: verifiers that know a programme's key set, `iss` and `aud`, and do not look at `typ`, take
// its access tokens and no other kind of its JWTs (C-9, RFC 8725 3.12).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';

import { decodeJwt } from 'jose';

import { inFormerForm } from '../support/former_refresh.ts';
import { publicUrl, shippedProgramme, startJetway, type Jetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import {
  joinClub,
  refresh,
  secondClub,
  thirdClub,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { testNeeding } from '../support/tools.ts';
import { post } from '../support/wire.ts';
import { keySetVerifiers, type Takes } from './key_set_verifiers.ts';

const test = testNeeding('apache2', 'python3-jwt', 'python3-authlib');

/** The verifiers go by the machine's clock. */
function useOwnTime({ clock }: Pick<Jetway, 'clock'>): void {
  clock.advance((Date.now() - clock.now()) / 1000);
}

/** Which verifiers take a token. */
async function takers(
  verifiers: Readonly<Record<string, Takes>>,
  token: string,
): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(verifiers).map(async ([name, takes]) => ((await takes(token)) ? [name] : [])),
  );
  return found.flat();
}

/** Both defaults, and neither. */
const cases = [
  { names: secondClub, over: '', audience: `${publicUrl}${secondClub.own}` },
  {
    names: thirdClub,
    over: 'audience: https://api.airline.example\ntokens: { access: { algorithm: RS256 } }',
    audience: 'https://api.airline.example',
  },
];

for (const { names, over, audience } of cases) {
  test(`HOSTILE 35 C-9: a refresh token is no access token to a stock verifier, ${names.name}`, async (t) => {
    const text = shippedProgramme(names.programme, over);
    const jetway = await startJetway(t, { programmes: { [names.programme]: text } });
    useOwnTime(jetway);
    const club = await joinClub(jetway, names);
    const issuer = publicUrl + names.own;
    const verifiers = await verifiersOf(t, jetway, names.own, audience);
    const all = Object.keys(verifiers);
    assert.equal(all.length, 4);
    const first = await tokensOfLogin(club);
    const second = tokensIn(await refresh(club, first.refresh_token));
    for (const { access_token: access, refresh_token: token } of [first, second]) {
      assert.deepEqual(await takers(verifiers, access), all);
      assert.deepEqual(await takers(verifiers, token), []);
    }
    // These verifiers ask for nothing else: the former form was taken where the audience was the issuer.
    const former = await inFormerForm(jetway, names.programme, second.refresh_token);
    assert.deepEqual(await takers(verifiers, former), audience === issuer ? all : []);
    tokensIn(await refresh(club, former));
  });
}

function verifiersOf(t: TestContext, { url }: Jetway, own: string, audience: string) {
  const keySet = `${url}${own}/.well-known/jwks.json`;
  return keySetVerifiers(t, { issuer: publicUrl + own, audience, keySet });
}

test('HOSTILE 35: an identity token is no access token to them, nor one of these an identity token', async (t) => {
  const dialect = readFileSync('test/dialects/identity-login.yaml', 'utf8');
  const programmes = { accounts: `${dialect}\ntokens: { access: { format: jwt } }\n` };
  const jetway = await startJetway(t, { programmes });
  useOwnTime(jetway);
  const client = await jetway.addClient();
  const login = await openLogin(
    jetway.url,
    `/accounts/authorize?${new URLSearchParams({
      client_id: client.id,
      response_type: 'code',
      redirect_uri: client.redirectUri,
      scope: 'openid profile',
      nonce: 'n',
    }).toString()}`,
  );
  const back = await submitLogin(jetway.url, login, await jetway.addMember());
  const code = new URL(back.headers['location'] ?? '').searchParams.get('code') ?? '';
  const body = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri };
  const answer = await post(jetway.url, '/accounts/token', body, { authorization: client.basic });
  const { access_token: access, id_token: identity } = JSON.parse(answer.body) as {
    readonly access_token: string;
    readonly id_token: string;
  };
  assert.equal(decodeJwt(identity).aud, client.id);
  const ofApi = await verifiersOf(t, jetway, '/accounts', `${publicUrl}/accounts`);
  const ofClient = await verifiersOf(t, jetway, '/accounts', client.id);
  assert.deepEqual(
    [
      await takers(ofApi, access),
      await takers(ofApi, identity),
      await takers(ofClient, access),
      await takers(ofClient, identity),
    ],
    [Object.keys(ofApi), [], [], Object.keys(ofClient)],
  );
});
