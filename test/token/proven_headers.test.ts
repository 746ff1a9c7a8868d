// Owns tests of what is remembered of headers that proved right: by what, how many, and that no secret is.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { digest } from '../../src/lib/digest.ts';
import { ProvenHeaders } from '../../src/token/proven_headers.ts';

const token = 'cGFydG5lcjpzZWNyZXQ=';
const proof = { id: 'partner', digest: digest('secret') };

test('a header is known from when it is remembered until it is forgotten', () => {
  const headers = new ProvenHeaders();
  const fingerprint = headers.fingerprint(token);
  assert.equal(headers.find(fingerprint), undefined);
  headers.remember(fingerprint, proof);
  assert.deepEqual(headers.find(headers.fingerprint(token)), proof);
  assert.equal(headers.find(headers.fingerprint(`${token}=`)), undefined);
  headers.forget(fingerprint);
  assert.equal(headers.find(fingerprint), undefined);
});

test('fingerprints are under a key of their own, programme by programme', () => {
  const [one, other] = [new ProvenHeaders(), new ProvenHeaders()];
  assert.notEqual(one.fingerprint(token), digest(token));
  assert.notEqual(one.fingerprint(token), other.fingerprint(token));
  assert.equal(one.fingerprint(token).length, 43);
});

test('4096 headers are remembered, and the oldest goes first', () => {
  const headers = new ProvenHeaders();
  const fingerprints = Array.from({ length: 4097 }, (_, at) => headers.fingerprint(`token ${at}`));
  for (const fingerprint of fingerprints) headers.remember(fingerprint, proof);
  const known = fingerprints.filter((fingerprint) => headers.find(fingerprint) !== undefined);
  assert.deepEqual(known, fingerprints.slice(1));
});
