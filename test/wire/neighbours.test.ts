// Owns what transcripts (neighbours.transcript, partner_login_selector.transcript) cannot say of two programmes in one
// server: a login form that is moved to the other's page (C-2), and that nobody but the member's browser calls a
// partner (C-7).

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import {
  codeFor,
  invalidCode,
  loginTarget,
  openClub,
  redeem,
  refresh,
  refused,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { readPage } from '../support/page.ts';
import { joinClub, loginTarget as linkTo, secondClub, thirdClub } from '../support/partner_club.ts';
import { ask } from '../support/wire.ts';

test('C-2 HOSTILE 33: a login of one programme is none at the page of another', async (t) => {
  const programmes = {
    'second-club': shippedProgramme('second-club'),
    'third-club': shippedProgramme('third-club'),
  };
  const jetway = await startJetway(t, { programmes });
  const [second, third] = [await joinClub(jetway, secondClub), await joinClub(jetway, thirdClub)];
  const difficulties = ['We are having difficulties. Please try again later.'];
  for (const [here, there] of [
    [second, third],
    [third, second],
  ] as const) {
    const login = await openLogin(here.url, linkTo(here), 'POST');
    const moved = { ...login, action: there.paths.page };
    assert.deepEqual(readPage(await submitLogin(here.url, moved, there.member)).text, difficulties);
    const { search } = new URL(login.begin.headers['location'] ?? '');
    const headers = { cookie: login.cookie };
    const shown = await ask(here.url, there.paths.page + search, { headers });
    assert.deepEqual(readPage(shown).text, difficulties);
  }
});

test('C-7: from login to refresh and refusal the service never calls the partner', async (t) => {
  const calls: string[] = [];
  const partner = createServer((request, response) => {
    calls.push(request.url ?? '');
    response.end();
  });
  partner.on('connection', () => calls.push('connection'));
  partner.listen(0, '127.0.0.1');
  await once(partner, 'listening');
  t.after(() => partner.close());
  const { port } = partner.address() as AddressInfo;
  const club = await openClub(t);
  const redirectUris = [`http://127.0.0.1:${port}/callback`];
  const client = await club.addClient({ id: 'partnerapi-00002', redirectUris });
  const calling = { ...club, client };
  const { refresh_token: token } = await tokensOfLogin(calling);
  tokensIn(await refresh(calling, token));
  assert.deepEqual(await redeem(calling, 'unknown'), invalidCode);
  const target = loginTarget(client, { response_type: 'token' });
  assert.equal(
    (await ask(club.url, target)).headers['location'],
    `${redirectUris[0]}?error=unsupported_response_type`,
  );
  assert.deepEqual(
    await redeem(calling, await codeFor(calling), { scope: 'x' }),
    refused(400, { error: 'invalid_scope' }),
  );
  // Nothing was sent; a call that was under way would arrive with the next turns of the loop.
  await setTimeout(50);
  assert.deepEqual(calls, []);
  await fetch(redirectUris[0] ?? '');
  assert.deepEqual(calls, ['connection', '/callback']);
});
