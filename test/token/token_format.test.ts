// Tests of the forms of tokens, signed tokens as a strict verifier sees them (HOSTILE 35), and of token
// identifiers (P-7).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { importJWK, type JWK, jwtVerify, type JWTVerifyOptions } from 'jose';

import { instant } from '../../src/lib/clock.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { newSigningKey, openSigningKey } from '../../src/token/signing_keys.ts';
import {
  accessTokenType,
  jwtFormat,
  opaqueFormat,
  refreshTokenType,
  tokenIdMaker,
  type TokenClaims,
} from '../../src/token/token_format.ts';
import { club } from '../store/fixtures.ts';

const now = instant(Date.parse('2026-01-02T03:04:05.678Z'));
const second = Date.parse('2026-01-02T03:04:05Z') / 1000;
const keyring = createKeyring(new Uint8Array(32).fill(7));
const record = await newSigningKey(club, 'ES256', keyring, now);
const key = await openSigningKey(record, keyring);
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

test('an opaque token is random text that the store has to remember', async () => {
  const never = (): never => assert.fail('an opaque token tells nothing');
  assert.equal(opaqueFormat.opaque, true);
  assert.match(await opaqueFormat.make(now, never), /^19b7ca98f2e\.[\w-]{43}$/);
});

test('a signed token tells what it is, whole seconds and nothing that was left out', async () => {
  const format = jwtFormat(signer, accessTokenType);
  assert.equal(format.opaque, false);
  const token = await format.make(now, () => claims);
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
  const token = await jwtFormat(signer, accessTokenType).make(now, () => told);
  const { payload } = await jwtVerify(token, publicKey, strict);
  const { level, scope, family, sub } = payload;
  assert.deepEqual([level, scope, family, sub], [5, 'a b', 'f', 'subject-1']);
  assert.equal(payload.exp, second + 1801);
});

test('HOSTILE 35: a refresh token is no access token, and the other way round', async () => {
  const [access, refresh] = [
    await jwtFormat(signer, accessTokenType).make(now, () => claims),
    await jwtFormat(signer, refreshTokenType).make(now, () => claims),
  ];
  assert.notEqual(accessTokenType, refreshTokenType);
  await assert.rejects(jwtVerify(refresh, publicKey, strict), { claim: 'typ' });
  const asRefresh = { ...strict, typ: refreshTokenType };
  await assert.rejects(jwtVerify(access, publicKey, asRefresh), { claim: 'typ' });
  await jwtVerify(access, publicKey, strict);
  await jwtVerify(refresh, publicKey, asRefresh);
});

test('a uuid, never the same', () => {
  const make = tokenIdMaker('uuid');
  const many = Array.from({ length: 1000 }, () => make(now));
  assert.equal(new Set(many).size, 1000);
  for (const id of many)
    assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test('P-7: a whole number that JSON readers keep, now and in sixty years', () => {
  for (const date of ['2020-01-01T00:00:01Z', '2026-01-02T03:04:05Z', '2089-01-01T00:00:00Z']) {
    const make = tokenIdMaker('number', () => 1023);
    const text = make(instant(Date.parse(date)));
    assert.match(text, /^[1-9]\d*$/);
    assert.ok(Number.isSafeInteger(Number(text)), date);
    assert.equal(JSON.stringify(JSON.parse(text)), text);
  }
});

test('P-7: any number in one millisecond differ, and later ones are greater', () => {
  const make = tokenIdMaker('number');
  const many = Array.from({ length: 5000 }, () => make(now));
  assert.equal(new Set(many).size, 5000);
  const later = Number(make(instant(now + 1)));
  for (const id of many) assert.ok(Number(id) < later);
});

test('P-7: processes with numbers of their own never make the same, whatever their clocks say', () => {
  const makers = [0, 1, 511, 1023].map((node) => tokenIdMaker('number', () => node));
  const many = [0, 0, 1, 2, 2, 0, 1000].flatMap((later) =>
    makers.flatMap((make) => Array.from({ length: 50 }, () => make(instant(now + later)))),
  );
  assert.equal(new Set(many).size, many.length);
  assert.ok(many.every((id) => Number.isSafeInteger(Number(id))));
});
