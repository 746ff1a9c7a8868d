// HOSTILE 38 to 40: Authorization headers of every kind, secrets of odd characters, strangers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { authenticateClient } from '../../src/engine/authentication/client.ts';
import type { Service } from '../../src/engine/service.ts';
import { Refusal } from '../../src/oauth/failure.ts';
import { RequestRecord } from '../../src/oauth/request_record.ts';
import { testClock } from '../support/clock.ts';
import { askTokens, openClub, paths, programme, refused, unknownClient } from '../support/club.ts';
import { rawExchange } from '../support/wire.ts';

const partnerToken = { grant_type: 'client_credentials' };
const invalidClient = refused(400, { error: 'invalid_client' });

function base64(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64');
}

test('HOSTILE 38: a long header is answered; one past what the server reads at all is refused by it', async (t) => {
  const club = await openClub(t);
  const long = `Basic ${base64(`x:${'y'.repeat(48_000)}`)}`;
  assert.deepEqual(await askTokens(club, partnerToken, { authorization: long }), invalidClient);
  const answer = await rawExchange(
    club.url,
    `POST ${paths.grant} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${'A'.repeat(200_000)}\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 431 /);
  assert.equal((await askTokens(club, partnerToken)).status, 200);
});

test('HOSTILE 38: the scheme may be in any case, the padding may be left out', async (t) => {
  const club = await openClub(t);
  const client = await club.addClient({ id: 'partnerapi-00002', secret: 'ab' });
  const token = client.basic.slice('Basic '.length);
  assert.ok(token.endsWith('='));
  for (const authorization of [
    `bASIC ${token}`,
    `Basic   ${token}`,
    `Basic ${token.replaceAll('=', '')}`,
  ]) {
    assert.equal((await askTokens(club, partnerToken, { authorization })).status, 200);
  }
});

const oddSecrets = ['a:b', ':', 'a+b', 'a%41b', '100%', '%zz', 'é', 'p q', '\u{1f600}', 'a&b=c'];

test('HOSTILE 39: secrets are good as they are and form-encoded; the first colon splits', async (t) => {
  const club = await openClub(t);
  for (const [index, secret] of oddSecrets.entries()) {
    const { basic, id } = await club.addClient({ id: `partnerapi-1000${index}`, secret });
    const encoded = new URLSearchParams([[id, secret]]).toString().replace('=', ':');
    for (const authorization of [basic, `Basic ${base64(encoded)}`]) {
      assert.equal((await askTokens(club, partnerToken, { authorization })).status, 200, secret);
    }
    // Decoded once, and only as a whole.
    const twice = `${id}:${encodeURIComponent(encodeURIComponent(secret))}`;
    if (encodeURIComponent(secret) === secret) continue;
    const answer = await askTokens(club, partnerToken, { authorization: `Basic ${base64(twice)}` });
    assert.deepEqual(answer, unknownClient, secret);
  }
});

test('HOSTILE 39: where a file says raw, secrets are taken as they are', async (t) => {
  const over = 'client: { authentication: { credentials: raw } }';
  const club = await openClub(t, { over });
  for (const [index, secret] of oddSecrets.entries()) {
    const { basic, id } = await club.addClient({ id: `partnerapi-1000${index}`, secret });
    assert.equal((await askTokens(club, partnerToken, { authorization: basic })).status, 200);
    if (encodeURIComponent(secret) === secret) continue;
    const authorization = `Basic ${base64(`${id}:${encodeURIComponent(secret)}`)}`;
    assert.deepEqual(await askTokens(club, partnerToken, { authorization }), unknownClient, secret);
  }
});

test('HOSTILE 39: where a file says form, both halves are decoded once (RFC 6749 2.3.1)', async (t) => {
  const over = 'client: { authentication: { credentials: form } }';
  const club = await openClub(t, { over });
  for (const [index, secret] of oddSecrets.entries()) {
    const { id } = await club.addClient({ id: `partnerapi-1000${index}`, secret });
    const encoded = new URLSearchParams([[id, secret]]).toString().split('=');
    const authorization = `Basic ${base64(encoded.join(':'))}`;
    const answer = await askTokens(club, partnerToken, { authorization });
    assert.equal(answer.status, 200, secret);
  }
  const broken = `Basic ${base64(`${club.client.id}:100%`)}`;
  assert.deepEqual(await askTokens(club, partnerToken, { authorization: broken }), invalidClient);
});

test('HOSTILE 88: a secret in ISO-8859-1 is the registered one where the file says so, and else as before', async (t) => {
  const secret = 'sécret-of-ümläut-lengths';
  const latin = (text: string, id = 'partnerapi-00088'): { authorization: string } => ({
    authorization: `Basic ${Buffer.from(`${id}:${text}`, 'latin1').toString('base64')}`,
  });
  const over = 'client: { authentication: { basic_charset: utf-8_or_iso-8859-1 } }';
  const open = await openClub(t, { over });
  const shipped = await openClub(t);
  for (const club of [open, shipped]) {
    const { basic } = await club.addClient({ id: 'partnerapi-00088', secret });
    assert.equal((await askTokens(club, partnerToken, { authorization: basic })).status, 200);
  }
  assert.equal((await askTokens(open, partnerToken, latin(secret))).status, 200);
  // The right header is remembered, and neither another spelling nor another secret becomes equal to it.
  assert.equal((await askTokens(open, partnerToken, latin(secret))).status, 200);
  const doubled = Buffer.from(secret).toString('latin1');
  for (const wrong of [`${secret}é`, secret.replace('é', 'è'), encodeURIComponent(doubled)]) {
    assert.deepEqual(await askTokens(open, partnerToken, latin(wrong)), unknownClient, wrong);
  }
  assert.deepEqual(
    await askTokens(open, partnerToken, latin(secret, 'partnerapi-99999')),
    unknownClient,
  );
  for (const control of ['\u0080', '\u009f', '\n', '\u007f']) {
    const sent = latin(`é${control}`);
    assert.deepEqual(await askTokens(open, partnerToken, sent), invalidClient);
  }
  assert.deepEqual(await askTokens(shipped, partnerToken, latin(secret)), invalidClient);
  assert.deepEqual(shipped.records.at(-1)?.failure?.facts.cause, {
    rule: ['client', 'authentication', 'basic_charset'],
    expected: 'identifier and secret in UTF-8 inside the base64',
    came: 'base64 of bytes that are no UTF-8, such as letters beyond ASCII in ISO-8859-1',
    parameter: 'authorization',
    isOwn: true,
    fault: 'credentials_not_utf8',
  });
});

test('HOSTILE 40: whoever is unknown costs the digest that a wrong secret costs', async (t) => {
  const club = await openClub(t);
  await club.addClient({ id: 'partnerapi-00002', more: { status: 'disabled' } });
  const digests: string[] = [];
  const service = {
    ...club.services.get(programme),
    keyring: {
      ...club.keyring,
      secretDigest: (secret: string) => {
        digests.push(secret);
        return club.keyring.secretDigest(secret);
      },
    },
  } as unknown as Service;
  const now = testClock().now();
  const record = new RequestRecord('POST');
  for (const id of [club.client.id, 'partnerapi-00002', 'partnerapi-99999', '']) {
    await assert.rejects(
      authenticateClient(service, { kind: 'secret', id, secrets: () => [id, 'x'] }, now, {
        record,
        address: () => '',
      }),
      Refusal,
    );
  }
  const expected = [club.client.id, 'partnerapi-00002', 'partnerapi-99999', ''];
  assert.deepEqual(
    digests,
    expected.flatMap((secret) => [secret, 'x']),
  );
});
