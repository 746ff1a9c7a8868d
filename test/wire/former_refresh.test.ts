// C-9, HOSTILE 29, 30 and 35: refresh tokens whose `aud` is the issuer, as former versions told them, are good
// until their end, and no retry is told another token than the answer that was lost.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeJwt } from 'jose';

import { openFileStore } from '../../src/store/sqlite/store.ts';
import { refreshAudience } from '../../src/token/jwt.ts';
import { scratchFile } from '../store/file_directory.ts';
import { testClock } from '../support/clock.ts';
import { inFormerForm, numberedByFormer } from '../support/former_refresh.ts';
import { publicUrl, shippedProgramme, startJetway } from '../support/jetway.ts';
import {
  invalidRefreshToken,
  openPartnerClub,
  type PartnerClub,
  refresh,
  refreshAtKey,
  secondClub,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { verifyJwt } from '../support/resource_server.ts';
import { post } from '../support/wire.ts';

const issuer = `${publicUrl}${secondClub.own}`;
const grace = 'refresh: { grace: 5m }';

/** Signatures that come out the same again, and those that do not; both forms of `jti`. */
const overs = {
  'ES256, numbers': `tokens: { ${grace} }`,
  'EdDSA, numbers': `tokens: { access: { algorithm: EdDSA }, ${grace} }`,
  // Answers of the club tell `jti` as a number.
  'RS256, UUIDs': `tokens: { access: { algorithm: RS256, token_id: uuid }, ${grace} }\ntoken_response: { fields: { jti: null } }`,
};

async function next(club: PartnerClub, token: string): Promise<string> {
  return tokensIn(await refresh(club, token)).refresh_token;
}

for (const [name, over] of Object.entries(overs)) {
  const isSameAgain = !name.startsWith('ES256');

  test(`C-9 HOSTILE 35: the aud of refresh tokens is their own, ${name}`, async (t) => {
    const club = await openPartnerClub(t, { over });
    const first = await tokensOfLogin(club);
    const { refresh_token: second } = tokensIn(await refresh(club, first.refresh_token));
    for (const token of [first.refresh_token, second]) {
      const { iss, aud } = decodeJwt(token);
      assert.deepEqual([iss, aud], [issuer, 'urn:jetway:refresh-token']);
    }
    assert.equal(decodeJwt(first.access_token).aud, issuer);
    await assert.rejects(verifyJwt(club, club.own, second, 'rt+jwt'), {
      code: 'ERR_JWT_CLAIM_VALIDATION_FAILED',
      claim: 'aud',
    });
    // HOSTILE 29: a retry within a minute is told the same claims.
    club.clock.advance(59);
    const again = await next(club, first.refresh_token);
    assert.deepEqual(decodeJwt(again), decodeJwt(second));
    assert.equal(again === second, isSameAgain);
  });

  test(`HOSTILE 29 30: the form of former versions is good, its retries are told it, ${name}`, async (t) => {
    const club = await openPartnerClub(t, { over });
    const { refresh_token: told } = await tokensOfLogin(club);
    const first = await inFormerForm(club, club.programme, told);
    assert.equal(decodeJwt(first).aud, issuer);
    // A server of the former version answers, and the answer is lost.
    await next(club, first);
    await numberedByFormer(club, club.programme, first);
    const retried = await next(club, first);
    assert.equal(decodeJwt(retried).aud, issuer);
    assert.equal(
      isSameAgain ? retried : undefined,
      isSameAgain ? await inFormerForm(club, club.programme, retried) : undefined,
    );
    for (const seconds of [1, 58]) {
      club.clock.advance(seconds);
      const again = await next(club, first);
      assert.deepEqual(decodeJwt(again), decodeJwt(retried));
      assert.equal(again === retried, isSameAgain);
    }
    // After a minute the retry gets an access token of its own, and so another `jti`.
    club.clock.advance(2);
    const late = decodeJwt(await next(club, first));
    const { aud, rt } = decodeJwt(retried);
    assert.deepEqual([late.aud, late['rt']], [aud, rt]);
    assert.notEqual(late.jti, decodeJwt(retried).jti);
    // What it is given from then on is in the form of now, at either endpoint.
    const third = tokensIn(await refreshAtKey(club, retried)).refresh_token;
    assert.equal(decodeJwt(third).aud, refreshAudience);
    // Both forms of a token are one token: used again after its successor, it ends the login.
    await next(club, third);
    const former = await inFormerForm(club, club.programme, third);
    await next(club, former);
    club.clock.advance(301);
    assert.deepEqual(await refresh(club, former), invalidRefreshToken);
  });
}

test('HOSTILE 30: servers of one store answer each other’s retries in one form', async (t) => {
  const { path, remove } = scratchFile();
  const clock = testClock();
  const open = () => openFileStore({ path, environment: 'staging', now: clock.now() });
  const club = await openPartnerClub(t, { clock, store: open() });
  t.after(remove);
  const programmes = { [club.programme]: shippedProgramme(club.programme) };
  const other = { ...club, ...(await startJetway(t, { programmes, clock, store: open() })) };
  const { refresh_token: token } = await tokensOfLogin(club);
  const answers = await Promise.all(
    [club, other, club, other].map((server) => next(server, token)),
  );
  const claims = answers.map((answer) => decodeJwt(answer));
  assert.equal(claims[0]?.aud, refreshAudience);
  for (const one of claims) assert.deepEqual(one, claims[0]);
});

test('C-9: introspection and revocation take both forms of a refresh token, for the same token', async (t) => {
  const over = 'introspection: { path: /introspect }\nrevocation: { path: /revoke }';
  const club = await openPartnerClub(t, { over });
  const { refresh_token: token } = await tokensOfLogin(club);
  const former = await inFormerForm(club, club.programme, token);
  const ask = async (path: string, text: string): Promise<string> => {
    const { basic: authorization } = club.client;
    const { body } = await post(club.url, club.own + path, { token: text }, { authorization });
    return body;
  };
  const known = await ask('/introspect', token);
  assert.match(known, /^\{"active":true,"token_use":"refresh_token",/);
  assert.equal(await ask('/introspect', former), known);
  assert.equal(await ask('/revoke', former), '');
  for (const one of [token, former]) {
    assert.equal(await ask('/introspect', one), '{"active":false}');
    assert.deepEqual(await refresh(club, one), invalidRefreshToken);
  }
});
