// What a transcript (partner_login.transcript) cannot say of token requests at the partner-login clubs: names of
// headers in upper case (P-6), and a body of more than 64 KB (P-5).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  codeFor,
  headersOf,
  openPartnerClub,
  redeem,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/partner_club.ts';
import { ask } from '../support/wire.ts';

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

test('P-5: a body that is too large is refused, and the code is not spent', async (t) => {
  const club = await openPartnerClub(t);
  const code = await codeFor(club);
  const target = `${club.paths.key}?grant_type=authorization_code&code=${code}`;
  const headers = { ...headersOf(club), 'content-type': 'text/plain' };
  const answer = await ask(club.url, target, { method: 'POST', headers, body: 'x'.repeat(65_537) });
  assert.deepEqual(answer, refused(413, 'invalid_request', 'Request too large'));
  tokensIn(await redeem(club, code));
});
