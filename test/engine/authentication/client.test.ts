// Owns tests of what authentication makes and keeps: digests for whoever is refused, no secret of anybody.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect, isDeepStrictEqual } from 'node:util';

import { BoundedMap } from '../../../src/lib/bounded_map.ts';
import { ProvenHeaders } from '../../../src/token/proven_headers.ts';
import { askTokens, openClub, unknownClient } from '../../support/club.ts';
import {
  base64,
  basic,
  changeClient,
  letIn,
  partnerToken,
  plain,
} from '../../support/partner_token.ts';
import type { Answer } from '../../support/wire.ts';

test('HOSTILE 40: whoever is refused costs a digest, known header or not; only who is let in does not', async (t) => {
  const club = await openClub(t);
  const { id, secret } = club.client;
  const made = t.mock.method(club.keyring, 'secretDigest');
  const cost = async (text: string, answer: Answer): Promise<number> => {
    const before = made.mock.callCount();
    assert.deepEqual(plain(await askTokens(club, partnerToken, basic(text))), answer);
    return made.mock.callCount() - before;
  };
  const right = `${id}:${secret}`;
  assert.equal(await cost(right, letIn), 1);
  assert.equal(await cost(right, letIn), 0);
  assert.equal(await cost(`${id}:wrong`, unknownClient), 1);
  assert.equal(await cost(`${id}:wrong`, unknownClient), 1);
  assert.equal(await cost(`partnerapi-99999:${secret}`, unknownClient), 1);
  // A secret that can be read in two ways.
  const twofold = await cost(`${id}:wr%6Fng`, unknownClient);
  assert.equal(await cost('partnerapi-99999:wr%6Fng', unknownClient), twofold);
  await changeClient(club, () => ({ status: 'disabled' }));
  assert.equal(await cost(right, unknownClient), 1);
  assert.equal(await cost(right, unknownClient), 1);
  await changeClient(club, () => ({ status: 'active' }));
  assert.equal(await cost(right, letIn), 1, 'forgotten');
  assert.equal(await cost(right, letIn), 0);
  await changeClient(club, () => ({ secrets: [] }));
  assert.equal(await cost(right, unknownClient), 1);
});

test('what is remembered of a header holds neither it nor its secret, and nothing of a wrong one', async (t) => {
  const club = await openClub(t);
  const { basic: right, id, secret } = club.client;
  const remember = t.mock.method(ProvenHeaders.prototype, 'remember');
  const kept = t.mock.method(BoundedMap.prototype, 'set');
  for (const headers of [basic(`${id}:wrong`), basic(`partnerapi-99999:${secret}`)]) {
    assert.deepEqual(await askTokens(club, partnerToken, headers), unknownClient);
  }
  assert.equal(remember.mock.callCount(), 0);
  await askTokens(club, partnerToken);
  await askTokens(club, partnerToken);
  assert.equal(remember.mock.callCount(), 1);
  const token = right.slice('Basic '.length);
  const digest = club.keyring.secretDigest(secret);
  const entries = kept.mock.calls.map((call) => call.arguments);
  const [fingerprint] = remember.mock.calls[0]?.arguments ?? [];
  assert.ok(
    entries.some(([key, value]) => key === fingerprint && isDeepStrictEqual(value, { id, digest })),
  );
  const text = inspect(entries, {
    depth: null,
    showHidden: true,
    maxStringLength: null,
    maxArrayLength: null,
  });
  for (const plaintext of [secret, token, base64(secret), base64(`:${secret}`)]) {
    assert.ok(!text.includes(plaintext));
  }
});
