// Owns revocation (RFC 7009) while a clock is wrong; what it does is in revocation.transcript.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  askPartnerToken,
  type Club,
  invalidRefreshToken,
  isLive,
  openClub,
  programme,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
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
