// Where the partner-login clubs' token endpoints read their parameters, and what becomes of those
// that are repeated, undecodable or in another place (P-5, P-9, P-10, HOSTILE 43).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  badRequest,
  codeFor,
  headersOf,
  openPartnerClub,
  redeem,
  refused,
  tokensIn,
} from '../support/partner_club.ts';
import { type Answer, ask, post } from '../support/wire.ts';

const form = 'application/x-www-form-urlencoded';

test('P-5 HOSTILE 43: a repeated parameter is named; nothing is taken of it', async (t) => {
  const club = await openPartnerClub(t);
  const code = await codeFor(club);
  const target = `${club.paths.key}?grant_type=authorization_code&code=${code}`;
  const names = ['grant_type', 'code', 'client_id', 'scope', 'redirect_uri', 'client_secret'];
  for (const name of names) {
    const again = name === 'grant_type' || name === 'code' ? `&${name}=x` : `&${name}=x&${name}=x`;
    const headers = headersOf(club);
    const answer = await ask(club.url, target + again, { method: 'POST', headers });
    assert.deepEqual(answer, badRequest(`Repeated parameter: ${name.replaceAll('_', ' ')}`));
  }
  const pairs = [
    ['grant_type', 'refresh_token'],
    ['refresh_token', 'x'],
    ['refresh_token', 'x'],
  ] as const;
  const twice = await post(club.url, club.paths.refresh, pairs, headersOf(club));
  assert.deepEqual(twice, badRequest('Repeated parameter: refresh token'));
  tokensIn(await redeem(club, code));
});

test('P-5 HOSTILE 43: what belongs into the query is refused in a body, and the other way', async (t) => {
  const club = await openPartnerClub(t);
  const code = await codeFor(club);
  const query = `grant_type=authorization_code&code=${code}`;
  const send = (path: string, body: string, type = form): Promise<Answer> =>
    ask(club.url, path, {
      method: 'POST',
      headers: { ...headersOf(club), 'content-type': type },
      body,
    });
  const { key, refresh: refreshPath } = club.paths;
  const misplaced = (name: string): Answer => badRequest(`Misplaced parameter: ${name}`);
  assert.deepEqual(await send(key, query), misplaced('grant type'));
  assert.deepEqual(
    await send(`${key}?grant_type=authorization_code`, `code=${code}`),
    misplaced('code'),
  );
  assert.deepEqual(await send(`${key}?${query}`, `code=${code}`), misplaced('code'));
  assert.deepEqual(
    await send(`${key}?${query}`, 'scope=reset_password', `${form};charset=utf-8`),
    misplaced('scope'),
  );
  assert.deepEqual(await send(`${key}?${query}`, 'a=%zz'), badRequest('Invalid parameters'));
  const inQuery = await send(`${refreshPath}?refresh_token=x`, 'grant_type=refresh_token');
  assert.deepEqual(inQuery, misplaced('refresh token'));
  const large = refused(413, 'invalid_request', 'Request too large');
  assert.deepEqual(await send(`${key}?${query}`, 'x'.repeat(65_537), 'text/plain'), large);
  tokensIn(await redeem(club, code));
});

test('P-5: a body without parameters is let be', async (t) => {
  const club = await openPartnerClub(t);
  const bodies = [
    [form, ''],
    [form, 'submit=1'],
    ['application/json', '{}'],
    ['text/plain', 'code=x'],
  ] as const;
  for (const [type, body] of bodies) {
    const code = await codeFor(club);
    const path = `${club.paths.key}?grant_type=authorization_code&code=${code}&submit=1`;
    const headers = { ...headersOf(club), 'content-type': type };
    tokensIn(await ask(club.url, path, { method: 'POST', headers, body }));
  }
});

test('P-10: what cannot be decoded is told without being repeated', async (t) => {
  const club = await openPartnerClub(t);
  for (const query of ['code=%zz', 'code=%ff', `x=${'&a=1'.repeat(101)}`]) {
    const headers = headersOf(club);
    const answer = await ask(club.url, `${club.paths.key}?${query}`, { method: 'POST', headers });
    assert.deepEqual(answer, badRequest('Invalid parameters'));
  }
});
