// The headers of the partner-login clubs' token requests: which are needed, what they must look
// like, and whom they name (P-1, P-4, P-6, P-11, HOSTILE 22).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  addPartner,
  badRequest,
  challenged,
  codeFor,
  headersOf,
  invalidCode,
  openPartnerClub,
  redeem,
  secondClub,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { type Answer, ask, rawExchange } from '../support/wire.ts';

const accessDenied = challenged(secondClub, 'access_denied', 'Access denied');

// A code that is no good is the last thing looked at: who is told of it has passed all headers.
const passed = invalidCode;

test('P-1 P-6: a business-context-identifier of 1 to 50 letters', async (t) => {
  const club = await openPartnerClub(t);
  for (const length of [1, 50]) {
    const businessContext = 'x'.repeat(length);
    const client = await addPartner(club, { id: `P${length}`, more: { businessContext } });
    const tokens = tokensIn(
      await redeem(
        { ...club, client },
        await codeFor({ ...club, client }),
        {},
        {
          'business-context-identifier': businessContext,
        },
      ),
    );
    assert.equal(tokens.token_Information['requestApplication'], businessContext);
  }
});

test('P-4: a partner that was given no context has none that is right', async (t) => {
  const club = await openPartnerClub(t);
  const { programme } = club;
  const client = await club.addClient({ programme, id: 'Partner2', roles: ['member'] });
  assert.deepEqual(await redeem({ ...club, client }, 'unknown'), accessDenied);
  const named = { 'business-context-identifier': 'undefined' };
  assert.deepEqual(await redeem({ ...club, client }, 'unknown', {}, named), accessDenied);
});

test('P-6: accept in several lines is one list', async (t) => {
  const club = await openPartnerClub(t);
  const send = (...accept: string[]): Promise<Answer> =>
    ask(club.url, `${club.paths.key}?grant_type=authorization_code&code=x`, {
      method: 'POST',
      headers: { ...headersOf(club), accept },
    });
  assert.deepEqual(await send('text/html', 'application/json'), passed);
  assert.deepEqual(await send('*/*', 'application/json;q=0'), badRequest('Invalid header: accept'));
});

test('P-6 HOSTILE 22: x-forwarded-for in several lines is one chain', async (t) => {
  const club = await openPartnerClub(t);
  const send = (...chain: string[]): Promise<Answer> =>
    ask(club.url, `${club.paths.key}?grant_type=authorization_code&code=x`, {
      method: 'POST',
      headers: { ...headersOf(club), 'x-forwarded-for': chain },
    });
  assert.deepEqual(await send('192.0.2.1', '2001:db8::1'), passed);
  assert.deepEqual(await send('192.0.2.1', 'x'), badRequest('Invalid header: x forwarded for'));
});

test('P-6: a header that names one thing may not be there twice', async (t) => {
  const club = await openPartnerClub(t);
  for (const [name, words] of [
    ['programme-identifier', 'programme identifier'],
    ['business-context-identifier', 'business context identifier'],
  ] as const) {
    const lines = Object.entries(headersOf(club)).map(([header, value]) => `${header}: ${value}`);
    const again = lines.find((line) => line.startsWith(name)) ?? '';
    const target = `${club.paths.key}?grant_type=authorization_code&code=x`;
    const request = [`POST ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines, again];
    const answer = await rawExchange(club.url, `${request.join('\r\n')}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.ok(answer.endsWith(badRequest(`Invalid header: ${words}`).body), answer);
  }
});

test('P-6: names of headers are taken in any case', async (t) => {
  const club = await openPartnerClub(t);
  const { refresh_token: token } = await tokensOfLogin(club);
  const upper = Object.fromEntries(
    Object.entries(headersOf(club)).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const answer = await ask(club.url, club.paths.refresh, {
    method: 'POST',
    headers: { ...upper, 'CONTENT-TYPE': 'application/x-www-form-urlencoded' },
    body: `grant_type=refresh_token&refresh_token=${token}`,
  });
  tokensIn(answer);
});
