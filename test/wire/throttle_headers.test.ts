// G-18: the headers that tell a client what it has left, where a file names some.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatFault } from '../../src/lib/fault.ts';
import { loadProgramme } from '../../src/programme/language/load.ts';
import {
  askPartnerToken,
  askTokens,
  type Club,
  codeFor,
  invalidCode,
  openClub,
  redeem,
  refresh,
  refused,
  tokensIn,
  unknownClient,
} from '../support/club.ts';
import { shippedProgramme } from '../support/jetway.ts';
import type { Answer } from '../support/wire.ts';

const told = `
throttle:
  limit: 3
  window: 90s
  headers:
    RateLimit-Policy: policy
    RateLimit: state
    X-Rate-Limit: limit
    X-Rate-Window: window
    X-Rate-Left: remaining
    X-Rate-Reset: reset_after
    X-Rate-Reset-At: reset_at
`;

/** What all of those headers say. */
function budget(
  limit: number,
  window: number,
  left: number,
  seconds: number,
  end: number,
): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"default";q=${limit};w=${window}`,
    ratelimit: `"default";r=${left};t=${seconds}`,
    'x-rate-limit': String(limit),
    'x-rate-window': String(window),
    'x-rate-left': String(left),
    'x-rate-reset': String(seconds),
    'x-rate-reset-at': String(end),
  };
}

/** The headers of an answer that tell of a budget. */
function budgetOf({ headers }: Answer): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(?:x-rate|ratelimit)/.test(name)),
  );
}

function nowIn({ clock }: Club): number {
  return Math.floor(clock.now() / 1000);
}

test('G-18: token responses and throttled tell what is left, over all grants', async (t) => {
  const club = await openClub(t, { over: told });
  const code = await codeFor(club);
  const end = nowIn(club) + 90;
  const redeemed = await redeem(club, code);
  assert.deepEqual(budgetOf(redeemed), budget(3, 90, 2, 90, end));
  club.clock.advance(10.5);
  const refreshed = await refresh(club, tokensIn(redeemed).refresh_token);
  assert.deepEqual(budgetOf(refreshed), budget(3, 90, 1, 80, nowIn(club) + 80));
  assert.deepEqual(budgetOf(await askPartnerToken(club)), budget(3, 90, 0, 80, nowIn(club) + 80));
  const more = { 'retry-after': '80', ...budget(3, 90, 0, 80, nowIn(club) + 80) };
  const tooMany = refused(429, { error: 'too_many_tokens' }, more);
  assert.deepEqual(await askPartnerToken(club), tooMany);
  assert.deepEqual(await refresh(club, tokensIn(refreshed).refresh_token), tooMany);
  club.clock.advance(79.5);
  const again = await refresh(club, tokensIn(refreshed).refresh_token);
  assert.deepEqual(budgetOf(again), budget(3, 90, 2, 90, nowIn(club) + 90));
});

test('G-18: reset_at is one second for the whole window, in which the next one is open', async (t) => {
  const club = await openClub(t, { over: told });
  club.clock.advance(0.6);
  const end = nowIn(club) + 91;
  for (const pause of [0, 10.1, 10.3, 69.5]) {
    club.clock.advance(pause);
    const { headers } = await askPartnerToken(club);
    assert.equal(headers['x-rate-reset-at'], String(end));
  }
  club.clock.advance(0.5);
  assert.equal(nowIn(club), end);
  assert.equal((await askPartnerToken(club)).status, 200);
});

test('G-18: a client with a limit of its own is told its own', async (t) => {
  const club = await openClub(t, { over: told });
  const throttle = { limit: 1000, window: 3_600_000 };
  const client = await club.addClient({ id: 'partnerapi-00002', more: { throttle } });
  const answer = await askPartnerToken(club, { authorization: client.basic });
  assert.deepEqual(budgetOf(answer), budget(1000, 3600, 999, 3600, nowIn(club) + 3600));
});

test('G-18, HOSTILE 42: who has not proved to be the client is told nothing', async (t) => {
  const over = [told, 'client: { authentication: { failure_limit: { limit: 1, window: 10s } } }'];
  const club = await openClub(t, { over });
  const authorization = `Basic ${Buffer.from(`${club.client.id}:wrong`).toString('base64')}`;
  assert.deepEqual(await askPartnerToken(club, { authorization }), unknownClient);
  assert.deepEqual(
    await askPartnerToken(club, { authorization }),
    refused(429, { error: 'too_many_tokens' }, { 'retry-after': '10' }),
  );
  // A failure of the grant tells of the failure alone.
  assert.deepEqual(await redeem(club, 'x'), invalidCode);
  const unsupported = await askTokens(club, { grant_type: 'x' });
  assert.deepEqual(budgetOf(unsupported), {});
});

test('G-18: headers without a limit of the programme do not load', () => {
  const text = shippedProgramme('second-club', 'throttle: { headers: { X-Left: remaining } }');
  const { loaded, faults } = loadProgramme('a.yaml', text);
  assert.equal(loaded, undefined);
  assert.deepEqual(
    faults
      .filter(({ severity }) => severity === 'error')
      .map((fault) => formatFault(fault).replace(/^a\.yaml:\d+:\d+: /, '')),
    ['error: "limit" is missing', 'error: "window" is missing'],
  );
});
