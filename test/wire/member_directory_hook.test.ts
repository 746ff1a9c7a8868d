// Logins and refreshes of programmes whose members an airline's own system knows (P-15, G-23): the
// reference server of docs/ answers, or fails in the ways that such systems do.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import { testClock } from '../support/clock.ts';
import {
  askPartnerToken,
  type Club,
  invalidRefreshToken,
  isLive,
  loginTarget,
  openClub,
  paths,
  redeem,
  refresh,
  refused,
  tokensIn,
} from '../support/club.ts';
import {
  answering,
  type HookMember,
  hookMember,
  hookSecret,
  memberDirectory,
  password,
  patientLimits,
  type RunningHook,
  startHook,
} from '../support/hook.ts';
import { masked, type OpenLogin, openLogin, submitLogin } from '../support/login.ts';
import {
  openPartnerClub,
  redeem as redeemAtPartner,
  refused as refusedAtPartner,
  refresh as refreshAtPartner,
  returnFrom,
  tokensIn as partnerTokensIn,
} from '../support/partner_club.ts';
import { until } from '../support/until.ts';
import { type Answer, post } from '../support/wire.ts';

interface HookedClub extends Club {
  readonly hook: RunningHook;
  /** What the hook knows; a test may change it. */
  readonly known: HookMember[];
  readonly well: () => void;
}

function over({ url }: RunningHook, more = ''): string {
  return `members: { directory: http, url: "${url}"${more} }`;
}

async function openHooked(
  t: TestContext,
  hookLimits = patientLimits,
  more = '',
  trustedProxies: readonly string[] = [],
): Promise<HookedClub> {
  const clock = testClock();
  const known = [
    hookMember('ann', { level: 'AUTHN-LEVEL-12' }),
    hookMember('off', { active: false }),
  ];
  const reference = memberDirectory({
    secrets: [hookSecret],
    members: known,
    now: () => clock.now(),
  });
  const hook = await startHook(t, reference);
  const credentials = { secrets: [hookSecret] };
  const options = { clock, credentials, hookLimits, trustedProxies };
  const club = await openClub(t, { over: over(hook, more), ...options });
  return { ...club, hook, known, well: () => hook.become(reference) };
}

const silent = (): void => undefined;

async function tryLogin(
  club: Club,
  username = 'ann',
  typed = password,
): Promise<readonly [Answer, OpenLogin]> {
  const login = await openLogin(club.url, loginTarget(club.client));
  return [await submitLogin(club.url, login, { username, password: typed }), login];
}

async function logInByHook(club: Club): Promise<string> {
  const [answer] = await tryLogin(club);
  const code = URL.parse(answer.headers['location'] ?? '')?.searchParams.get('code');
  assert.ok(code, answer.body);
  return code;
}

/** No password and no subject anywhere that operators look. */
function assertDiscreet(club: Club): void {
  const told = JSON.stringify(club.events);
  for (const secret of [password, 'airline-ann', 'wrong password']) {
    assert.ok(!told.includes(secret), told);
  }
}

test('P-15 G-12: a login by the hook, its level, and a refresh that asks for the status', async (t) => {
  const club = await openHooked(t);
  const tokens = tokensIn(await redeem(club, await logInByHook(club)));
  assert.equal(tokens.scope, 'AUTHN-LEVEL-12');
  const next = tokensIn(await refresh(club, tokens.refresh_token));
  assert.equal(next.scope, 'AUTHN-LEVEL-12');
  assert.deepEqual(club.hook.asked, ['/hook/verify', '/hook/status']);
  const [verify, status] = club.hook.bodies;
  assert.deepEqual(verify, {
    v: 1,
    request_id: verify?.['request_id'],
    programme: 'executive-club',
    username: 'ann',
    password,
    client_id: club.client.id,
    customer_ip: '127.0.0.1',
    ip_verified: true,
  });
  assert.equal(status?.['subject'], 'airline-ann');
  assert.deepEqual(club.events, []);
});

test('G-8 HOSTILE 16: wrong, unknown, blocked and locked are one answer to the byte', async (t) => {
  const club = await openHooked(t);
  for (let time = 0; time < 6; time += 1) await tryLogin(club, 'locked', 'wrong password');
  const tries = [
    ['ann', 'wrong password'],
    ['nobody', password],
    ['off', password],
    ['locked', password],
  ] as const;
  const answers: Answer[] = [];
  for (const [username, typed] of tries) {
    const [answer, login] = await tryLogin(club, username, typed);
    answers.push(masked(answer, login, username));
  }
  const [expected] = answers;
  assert.equal(expected?.status, 200);
  assert.match(expected.body, /The username or password was not recognised/);
  for (const answer of answers) assert.deepEqual(answer, expected);
  const asked = club.hook.bodies.map(({ username }) => username);
  assert.deepEqual(
    asked.filter((username) => username === 'locked').length,
    5,
    'about who is locked nobody is asked',
  );
  assert.equal(asked.length, 6 + tries.length, 'but about nobody, in its place');
  assert.deepEqual(club.events, []);
});

test('G-23: a member that was disabled loses the whole family at its next refresh', async (t) => {
  const club = await openHooked(t);
  const tokens = tokensIn(await redeem(club, await logInByHook(club)));
  club.known[0] = hookMember('ann', { active: false });
  assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken);
  assert.equal(await isLive(club, tokens.access_token), false);
  club.known[0] = hookMember('ann');
  assert.deepEqual(await refresh(club, tokens.refresh_token), invalidRefreshToken, 'for good');
});

const troubles = {
  silent,
  'an error': answering(500, '{}'),
  'a redirect': answering(302, '', { location: 'https://elsewhere.example/' }),
  'another contract': answering(200, '{"ok":true}'),
};

for (const [name, listener] of Object.entries(troubles)) {
  test(`FAULTS 13: the hook answers with ${name}: difficulties, nothing counted, nothing spent`, async (t) => {
    // Long enough for answers on a slow machine; short enough to wait for, where it has to be.
    const total = name === 'silent' ? milliseconds(4000) : patientLimits.total;
    const club = await openHooked(t, { ...patientLimits, total });
    const tokens = tokensIn(await redeem(club, await logInByHook(club)));
    club.hook.become(listener);
    const [answer, login] = await tryLogin(club);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers['retry-after'], '5');
    assert.match(answer.body, /We are having difficulties\. Please try again later\./);
    const outage = refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '5' });
    assert.deepEqual(await refresh(club, tokens.refresh_token), outage);
    assert.deepEqual(
      club.events.map(({ event }) => event),
      ['unavailable', 'unavailable'],
    );
    const ids = club.hook.bodies.slice(1).map((body) => String(body['request_id']));
    club.events.forEach(({ facts }, index) => {
      assert.ok(facts['detail']?.includes(ids[index] ?? 'none'), String(facts['detail']));
    });
    assertDiscreet(club);

    // The same form and the same token, once the hook is well.
    club.well();
    club.clock.advance(3);
    const again = await submitLogin(club.url, login, { username: 'ann', password });
    assert.equal(again.status, 302, again.body);
    assert.equal(tokensIn(await refresh(club, tokens.refresh_token)).token_type, 'bearer');
  });
}

/** Begins logins for which the hook is asked and that it never answers, and others that wait for those. */
async function fillGate(club: HookedClub): Promise<void> {
  club.hook.become(silent);
  // One is asked about, 32 wait for it, and the others find no room.
  let turnedAway = 0;
  for (let n = 0; n < 48; n += 1)
    void tryLogin(club, `stuck-${n}`).finally(() => (turnedAway += 1));
  await until(() => turnedAway === 15, 'never: there is no room');
}

const outages: Readonly<Record<string, (club: HookedClub) => Promise<unknown>>> = {
  'closes its door': async ({ hook }) => hook.close(),
  'answers with errors, until it is left alone': async ({ hook }) =>
    hook.become(answering(503, '')),
  'answers nonsense': async ({ hook }) => hook.become(answering(200, '{}')),
  'has too many questions': fillGate,
};

for (const [name, begin] of Object.entries(outages)) {
  test(`HOSTILE 63: the hook ${name}: locked and unlocked are told alike`, async (t) => {
    const club = await openHooked(t, patientLimits, ', concurrency: 1');
    for (let time = 0; time < 6; time += 1) await tryLogin(club, 'locked', 'wrong password');
    await begin(club);
    const told: Answer[] = [];
    // More often than the hook may fail before it is left alone, the locked one first.
    for (const username of Array.from({ length: 4 }, () => ['locked', 'ann']).flat()) {
      const [answer, login] = await tryLogin(club, username, 'wrong password');
      told.push(masked(answer, login, username));
    }
    assert.equal(told[0]?.status, 503);
    for (const answer of told) assert.deepEqual(answer, told[0]);
  });
}

test('FAULTS 14: while the directory is silent, tokens that need none are answered as ever', async (t) => {
  const club = await openHooked(t);
  const code = await logInByHook(club);
  club.hook.become(silent);
  // Of one username no more than five would be asked about (HOSTILE 18).
  let settled = 0;
  const stuck = Array.from({ length: 40 }, (_, index) =>
    tryLogin(club, `member${index}`).finally(() => {
      settled += 1;
    }),
  );
  // Once as many of them wait for the hook as logins may.
  while (club.hook.asked.length < 24) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  for (const _ of Array.from({ length: 20 })) {
    assert.equal((await askPartnerToken(club)).status, 200);
  }
  assert.equal((await redeem(club, code)).status, 200, 'the code rests on no directory either');
  assert.equal(settled, 0, 'while all of them wait');
  club.hook.close();
  const answers = await Promise.all(stuck);
  assert.deepEqual(new Set(answers.map(([answer]) => answer.status)), new Set([503]));
});

test('partner-login: difficulties at login, temporarily unavailable at refresh, and well again', async (t) => {
  const clock = testClock();
  const reference = memberDirectory({
    secrets: [hookSecret],
    members: [hookMember('ann')],
    now: () => clock.now(),
  });
  const hook = await startHook(t, reference);
  const credentials = { secrets: [hookSecret] };
  const opened = await openPartnerClub(t, { over: over(hook), clock, credentials });
  const club = { ...opened, member: { ...opened.member, username: 'ann', password } };
  const back = await returnFrom(club);
  const tokens = partnerTokensIn(await redeemAtPartner(club, back.searchParams.get('code') ?? ''));
  hook.become(answering(503, ''));
  await assert.rejects(returnFrom(club), /no way back: 503 .*We are having difficulties/s);
  const outage = refusedAtPartner(500, 'temporarily_unavailable', 'Temporarily unavailable', {
    'retry-after': '5',
  });
  assert.deepEqual(await refreshAtPartner(club, tokens.refresh_token), outage);
  hook.become(reference);
  assert.equal((await refreshAtPartner(club, tokens.refresh_token)).status, 200);
});

test('HOSTILE 85: questions hand on the id of the request that asks, and its trace; of a stranger its identifiers alone', async (t) => {
  const ids = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';
  const headers = { traceparent: `${ids}-01`, tracestate: 'vendor=1' };
  for (const [trustedProxies, ...expected] of [
    [['127.0.0.1/32'], `${ids}-01`, 'vendor=1'],
    [['10.0.0.0/8'], `${ids}-00`, undefined],
  ] as const) {
    const club = await openHooked(t, patientLimits, '', trustedProxies);
    const login = await openLogin(club.url, loginTarget(club.client));
    const typed = { username: 'ann', password };
    const answer = await submitLogin(club.url, login, typed, headers);
    const code = URL.parse(answer.headers['location'] ?? '')?.searchParams.get('code') ?? '';
    const asked = [club.records.at(-1)?.id];
    const tokens = tokensIn(await redeem(club, code));
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    await post(club.url, paths.grant, form, { ...headers, authorization: club.client.basic });
    asked.push(club.records.at(-1)?.id);
    const names = ['x-request-id', 'traceparent', 'tracestate'];
    assert.deepEqual(
      club.hook.headers.map((one) => names.map((name) => one[name])),
      asked.map((id) => [id, ...expected]),
    );
    // Nothing is made up where nobody traces.
    await refresh(club, tokens.refresh_token);
    const last = club.hook.headers.at(-1) ?? {};
    assert.deepEqual(
      names.map((name) => last[name]),
      [club.records.at(-1)?.id, undefined, undefined],
    );
  }
});

test('HOSTILE 34 72: an airline’s system that gives a client’s subject logs nobody in', async (t) => {
  const club = await openHooked(t);
  club.known.push(hookMember('eve', { subject: `client:${club.client.id}` }));
  const statuses: number[] = [];
  for (const username of ['eve', 'ann']) {
    const login = await openLogin(club.url, loginTarget(club.client));
    statuses.push((await submitLogin(club.url, login, { username, password })).status);
  }
  assert.deepEqual(statuses, [503, 302]);
});
