// Owns forged JWTs: every way in which one can be no good though it looks like one of ours (HOSTILE 36).

import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';

import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';

import { openSigningKey } from '../../src/token/signing_keys.ts';
import { publicUrl } from '../support/jetway.ts';
import type { PartnerClub } from '../support/partner_club.ts';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A letter of base64url whose idle bits differ: no last letter of 64 bytes is one of an odd code. */
function nextLetter(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}

/** Tokens by what is wrong with them; those that our own key signed too, as a thief could not make. */
export async function forgeries(
  club: Pick<PartnerClub, 'store' | 'programme' | 'keyring'>,
  token: string,
): Promise<Map<string, string>> {
  const [record] = await club.store.list('signing_key', club.programme);
  assert.ok(record);
  const { privateKey } = openSigningKey(record, club.keyring);
  const claims = decodeJwt(token);
  const header = decodeProtectedHeader(token) as { alg: string; typ: string; kid: string };
  const [head = '', body = '', signature = ''] = token.split('.');
  const own = (payload: JWTPayload, more: object = {}): Promise<string> =>
    new SignJWT(payload).setProtectedHeader({ ...header, ...more }).sign(privateKey);
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const foreign = (more: object): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ ...header, ...more }).sign(stranger.privateKey);
  const pem = Buffer.from(record.publicJwk);
  const hmacHead = part({ ...header, alg: 'HS256' });
  const hmac = createHmac('sha256', pem).update(`${hmacHead}.${body}`).digest('base64url');
  const without = (name: string): JWTPayload =>
    Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  const found: [string, string | Promise<string>][] = [
    ['alg none', `${part({ ...header, alg: 'none' })}.${body}.`],
    ['alg None', `${part({ ...header, alg: 'None' })}.${body}.${signature}`],
    ['HS256 with the public key', `${hmacHead}.${body}.${hmac}`],
    ['no signature', `${head}.${body}.`],
    ['idle bits that are set', `${token.slice(0, -1)}${nextLetter(token.at(-1) ?? '')}`],
    ['another body', `${head}.${part({ ...claims, sub: 'somebody' })}.${signature}`],
    ['another key', foreign({})],
    ['embedded jwk', foreign({ jwk: stranger.publicKey.export({ format: 'jwk' }) })],
    ['jku', foreign({ jku: `${publicUrl}/second-club/.well-known/jwks.json` })],
    ['kid of a path', foreign({ kid: '../../dev/null' })],
    ['kid of SQL', foreign({ kid: "x' OR '1'='1" })],
    ['kid of a prototype', foreign({ kid: '__proto__' })],
    ['no kid', own(claims, { kid: undefined })],
    ['kid in another case', own(claims, { kid: header.kid.toUpperCase() })],
    ['an algorithm of no key here', `${part({ ...header, alg: 'EdDSA' })}.${body}.${signature}`],
    ['unknown crit', `${part({ ...header, crit: ['x'], x: 1 })}.${body}.${signature}`],
    ['no typ', own(claims, { typ: undefined })],
    ['typ JWT', own(claims, { typ: 'JWT' })],
    ['typ of a refresh token', own(claims, { typ: 'rt+jwt' })],
    ['exp as text', own({ ...claims, exp: '1999999999' as unknown as number })],
    ['exp in the past', own({ ...claims, exp: 1 })],
    ['nbf in the future', own({ ...claims, nbf: 1_999_999_999 })],
    ['another subject', own({ ...claims, sub: 'subject-of-eve' })],
    ['another owner', own(claims, { owner: 'A'.repeat(43) })],
    ['another issuer', own({ ...claims, iss: `${publicUrl}/third-club` })],
    ['another audience', own({ ...claims, aud: `${publicUrl}/third-club` })],
    ['a family of another kind', own({ ...claims, family: { id: 1 } })],
    ['an unknown family', own({ ...claims, family: '0'.repeat(20) })],
    ['an unknown client', own({ ...claims, client_id: 'Partner2' })],
    ['a scope that is no text', own({ ...claims, scope: ['reset_password'] })],
    ['a jti that is no text', own({ ...claims, jti: 1 as unknown as string })],
    ...['exp', 'iat', 'iss', 'aud', 'sub', 'jti', 'client_id'].map(
      (name): [string, Promise<string>] => [`no ${name}`, own(without(name))],
    ),
  ];
  return new Map(await Promise.all(found.map(async ([what, text]) => [what, await text] as const)));
}
