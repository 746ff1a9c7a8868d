// The password grant (P-9) while store or directory are slow, away or elsewhere, and no password in sight. What it
// answers is in password_grant.transcript.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import type { ClientId } from '../../src/oauth/client.ts';
import { testClock } from '../support/clock.ts';
import {
  askTokens,
  type Club,
  type ClubOptions,
  invalidRefreshToken,
  openClub,
  programme,
  refresh,
  tokensIn,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { answering, hookMember, hookSecret, memberDirectory, startHook } from '../support/hook.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import {
  context,
  headersOf,
  namesOf,
  type PartnerClub,
  joinClub,
  refused as refusedAtPartner,
} from '../support/partner_club.ts';
import { type Answer, post } from '../support/wire.ts';

const turnedOn = `
token_endpoints: { grant: { inputs: { username: {}, password: {} } } }
grants: { password: { endpoint: grant, role: member } }`;

function openPasswordClub(t: TestContext, options: ClubOptions = {}): Promise<Club> {
  return openClub(t, { ...options, over: [turnedOn, ...[options.over ?? []].flat()] });
}

type Fields = Readonly<Record<string, string>>;

function askByPassword(club: Club, more: Fields = {}, headers?: Fields): Promise<Answer> {
  const { username, password } = club.member;
  return askTokens(club, { grant_type: 'password', username, password, ...more }, headers);
}

test('FAULTS 28: a revocation takes along the tokens of grants that began before it', async (t) => {
  const cases = [
    { access: 'opaque', verb: 'startLogin', grant: 'password' },
    { access: 'opaque', verb: 'find client', grant: 'client_credentials' },
    { access: 'jwt', verb: 'find client', grant: 'client_credentials' },
  ] as const;
  for (const { access, verb, grant } of cases) {
    const { store, hold } = failingStore();
    const over = `introspection: { path: /introspect }
tokens: { access: { format: ${access} } }`;
    const club = await openPasswordClub(t, { store, over });
    const ask = (): Promise<Answer> =>
      grant === 'password' ? askByPassword(club) : askTokens(club, { grant_type: grant });
    const told = async (token: string): Promise<unknown> => {
      const headers = { authorization: club.client.basic };
      const { body } = await post(club.url, '/executive-club/introspect', { token }, headers);
      return (JSON.parse(body) as { active: unknown }).active;
    };
    const held = hold(verb);
    const answer = ask();
    await held.waiting;
    await store.revoke(programme, { client: club.client.id as ClientId });
    held.letGo();
    const tokens = tokensIn(await answer);
    assert.equal(await told(tokens.access_token), false, `${access} ${grant}`);
    if (grant === 'password') {
      assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
    }
    assert.equal(await told(tokensIn(await ask()).access_token), true, 'the next one');
  }
});

const names = namesOf('second-club', 'SecondClub');

async function openHookedPartner(t: TestContext) {
  const clock = testClock();
  const reference = memberDirectory({
    secrets: [hookSecret],
    members: [hookMember('ann', { membership_number: '1234567890123456' })],
    now: () => clock.now(),
  });
  const hook = await startHook(t, reference);
  const yaml = shippedProgramme(
    'second-club',
    `members: { directory: http, url: "${hook.url}" }
token_endpoints: { refresh: { path: /secure/token, inputs: { username: {}, password: {} } } }
grants: { password: { endpoint: refresh, role: member } }`,
  );
  const jetway = await startJetway(t, {
    programmes: { 'second-club': yaml },
    clock,
    credentials: { secrets: [hookSecret] },
  });
  return { club: await joinClub(jetway, names), hook };
}

function askPartner(club: PartnerClub, headers: Fields = {}): Promise<Answer> {
  const { username, password } = club.member;
  const fields = { grant_type: 'password', username, password };
  return post(club.url, '/second-club/secure/token', fields, headersOf(club, headers));
}

test('P-6: the hook is told what the partner claims of its customer, as a claim', async (t) => {
  const { club, hook } = await openHookedPartner(t);
  const answer = await askPartner(club, { 'x-forwarded-for': '192.0.2.1, 198.51.100.2' });
  assert.equal(answer.status, 200, answer.body);
  assert.match(
    answer.body,
    /"requestApplication":"PartnerContext","membershipNumber":"1234567890123456"/,
  );
  await askPartner(club);
  const told = hook.bodies.map(({ customer_ip: ip, ip_verified: verified }) => [ip, verified]);
  assert.deepEqual(told, [
    ['192.0.2.1', false],
    [null, false],
  ]);
  assert.equal(context, 'PartnerContext');
});

test('G-22 FAULTS 13: a hook in trouble is temporarily unavailable, in words without a password', async (t) => {
  const { club, hook } = await openHookedPartner(t);
  hook.become(answering(500, '{}'));
  const outage = refusedAtPartner(500, 'temporarily_unavailable', 'Temporarily unavailable', {
    'retry-after': '5',
  });
  assert.deepEqual(await askPartner(club), outage);
  const told = JSON.stringify(club.events);
  assert.ok(told.includes(String(hook.bodies[0]?.['request_id'])));
  assert.ok(!told.includes(club.member.password) && !told.includes('"ann"'), told);
});
