// Tests of signed tokens as a strict verifier sees them (HOSTILE 35).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importJWK, type JWK, jwtVerify, type JWTVerifyOptions } from 'jose';

import { instant } from '../../src/lib/clock.ts';
import {
  accessTokenType,
  jwtSigner,
  refreshTokenType,
  type TokenClaims,
} from '../../src/token/jwt.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { newSigningKey, openSigningKey } from '../../src/token/signing_keys.ts';
import { club } from '../store/fixtures.ts';

const now = instant(Date.parse('2026-01-02T03:04:05.678Z'));
const second = Date.parse('2026-01-02T03:04:05Z') / 1000;
const keyring = createKeyring(new Uint8Array(32).fill(7));
const record = await newSigningKey(club, 'ES256', keyring, now);
const key = openSigningKey(record, keyring);
const signer = () => key;
const publicKey = await importJWK(JSON.parse(record.publicJwk) as JWK, 'ES256');

const claims: TokenClaims = {
  issuer: 'https://tokens.example/club',
  audience: 'https://api.example',
  subject: 'subject-1',
  clientId: 'partner',
  tokenId: '42',
  issuedAt: now,
  expiresAt: instant(now + 1_800_999),
};

const strict: JWTVerifyOptions = {
  issuer: claims.issuer,
  audience: claims.audience,
  typ: accessTokenType,
  algorithms: ['ES256'],
  requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id'],
  currentDate: new Date(now),
};

test('a signed token tells what it is, whole seconds and nothing that was left out', async () => {
  const token = await jwtSigner(signer, accessTokenType)(now, claims);
  const { payload, protectedHeader } = await jwtVerify(token, publicKey, strict);
  assert.deepEqual(protectedHeader, { alg: 'ES256', typ: 'at+jwt', kid: record.kid });
  assert.deepEqual(payload, {
    iss: claims.issuer,
    aud: claims.audience,
    sub: 'subject-1',
    client_id: 'partner',
    jti: '42',
    iat: second,
    // Rounded down: a token is never good for longer than was said.
    exp: second + 1801,
  });
});

test('scope, family and the dialect’s own claims stand beside, never in place of the rest', async () => {
  const others = {
    level: 5,
    sub: 'x',
    iss: 'x',
    aud: 'x',
    exp: 9e9,
    iat: 1,
    jti: 'x',
    client_id: 'x',
  };
  const told = {
    ...claims,
    scope: 'a b',
    family: 'f',
    others: { ...others, scope: 'x', family: 'x' },
  };
  const token = await jwtSigner(signer, accessTokenType)(now, told);
  const { payload } = await jwtVerify(token, publicKey, strict);
  const { level, scope, family, sub } = payload;
  assert.deepEqual([level, scope, family, sub], [5, 'a b', 'f', 'subject-1']);
  assert.equal(payload.exp, second + 1801);
});

test('HOSTILE 35: a refresh token is no access token, and the other way round', async () => {
  const [access, refresh] = [
    await jwtSigner(signer, accessTokenType)(now, claims),
    await jwtSigner(signer, refreshTokenType)(now, claims),
  ];
  assert.notEqual(accessTokenType, refreshTokenType);
  await assert.rejects(jwtVerify(refresh, publicKey, strict), { claim: 'typ' });
  const asRefresh = { ...strict, typ: refreshTokenType };
  await assert.rejects(jwtVerify(access, publicKey, asRefresh), { claim: 'typ' });
  await jwtVerify(access, publicKey, strict);
  await jwtVerify(refresh, publicKey, asRefresh);
});
