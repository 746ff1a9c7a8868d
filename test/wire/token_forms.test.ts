// What a transcript (token_forms.transcript) cannot say of tokens of a form of their own, and of the one live token of
// an owner: what a store alone tells, why a token ended, and what becomes of tokens when a file changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { deadToken } from '../../src/engine/causes/token.ts';
import { findStandingToken } from '../../src/engine/presented/access_token.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { testClock } from '../support/clock.ts';
import {
  type Club,
  isLive,
  openClub,
  programme,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { verify } from '../support/gateway.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';

/** A form with dots, as JWTs have them. */
const forms = `
tokens:
  access: { form: { prefix: eyJ.a., characters: base64url, length: 40 } }
  refresh: { form: { characters: digits, length: 40 } }
`;

async function passes(club: Club, token: string): Promise<boolean> {
  const { status } = await verify(club, programme, 'member', { token });
  assert.ok(status === 200 || status === 401);
  return status === 200;
}

test('the store is told neither a token nor what it stands for', async (t) => {
  const told: string[] = [];
  const memory = openMemoryStore();
  const store = new Proxy(memory, {
    get: (target, name) => {
      const verb: unknown = Reflect.get(target, name);
      if (typeof verb !== 'function') return verb;
      return (...given: unknown[]): unknown => {
        told.push(
          JSON.stringify([name, given], (_, one: unknown) =>
            typeof one === 'bigint' ? `${one}` : one,
          ),
        );
        return Reflect.apply(verb, target, given);
      };
    },
  });
  const club = await openClub(t, { over: forms, store });
  const tokens = await tokensOfLogin(club);
  const next = tokensIn(await refresh(club, tokens.refresh_token));
  assert.ok(await passes(club, next.access_token));
  const all = told.join('\n');
  assert.equal(told.filter((call) => call.startsWith('["keepText"')).length, 4);
  for (const token of [tokens, next].flatMap((one) => [one.access_token, one.refresh_token])) {
    assert.ok(!all.includes(token) && !all.includes(token.slice(-20)));
  }
  // Sealed access tokens begin with a letter and the number of their key, refresh tokens with rA.
  assert.doesNotMatch(all, /"(?:mA|rA)[\w-]{40}/);
});

test('tokens from before there was a form are good, and after another form, too', async (t) => {
  const [store, clock] = [openMemoryStore(), testClock()];
  const [old, first, second] = [
    '',
    forms,
    'tokens: { access: { form: { prefix: t_, length: 30 } }, refresh: { form: { length: 30 } } }',
  ];
  // The store outlives the servers.
  const shared = Object.assign(store, { close: () => undefined });
  const club = await openClub(t, { over: old, store: shared, clock });
  const tokens = await tokensOfLogin(club);
  const others = [];
  let { access_token: last, refresh_token: lastRefresh } = tokens;
  for (const over of [first, second]) {
    const programmes = {
      programmes: { [programme]: shippedProgramme(programme, over) },
      store: shared,
      clock,
    };
    const { client, member } = club;
    const jetway = await startJetway(t, programmes);
    const next: Club = { ...jetway, client, member };
    assert.ok(await passes(next, last));
    const answer = tokensIn(await refresh(next, lastRefresh));
    others.push(answer);
    [last, lastRefresh] = [answer.access_token, answer.refresh_token];
    assert.ok(await passes(next, tokens.access_token));
  }
  assert.match(others[0]?.access_token ?? '', /^eyJ\.a\.[\w-]{40}$/);
  assert.match(others[1]?.access_token ?? '', /^t_\w{30}$/);
});

for (const format of ['opaque', 'jwt']) {
  test(`one live token: a replaced one is told as that, ${format}`, async (t) => {
    const club = await openClub(t, {
      over: `tokens: { access: { format: ${format}, live: one } }`,
    });
    const member = await tokensOfLogin(club);
    const next = tokensIn(await refresh(club, member.refresh_token));
    const service = club.services.get(programme);
    assert.ok(service);
    const now = club.clock.now();
    const found = await findStandingToken(service, member.access_token, now);
    assert.equal(found, 'replaced');
    const cause = await deadToken(service, found, member.access_token, now);
    assert.deepEqual(cause.rule, ['tokens', 'access', 'live']);
    // What proves itself by now, since a key was reloaded meanwhile, is not told as expired.
    const reloaded = await deadToken(service, 'unproven', next.access_token, now);
    assert.doesNotMatch(reloaded.came, /expired 0/);
  });
}

test('where all tokens live, a check looks for no later one', async (t) => {
  const { store, calls } = failingStore();
  const club = await openClub(t, { store });
  const { access_token } = await tokensOfLogin(club);
  calls.length = 0;
  assert.ok(await isLive(club, access_token));
  assert.ok(calls.length > 0);
  assert.ok(!calls.includes('findKept'), calls.join(' '));
});
