// The sandbox on the wire: a forced failure reads, counts and spends nothing, and cannot be had where no
// sandbox is turned on, or where the environment is live.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { milliseconds } from '../../src/lib/clock.ts';
import { loginFailureReasons } from '../../src/oauth/login_reasons.ts';
import { wholeProgramme } from '../../src/oauth/maintenance.ts';
import { failureReasons } from '../../src/oauth/reasons.ts';
import {
  askPartnerToken,
  askTokens,
  type Club,
  type ClubOptions,
  codeFor,
  loginTarget,
  openClub,
  paths,
  programme,
  redeem,
  refresh,
  refused,
  tokensIn,
  unknownClient,
} from '../support/club.ts';
import { type FailingStore, failingStore } from '../support/failing_store.ts';
import { introspect, managed, verify } from '../support/gateway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { type Answer, ask, post } from '../support/wire.ts';

const header = 'X-Sandbox-Failure';
const sandbox = `sandbox: { header: ${header}, parameter: sandbox_failure }\n`;
const wrongSecret = `Basic ${Buffer.from('partnerapi-12345:wrong').toString('base64')}`;

interface Watched extends Club {
  readonly failing: FailingStore;
}

async function open(t: TestContext, ...over: readonly string[]): Promise<Watched> {
  const failing = failingStore();
  return { ...(await openClub(t, { store: failing.store, over })), failing };
}

/** Asks for every failure everywhere, with credentials, codes and tokens that a real request would spend. */
async function forceAll(
  { url, client }: Club,
  spendable: { readonly code: string; readonly token: string },
): Promise<void> {
  const { code, token } = spendable;
  const grant = { grant_type: 'authorization_code', code, refresh_token: token, token };
  for (const reason of failureReasons) {
    for (const authorization of [client.basic, wrongSecret]) {
      const headers = { authorization, [header]: reason };
      const answers = [
        await post(url, paths.grant, grant, headers),
        await post(url, paths.grant, { ...grant, grant_type: 'refresh_token' }, headers),
        await post(url, `/${programme}/revoke`, grant, headers),
        await post(url, `/${programme}/introspect`, grant, headers),
        await ask(url, `/${programme}/verify/member`, { headers }),
      ];
      assert.ok(answers.every(({ status }) => status >= 400));
    }
  }
}

test('a forced failure asks the store for nothing but maintenance, and spends and counts nothing', async (t) => {
  const limits = `
throttle: { limit: 3, window: 1m }
client: { authentication: { failure_limit: { limit: 1, window: 1m } } }
`;
  const club = await open(t, sandbox, managed, limits);
  const { failing, url, client } = club;
  const first = tokensIn(await redeem(club, await codeFor(club)));
  const code = await codeFor(club);
  failing.calls.splice(0);
  await forceAll(club, { code, token: first.refresh_token });
  assert.deepEqual([...new Set(failing.calls)], ['find maintenance']);
  failing.calls.splice(0);
  for (const name of [...loginFailureReasons, 'expired', 'too_many_attempts', 'unheard_of']) {
    await ask(url, loginTarget(client, { sandbox_failure: name }));
  }
  // A redirect goes to a registered address alone.
  assert.deepEqual([...new Set(failing.calls)].toSorted(), ['find client', 'find maintenance']);
  assert.deepEqual(club.events, []);
  // One request is counted, of the three that the client has; each of these spends something.
  assert.equal((await redeem(club, code)).status, 200);
  const second = tokensIn(await refresh(club, first.refresh_token));
  assert.equal(
    (await verify(club, programme, 'member', { token: second.access_token })).status,
    200,
  );
  assert.equal((await askPartnerToken(club)).status, 429);
  // One wrong secret is allowed: none is counted.
  assert.deepEqual(await askTokens(club, {}, { authorization: wrongSecret }), unknownClient);
  assert.equal((await askTokens(club, {}, { authorization: wrongSecret })).status, 429);
});

test('neither credentials nor anything else of a request are needed', async (t) => {
  const club = await open(t, sandbox);
  const { url } = club;
  const expected = refused(400, { error: 'invalid_grant' });
  for (const body of ['', '{', 'a=%zz', 'x'.repeat(70_000)]) {
    const headers = { [header.toLowerCase()]: 'invalid_code' };
    assert.deepEqual(await ask(url, paths.grant, { method: 'POST', headers, body }), expected);
    const target = `${paths.grant}?sandbox%5Ffailure=invalid_code&a=b`;
    assert.deepEqual(await ask(url, target, { method: 'POST', body }), expected);
  }
  // A method that the endpoint does not have, and a query that cannot be read, are told themselves.
  const put = await ask(url, paths.grant, { method: 'PUT', headers: { [header]: 'invalid_code' } });
  assert.equal(put.status, 405);
  const broken = await ask(url, `${paths.grant}?sandbox_failure=invalid_code&a=%zz`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  assert.match(broken.body, /could not be decoded/);
});

test('RFC 6749 4.1.2.1: a forced redirect goes to a registered address alone', async (t) => {
  const club = await open(t, sandbox);
  const { url, client } = club;
  const forced = { sandbox_failure: 'access_denied' };
  const good = await ask(url, loginTarget(client, { ...forced, state: 'abc' }));
  assert.equal(good.headers['location'], `${client.redirectUri}?error=access_denied&state=abc`);
  const elsewhere = { ...forced, redirect_uri: 'https://elsewhere.example/' };
  const [unregistered, unknown] = [
    await ask(url, loginTarget(client, elsewhere)),
    await ask(url, loginTarget({ id: 'partnerapi-99999' }, forced)),
  ];
  for (const answer of [unregistered, unknown]) {
    assert.equal(answer.status, 400);
    assert.equal(answer.headers['location'], undefined);
  }
  assert.match(unregistered.body, /Security Issue/);
});

test('maintenance is told first', async (t) => {
  const club = await open(t, sandbox);
  const createdAt = club.clock.now();
  const part = { programme, part: wholeProgramme, createdAt, retryAfter: milliseconds(90_000) };
  await club.store.add('maintenance', [part]);
  const headers = { [header]: 'throttled' };
  assert.deepEqual(
    await ask(club.url, paths.grant, { method: 'POST', headers }),
    refused(503, { error: 'temporarily_unavailable' }, { 'retry-after': '90' }),
  );
});

test('the record of a request tells a forced failure from a real one', async (t) => {
  const club = await open(t, sandbox);
  const { url, client, records } = club;
  const forced = { method: 'POST', headers: { [header]: 'invalid_code' } };
  await ask(url, paths.grant, forced);
  await ask(url, paths.grant, { ...forced, headers: { [header]: 'unheard_of' } });
  await redeem(club, 'x'.repeat(64));
  await ask(url, loginTarget(client, { sandbox_failure: 'access_denied' }));
  await ask(url, loginTarget(client, { sandbox_failure: 'expired' }));
  await ask(url, loginTarget(client, { response_type: 'token' }));
  assert.deepEqual(
    records.map(({ isForced, failure, status }) => [isForced, failure?.reason, status]),
    [
      [true, 'invalid_code', 400],
      [true, 'unknown_sandbox_failure', 400],
      [false, 'invalid_code', 400],
      [true, 'access_denied', 302],
      [true, 'expired', 400],
      [false, 'unsupported_response_type', 302],
    ],
  );
});

/** Without a sandbox, and with one in the live environment. */
const closed: readonly (readonly [string, ClubOptions])[] = [
  ['without a sandbox', {}],
  ['where the environment is live', { over: sandbox, environment: 'live' }],
];

for (const [name, options] of closed) {
  test(`${name} header and parameter have no effect at all`, async (t) => {
    const club = await openClub(t, { ...options, over: [managed, ...[options.over ?? ''].flat()] });
    const { url, client, member } = club;
    const asking = { [header]: 'server_error' };
    const login = await openLogin(url, loginTarget(client, { sandbox_failure: 'server_error' }));
    assert.equal(login.page.status, 200);
    const code = await codeFor(club, { sandbox_failure: 'server_error' });
    const headers = { authorization: client.basic, ...asking };
    const grant = { grant_type: 'authorization_code', code };
    const tokens = tokensIn(await post(url, `${paths.grant}?sandbox_failure=x`, grant, headers));
    const shown = { token: tokens.access_token, headers: asking };
    const passed = await verify(club, programme, 'member/x?sandbox_failure=server_error', shown);
    assert.equal(passed.headers['x-auth-subject'], member.subject);
    const told = await introspect(club, programme, client.basic, tokens.access_token);
    assert.equal(told.status, 200);
    assert.deepEqual(
      club.events.map(({ event }) => event),
      options.environment === 'live' ? ['sandbox_ignored'] : [],
    );
  });

  test(`${name} the parameter is as unknown as any other`, async (t) => {
    const strict = 'token_endpoints: { grant: { unknown: refuse } }';
    const club = await openClub(t, { ...options, over: [strict, ...[options.over ?? ''].flat()] });
    const headers = { authorization: club.client.basic, [header]: 'server_error' };
    const grant = { grant_type: 'client_credentials' };
    const target = `${paths.grant}?sandbox_failure=server_error`;
    const error_description = 'sandbox_failure is not a known parameter';
    assert.deepEqual(
      await post(club.url, target, grant, headers),
      refused(400, { error: 'invalid_request', error_description }),
    );
    assert.equal((await post(club.url, paths.grant, grant, headers)).status, 200);
  });
}

test('a forced limit is that of a client that has used up a window', async (t) => {
  const throttle = `
throttle:
  limit: 1
  window: 90s
  headers: { RateLimit: state, RateLimit-Policy: policy, X-Reset-At: reset_at }
login: { address_limit: { limit: 1, window: 10m } }
`;
  const club = await open(t, sandbox, throttle);
  const { url, client } = club;
  const forced = await ask(url, paths.grant, {
    method: 'POST',
    headers: { [header]: 'throttled' },
  });
  assert.equal((await askPartnerToken(club)).status, 200);
  const real = await askPartnerToken(club);
  assert.equal(real.headers['retry-after'], '90');
  assert.deepEqual(forced, real);
  const login = await openLogin(url, loginTarget(client));
  const attempt = (): Promise<Answer> =>
    submitLogin(url, login, { username: 'nobody', password: 'wrong' });
  await attempt();
  const stopped = await attempt();
  assert.equal(stopped.status, 429);
  const page = await ask(url, loginTarget(client, { sandbox_failure: 'too_many_attempts' }));
  const [one, other] = [page, stopped].map((answer) => ({
    ...answer,
    body: answer.body
      .replace(/(?<=<strong translate="no">)\w{12}(?=<)/, 'ID')
      // A forced page ends no login: there is no partner to link to.
      .replace(/<ul class="links">\s*<li><a href="https:\/\/partner\.example\/">[^]*?<\/ul>/, ''),
  }));
  assert.deepEqual(one, other);
});
