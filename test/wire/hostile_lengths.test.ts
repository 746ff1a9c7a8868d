// HOSTILE 84: what headers, queries and bodies get that are made of more parts than anybody sends: each
// part costs time.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { callerAddress } from '../../src/http/read_request.ts';
import { networkTest } from '../../src/lib/ip_address.ts';
import { charsetOf } from '../../src/oauth/charset.ts';
import { parseForm } from '../../src/oauth/parameters.ts';
import { cookiesOf } from '../../src/oauth/wire_request.ts';
import { openClub, paths } from '../support/club.ts';
import { startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import {
  badRequest,
  invalidCode,
  loginTarget,
  openPartnerClub,
  redeem,
} from '../support/partner_club.ts';
import { fc } from '../support/property.ts';
import { ask, post } from '../support/wire.ts';

/** Addresses with commas between, of exactly so many characters. */
function chainOf(length: number): string {
  const others = '192.0.2.1,'.repeat(Math.floor(length / 10) - 1);
  return others + '192.0.2.1'.padStart(length - others.length);
}

const longest = 4096;

describe('HOSTILE 84: headers of P-6', () => {
  test('a chain of 4096 characters passes, and a longer one is refused as any other that is none', async (t) => {
    const club = await openPartnerClub(t);
    const fits = chainOf(longest);
    assert.deepEqual(await redeem(club, 'unknown', {}, { 'x-forwarded-for': fits }), invalidCode);
    for (const long of [chainOf(longest + 1), `${'::1,'.repeat(20_000)}::1`]) {
      assert.deepEqual(
        await redeem(club, 'unknown', {}, { 'x-forwarded-for': long }),
        badRequest('Invalid header: x forwarded for'),
      );
      const login = await openLogin(club.url, loginTarget(club), 'POST');
      const page = await submitLogin(club.url, login, club.member, { 'x-forwarded-for': long });
      assert.match(page.body, /difficulties/);
    }
  });

  test('an Accept header that long is refused, and at an unknown path it asks for no page', async (t) => {
    const club = await openPartnerClub(t);
    const long = `${'a/b,'.repeat(longest / 4)}application/json`;
    assert.deepEqual(
      await redeem(club, 'unknown', {}, { accept: long }),
      badRequest('Invalid header: accept'),
    );
    const accept = long.slice(4 * 20);
    assert.deepEqual(await redeem(club, 'unknown', {}, { accept }), invalidCode);
    const pages = [`text/html,${'a/b,'.repeat(100)}`, `text/html,${'a/b,'.repeat(longest / 4)}`];
    const answers = await Promise.all(
      pages.map((types) => ask(club.url, '/nowhere', { headers: { accept: types } })),
    );
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['content-type']]),
      [
        [404, 'text/html; charset=utf-8'],
        [404, 'application/json'],
      ],
    );
  });
});

test('HOSTILE 84: a Content-Type of over 1024 characters is one that the endpoint does not read', async (t) => {
  const { url, client } = await openClub(t);
  const send = (type: string): ReturnType<typeof post> =>
    post(
      url,
      paths.grant,
      { grant_type: 'client_credentials' },
      {
        authorization: client.basic,
        'content-type': type,
      },
    );
  const form = 'application/x-www-form-urlencoded';
  assert.equal((await send(form + ';'.repeat(1024 - form.length))).status, 200);
  assert.deepEqual(
    await send(form + ';'.repeat(1025 - form.length)),
    await send('application/x-unknown'),
  );
});

test('HOSTILE 84: a JSON body has 2000 values at most', async (t) => {
  const nested = readFileSync('test/dialects/json-nested.yaml', 'utf8');
  const jetway = await startJetway(t, { programmes: { 'json-nested': nested } });
  const [token] = [...(jetway.services.get('json-nested')?.programme.tokenEndpoints ?? [])];
  assert.ok(token !== undefined);
  const send = (body: string): ReturnType<typeof ask> =>
    ask(jetway.url, token.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
  // The object, its member and the list are three.
  const valued = (values: number): string =>
    `{"grant_type":"x","unread":[${Array.from({ length: values - 3 }, () => '0').join()}]}`;
  assert.deepEqual(await send(valued(2000)), await send(valued(4)));
  assert.deepEqual(await send(valued(2001)), await send('{'));
  assert.notDeepEqual(await send(valued(2000)), await send('{'));
});

test('HOSTILE 84: of cookies a thousand are read', () => {
  const others = Array.from({ length: 999 }, (_, number) => `other${number}=1`);
  const namesOf = (...cookies: readonly string[]): readonly string[] =>
    cookiesOf({ rawHeaders: cookies.flatMap((line) => ['Cookie', line]) }).map(([name]) => name);
  assert.equal(namesOf([...others, 'own=1'].join('; ')).at(-1), 'own');
  assert.ok(!namesOf([...others, 'another=1', 'own=1'].join('; ')).includes('own'));
  assert.ok(!namesOf(others.join(';'), 'another=1; own=1').includes('own'));
});

test('HOSTILE 84: a chain of trusted proxies is read from the right, 32 hops at most', () => {
  let tests = 0;
  const inside = networkTest(['10.0.0.0/8']);
  const isProxy = (address: string): boolean => {
    tests += 1;
    return inside(address);
  };
  const from = (chain: readonly string[]): string =>
    callerAddress('10.9.9.9', () => [chain.join(', ')], isProxy);
  const trusted = Array.from({ length: 5000 }, (_, hop) => `10.0.${hop >> 8}.${hop & 255}`);
  assert.equal(from([...trusted, '192.0.2.1']), '192.0.2.1');
  assert.equal(tests, 2);
  assert.equal(from(trusted), trusted.at(-32));
  assert.equal(tests, 2 + 33);
  assert.equal(from(['192.0.2.1', ...trusted.slice(0, 31)]), '192.0.2.1');
});

test('HOSTILE 84: pluses and escapes are what they were, however many there are', () => {
  const units = fc.constantFrom('+', '%2B', '%20', '%C3%A9', 'é', 'a', '%2b', '=', '');
  const part = fc.array(units, { maxLength: 40 }).map((all) => all.join(''));
  const latin = charsetOf('iso-8859-1');
  fc.assert(
    fc.property(part, (text) => {
      const expected = new URLSearchParams(`x=${text}`).get('x');
      assert.deepEqual(parseForm(`x=${text}`), new Map([['x', [expected]]]));
      const bytes = Buffer.from(`x=${text}`, 'latin1');
      const decoded = text
        .replaceAll('+', ' ')
        .replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      assert.deepEqual(latin?.form(bytes), new Map([['x', [decoded]]]));
    }),
  );
  const many = 60_000;
  assert.equal(parseForm(`x=${'+'.repeat(many)}`).get('x')?.[0], ' '.repeat(many));
});
