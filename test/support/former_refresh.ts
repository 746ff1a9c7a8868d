// Owns refresh JWTs and rows as the versions made them whose refresh tokens had the `aud` of access tokens.

import assert from 'node:assert/strict';

import { decodeJwt } from 'jose';

import { instant } from '../../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import { answerIn } from '../../src/store/judgement.ts';
import { parseRefreshText } from '../../src/token/sealed/refresh_text.ts';
import type { Jetway } from './jetway.ts';

/** A refresh JWT as a former version would have told it: the same claims, but for `aud`. */
export async function inFormerForm(
  { services, clock }: Pick<Jetway, 'services' | 'clock'>,
  programme: string,
  token: string,
): Promise<string> {
  const {
    iss = '',
    sub = '',
    jti = '',
    iat = 0,
    exp = 0,
    client_id: client,
    rt,
  } = decodeJwt(token);
  const signed = await services.get(programme)?.signRefresh?.(clock.now(), {
    issuer: iss,
    audience: iss,
    subject: sub,
    clientId: client as ClientId,
    tokenId: jti,
    issuedAt: instant(iat * 1000),
    expiresAt: instant(exp * 1000),
    others: { rt },
  });
  assert.ok(signed !== undefined);
  return signed;
}

/**
 * Puts the number into the row of a token's login that a former version would have drawn for its answer:
 * 0 beside UUIDs, else one of an even time, in the place of the odd one before it.
 */
export async function numberedByFormer(
  { store }: Pick<Jetway, 'store'>,
  programme: string,
  token: string,
): Promise<void> {
  const place = parseRefreshText(String(decodeJwt(token)['rt']))?.place;
  assert.ok(place !== undefined);
  const login = await store.findLogin(programme as ProgrammeId, place);
  assert.ok(login);
  const tokenNumber = login.tokenNumber - 1024;
  assert.equal(Math.floor(tokenNumber / 1024) % 2, 0);
  const answer = { ...answerIn(login), tokenNumber };
  assert.ok(await store.advanceLogin(programme as ProgrammeId, place, login, answer));
}
