// Owns a resource server that verifies our JWTs as RFC 9068 has it, by the published key set.

import assert from 'node:assert/strict';

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify, type JWTVerifyResult } from 'jose';

import { type Jetway, publicUrl } from './jetway.ts';
import { ask } from './wire.ts';

/** The key set of a programme by the path of its own endpoints; its headers must be right (C-9). */
async function keySetOf({ url }: Pick<Jetway, 'url'>, base: string): Promise<JSONWebKeySet> {
  const { status, headers, body } = await ask(url, `${base}/.well-known/jwks.json`);
  const type = 'application/jwk-set+json';
  assert.deepEqual(
    [status, headers],
    [200, { 'content-type': type, 'cache-control': 'public, max-age=300' }],
  );
  return JSON.parse(body) as JSONWebKeySet;
}

/** Verifies a token of the programme; rejects as jose does. */
export async function verifyJwt(
  jetway: Pick<Jetway, 'url'> & { readonly clock: Pick<Jetway['clock'], 'now'> },
  base: string,
  token: string,
  typ = 'at+jwt',
): Promise<JWTVerifyResult> {
  return jwtVerify(token, createLocalJWKSet(await keySetOf(jetway, base)), {
    issuer: publicUrl + base,
    audience: publicUrl + base,
    typ,
    algorithms: ['ES256', 'EdDSA', 'RS256'],
    requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id'],
    currentDate: new Date(jetway.clock.now()),
  });
}
