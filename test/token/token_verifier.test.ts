// Tests of what a verifier remembers: good signatures, each once, within a bound, for as long as token
// and key last, and nothing that strangers send.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Instant, instant } from '../../src/lib/clock.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { newSigningKey, openSigningKey, openVerifyingKey } from '../../src/token/signing_keys.ts';
import { accessTokenType, jwtFormat } from '../../src/token/token_format.ts';
import { type TokenVerifier, tokenVerifier } from '../../src/token/token_verifier.ts';
import { club } from '../store/fixtures.ts';

const now = instant(Date.parse('2026-01-02T03:04:05Z'));
const later = (seconds: number): Instant => instant(now + seconds * 1000);
const keyring = createKeyring(new Uint8Array(32).fill(7));
const record = await newSigningKey(club, 'ES256', keyring, now);
const signing = await openSigningKey(record, keyring);
const own = await openVerifyingKey(record);
const other = await openVerifyingKey(await newSigningKey(club, 'ES256', keyring, now));

const [issuer, audience] = ['https://tokens.example/club', 'https://api.example'];
const format = jwtFormat(() => signing, accessTokenType);

async function issue(tokenId: string, seconds = 60): Promise<string> {
  return format.make(now, () => ({
    issuer,
    audience,
    subject: 'subject-1',
    clientId: 'partner',
    tokenId,
    issuedAt: now,
    expiresAt: later(seconds),
  }));
}

interface Scene {
  readonly verify: TokenVerifier;
  /** Has the key's name stand for another key from now on: what is checked anew then fails. */
  readonly swapKey: () => void;
  readonly restoreKey: () => void;
  readonly withdrawKey: () => void;
}

function open(remembered: number): Scene {
  let published: typeof own | undefined = own;
  const keyOf = (kid: string) => (kid === own.kid ? published : undefined);
  return {
    verify: tokenVerifier({ type: accessTokenType, issuer, audience, keyOf }, remembered),
    swapKey: () => {
      published = other;
    },
    restoreKey: () => {
      published = own;
    },
    withdrawKey: () => {
      published = undefined;
    },
  };
}

test('a signature is checked once, and a flood of bad tokens makes nobody forget it', async () => {
  const { verify, swapKey } = open(3);
  const tokens = await Promise.all(['1', '2', '3'].map((id) => issue(id)));
  for (const token of tokens) assert.ok(await verify(token, now));
  swapKey();
  const [head = '', body = ''] = tokens[0]?.split('.') ?? [];
  for (let n = 0; n < 50; n += 1) {
    const signature = Buffer.alloc(64, n).toString('base64url');
    assert.equal(await verify(`${head}.${body}.${signature}`, now), undefined);
    assert.equal(await verify(`${n}.${n}.${n}`, now), undefined);
  }
  assert.equal(await verify(await issue('4'), now), undefined, 'signed by the key of before');
  for (const [index, token] of tokens.entries()) {
    assert.equal((await verify(token, now))?.tokenId, String(index + 1));
  }
});

test('more good tokens than are remembered are checked again, the first of them first', async () => {
  const { verify, swapKey, restoreKey } = open(2);
  const [first, second, third] = [await issue('1'), await issue('2'), await issue('3')];
  for (const token of [first, second, third]) assert.ok(await verify(token, now));
  swapKey();
  assert.equal(await verify(first, now), undefined);
  assert.ok(await verify(second, now));
  assert.ok(await verify(third, now));
  restoreKey();
  assert.ok(await verify(first, now));
});

test('what is remembered ends with the token, and with the key', async () => {
  const { verify, withdrawKey, restoreKey } = open(3);
  const [short, long] = [await issue('1', 60), await issue('2', 120)];
  for (const token of [short, long]) assert.ok(await verify(token, now));
  assert.ok(await verify(short, later(59)));
  assert.equal(await verify(short, later(60)), undefined);
  assert.ok(await verify(long, later(60)));
  withdrawKey();
  assert.equal(await verify(long, later(61)), undefined);
  restoreKey();
  assert.ok(await verify(long, later(61)));
  assert.equal(await verify(long, later(120)), undefined);
});

test('one that is longer than any of ours is not even looked at, though its signature is good', async () => {
  const { verify } = open(3);
  assert.ok(await verify(await issue('x'.repeat(2000)), now));
  assert.equal(await verify(await issue('x'.repeat(20_000)), now), undefined);
});
