// The sandbox where a transcript (sandbox.transcript) says too little: every failure, what a store is asked, what an
// operator is told.

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
import { managed, verify } from '../support/gateway.ts';
import { ask, post } from '../support/wire.ts';

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

test('where the environment is live it is told that the sandbox is ignored', async (t) => {
  const { events } = await openClub(t, { over: sandbox, environment: 'live' });
  assert.deepEqual(
    events.map(({ event }) => event),
    ['sandbox_ignored'],
  );
});
