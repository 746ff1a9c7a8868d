// Owns the promises of members' properties: told in answers, claims, redirects and to gateways, as they were
// when the member logged in.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeJwt } from 'jose';

import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { verify } from '../support/gateway.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { post } from '../support/wire.ts';

const over = `
authorize: { answer: { more: { tier: member.tier } } }
tokens: { access: { format: jwt, claims: { tier: { value: member.tier, absent: nothing } } } }
token_response:
  headers: { Partner-Tier: { value: member.tier } }
  fields:
    access_token: access_token
    refresh_token: refresh_token
    tier: member.tier
    seat: { first: [member.seat, { constant: any }] }
verify: { tells: { Member-Tier: member.tier, Member-Seat: member.seat, Partner-Plan: client.plan } }
`;

const club = 'executive-club';

test('a member’s properties stand in every answer as they were at the login', async (t) => {
  const programmes = { [club]: shippedProgramme(club, over) };
  const jetway = await startJetway(t, { programmes });
  const client = await jetway.addClient({ more: { properties: { plan: 'gold' } } });
  const member = await jetway.addMember({ properties: { tier: 'Zoë & co' } });
  const target = `/${club}/auth/login?client_id=${client.id}&response_type=code`;
  const ask = async (fields: Readonly<Record<string, string>>) => {
    const { basic: authorization } = client;
    const answer = await post(jetway.url, `/${club}/api/grant`, fields, { authorization });
    const body = JSON.parse(answer.body) as Record<string, string>;
    return { tier: answer.headers['partner-tier'], body };
  };
  const callback = async () => {
    const answer = await submitLogin(jetway.url, await openLogin(jetway.url, target), member);
    return new URL(answer.headers['location'] ?? '');
  };
  const first = await callback();
  assert.equal(first.searchParams.get('tier'), 'Zoë & co');
  const code = first.searchParams.get('code') ?? '';
  const told = await ask({ grant_type: 'authorization_code', code });
  // What HTTP cannot carry is percent-encoded in a header, as in those of verify.
  assert.deepEqual(
    [told.tier, told.body['tier'], told.body['seat']],
    ['Zo%C3%AB & co', 'Zoë & co', 'any'],
  );
  const tell = async (token: string) => {
    const { headers } = await verify(jetway, club, 'member', { token });
    return ['member-tier', 'member-seat', 'partner-plan'].map((name) => headers[name]);
  };
  assert.equal(decodeJwt(told.body['access_token'] ?? '')['tier'], 'Zoë & co');
  assert.deepEqual(await tell(told.body['access_token'] ?? ''), ['Zo%C3%AB & co', '', 'gold']);
  await jetway.store.change('member', club as ProgrammeId, member.subject as Subject, (kept) => ({
    ...kept,
    properties: {},
  }));
  const refreshed = await ask({
    grant_type: 'refresh_token',
    refresh_token: told.body['refresh_token'] ?? '',
  });
  assert.equal(refreshed.body['tier'], 'Zoë & co');
  const second = await callback();
  assert.equal(second.searchParams.has('tier'), false);
  const bare = await ask({
    grant_type: 'authorization_code',
    code: second.searchParams.get('code') ?? '',
  });
  assert.deepEqual([bare.tier, bare.body['tier']], [undefined, undefined]);
  assert.equal(decodeJwt(bare.body['access_token'] ?? '')['tier'], null);
  assert.deepEqual(await tell(bare.body['access_token'] ?? ''), ['', '', 'gold']);
});

test('HOSTILE 77: a JWT that would be too long to be read is not issued, and nothing is spent for it', async (t) => {
  const names = Array.from({ length: 17 }, (_, index) => `p${index}`);
  const claims = names.map((name) => `${name}: { value: client.${name}, absent: nothing }`);
  for (const algorithm of ['ES256', 'RS256']) {
    const long = `tokens: { access: { format: jwt, algorithm: ${algorithm}, claims: { ${claims.join(', ')} } } }`;
    const jetway = await startJetway(t, { programmes: { [club]: shippedProgramme(club, long) } });
    const properties = Object.fromEntries(names.map((name) => [name, 'x'.repeat(1000)]));
    const client = await jetway.addClient({ more: { properties } });
    const member = await jetway.addMember();
    const target = `/${club}/auth/login?client_id=${client.id}&response_type=code`;
    const { headers } = await submitLogin(jetway.url, await openLogin(jetway.url, target), member);
    const code = new URL(headers['location'] ?? '').searchParams.get('code') ?? '';
    const ask = (fields: Readonly<Record<string, string>>) =>
      post(jetway.url, `/${club}/api/grant`, fields, { authorization: client.basic });
    for (const fields of [
      { grant_type: 'authorization_code', code },
      { grant_type: 'client_credentials' },
    ]) {
      const { status, body } = await ask(fields);
      assert.deepEqual([status, body], [500, '{"error":"server_error"}']);
    }
    await jetway.store.change('client', club as ProgrammeId, client.id as ClientId, (kept) => ({
      ...kept,
      properties: {},
    }));
    const { body } = await ask({ grant_type: 'authorization_code', code });
    const { access_token: token } = JSON.parse(body) as { access_token: string };
    assert.equal((await verify(jetway, club, 'member', { token })).status, 200);
  }
});
