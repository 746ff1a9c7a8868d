// HOSTILE 80: guessed passwords by the password grant and at the page, by what a guesser cannot multiply.

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { type TestContext, test } from 'node:test';

import { usualTimeLimits } from '../../src/http/server.ts';
import { pause } from '../../src/lib/pause.ts';
import { hashingLimits } from '../../src/members/hashing.ts';
import { inParallel } from '../store/fixtures.ts';
import {
  askTokens,
  type Club,
  type ClubOptions,
  loginTarget,
  openClub,
  refused,
  tokensIn,
} from '../support/club.ts';
import { answering, hookSecret, patientLimits, startHook } from '../support/hook.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { type Answer, post } from '../support/wire.ts';

const turnedOn = `
client: { authentication: { methods: [basic, none] } }
authorize: { pkce: required }
token_endpoints: { grant: { inputs: { client_id: {}, username: {}, password: {} } } }
grants: { password: { endpoint: grant, role: member } }
throttle: off`;
const limited = (limit: number): string =>
  `login: { address_limit: { limit: ${limit}, window: 60s } }`;

const wrong = refused(400, { error: 'invalid_grant' });
const blocked = refused(429, { error: 'too_many_tokens' }, { 'retry-after': '60' });
const publicClient = 'partnerapi-00007';

/** A club behind a trusted proxy, with a partner and the app of a public client. */
async function open(t: TestContext, over: string, options: ClubOptions = {}): Promise<Club> {
  const trustedProxies = ['127.0.0.1/32'];
  // On a slow machine a turn may take longer than a silent connection lives.
  const timeLimits = { ...usualTimeLimits, stillTimeout: 3_600_000 };
  const usual = { over: [turnedOn, over], trustedProxies, timeLimits };
  const club = await openClub(t, { ...usual, ...options });
  const more = { isPublic: true, secrets: [] } as const;
  await club.addClient({ id: publicClient, roles: ['member'], more });
  return club;
}

type Typed = Readonly<Record<'username' | 'password', string>>;

function askAsApp(club: Club, from: string, typed: Typed): Promise<Answer> {
  const fields = { grant_type: 'password', client_id: publicClient, ...typed };
  return post(club.url, '/executive-club/api/grant', fields, { 'x-forwarded-for': from });
}

function askAsPartner(club: Club, typed: Typed): Promise<Answer> {
  const headers = { authorization: club.client.basic, 'x-forwarded-for': '192.0.2.9' };
  return askTokens(club, { grant_type: 'password', ...typed }, headers);
}

const nobody = (n: number): Typed => ({ username: `nobody-${n}`, password: 'wrong' });

test('HOSTILE 80: what a public client asks counts for its caller’s address, as at the page', async (t) => {
  const club = await open(t, limited(5));
  const { username, password } = club.member;
  const tries = await inParallel(40, (n) => askAsApp(club, '192.0.2.1', nobody(n)));
  const told = (answer: Answer) => tries.filter(({ body }) => body === answer.body).length;
  assert.deepEqual([told(wrong), told(blocked)], [5, 35]);
  assert.deepEqual(await askAsApp(club, '192.0.2.1', { username, password }), blocked);
  const login = await openLogin(club.url, loginTarget(club.client, challenge));
  const from = { 'x-forwarded-for': '192.0.2.1', cookie: login.cookie };
  assert.equal((await submitLogin(club.url, login, { username, password }, from)).status, 429);
  // Neighbours, and a partner's own machine, are not concerned.
  tokensIn(await askAsApp(club, '192.0.2.2', { username, password }));
  for (let n = 0; n < 8; n += 1) assert.deepEqual(await askAsPartner(club, nobody(n)), wrong);
  tokensIn(await askAsPartner(club, { username, password }));
  club.clock.advance(60);
  tokensIn(await askAsApp(club, '192.0.2.1', { username, password }));
});

const challenge = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};

test('HOSTILE 80: of a hundred attempts at once no more are looked at than may fail', async (t) => {
  const over = 'login: { address_limit: { limit: 10, window: 60s }, lockout: off }';
  const club = await open(t, over);
  const login = await openLogin(club.url, loginTarget(club.client, challenge));
  const attempt = (typed: Typed, from: string) => {
    const headers = { 'x-forwarded-for': from, cookie: login.cookie };
    return submitLogin(club.url, login, typed, headers);
  };
  const answers = await inParallel(100, (n) => attempt(nobody(n), '192.0.2.1'));
  const statuses = Map.groupBy(answers, ({ status }) => status);
  assert.deepEqual([statuses.get(200)?.length, statuses.get(429)?.length], [10, 90]);
  // Right ones count nothing, also many at once.
  for (let round = 0; round < 3; round += 1) {
    const right = await inParallel(10, () => attempt(club.member, '192.0.2.2'));
    assert.deepEqual([...new Set(right.map(({ status }) => status))], [302]);
  }
  assert.equal((await attempt(nobody(0), '192.0.2.2')).status, 200);
});

const floods: readonly (readonly [string, (club: Club, n: number) => Promise<Answer>])[] = [
  ['a partner', (club, n) => askAsPartner(club, nobody(n))],
  ['four addresses', (club, n) => askAsApp(club, `192.0.2.${n % 4}`, nobody(n))],
];

/** The answers of a member at the page, while that many strangers ask again and again. */
async function loginsBeside(
  club: Club,
  strangers: number,
  ask: (typed: number) => Promise<Answer>,
): Promise<readonly number[]> {
  const login = await openLogin(club.url, loginTarget(club.client, challenge));
  const state = { ends: false, answered: 0 };
  const flood = inParallel(strangers, async (n) => {
    for (let sent = 0; !state.ends; sent += 1) {
      await ask(n + sent * 1000);
      state.answered += 1;
    }
  });
  const headers = { 'x-forwarded-for': '198.51.100.1', cookie: login.cookie };
  const statuses: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const enough = state.answered + 100;
    while (state.answered < enough) await pause();
    statuses.push((await submitLogin(club.url, login, club.member, headers)).status);
  }
  state.ends = true;
  await flood;
  return statuses;
}

for (const [whose, ask] of floods) {
  test(`HOSTILE 80: made-up usernames of ${whose} leave a member its turn at the hashing queue`, async (t) => {
    const club = await open(t, 'login: { address_limit: off }');
    const { atOnce, waiting } = hashingLimits(availableParallelism());
    const statuses = await loginsBeside(club, atOnce + waiting + 150, (n) => ask(club, n));
    assert.deepEqual(statuses, [302, 302, 302]);
  });

  for (const concurrency of [1, 4]) {
    test(`HOSTILE 80: so they do at a hook that takes ${concurrency} questions at once, of ${whose}`, async (t) => {
      const match = answering(200, '{"outcome":"match","member":{"subject":"airline-ann"}}');
      const hook = await startHook(t, (request, response) => {
        setTimeout(() => match(request, response), 5);
      });
      const members = `members: { directory: http, url: "${hook.url}", concurrency: ${concurrency} }`;
      const options = { credentials: { secrets: [hookSecret] }, hookLimits: patientLimits };
      const club = await open(t, `login: { address_limit: off }\n${members}`, options);
      const statuses = await loginsBeside(club, 100, (n) => ask(club, n));
      assert.deepEqual(statuses, [302, 302, 302]);
    });
  }
}
