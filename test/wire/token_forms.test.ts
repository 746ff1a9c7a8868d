// Owns tokens of a form of their own, and the one live token of an owner, on the wire: what a store alone
// tells, what a broken step costs, and what becomes of tokens when a file changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { deadToken } from '../../src/engine/causes/token.ts';
import { findStandingToken } from '../../src/engine/presented/access_token.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { testClock } from '../support/clock.ts';
import {
  askPartnerToken,
  type Club,
  codeFor,
  invalidCode,
  invalidRefreshToken,
  isLive,
  openClub,
  programme,
  redeem,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { verify } from '../support/gateway.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { post } from '../support/wire.ts';

/** A form with dots, as JWTs have them. */
const forms = `
tokens:
  access: { form: { prefix: eyJ.a., characters: base64url, length: 40 } }
  refresh: { form: { characters: digits, length: 40 } }
revocation: { path: /revoke }
`;

const accessForm = /^eyJ\.a\.[\w-]{40}$/;
const refreshForm = /^\d{40}$/;

async function passes(club: Club, token: string, mode = 'member'): Promise<boolean> {
  const { status } = await verify(club, programme, mode, { token });
  assert.ok(status === 200 || status === 401);
  return status === 200;
}

test('tokens have the form, and do all that others do', async (t) => {
  const club = await openClub(t, { over: forms });
  const first = await tokensOfLogin(club);
  assert.match(first.access_token, accessForm);
  assert.match(first.refresh_token, refreshForm);
  assert.ok(await passes(club, first.access_token));
  const second = tokensIn(await refresh(club, first.refresh_token));
  // G-23: a retry is told the very same tokens, also after a while and beside another retry.
  club.clock.advance(5);
  const again = await Promise.all([1, 2].map(() => refresh(club, first.refresh_token)));
  for (const answer of again) {
    const { access_token, refresh_token } = tokensIn(answer);
    assert.deepEqual([access_token, refresh_token], [second.access_token, second.refresh_token]);
  }
  const own = tokensIn(await askPartnerToken(club)).access_token;
  assert.match(own, accessForm);
  assert.ok(await passes(club, own, 'client'));
  const revoked = { token: second.refresh_token };
  await post(club.url, `/${programme}/revoke`, revoked, { authorization: club.client.basic });
  for (const { access_token: token } of [first, second]) assert.ok(!(await passes(club, token)));
  assert.deepEqual(await refresh(club, second.refresh_token), invalidRefreshToken);
  assert.ok(await passes(club, own, 'client'));
  club.clock.advance(1800);
  assert.ok(!(await passes(club, own, 'client')));
});

test('G-19: reuse of a refresh token of a form ends the login', async (t) => {
  const club = await openClub(t, { over: forms });
  const first = await tokensOfLogin(club);
  const second = tokensIn(await refresh(club, first.refresh_token));
  club.clock.advance(11);
  assert.deepEqual(await refresh(club, first.refresh_token), invalidRefreshToken);
  assert.ok(!(await passes(club, second.access_token)));
});

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

test('what cannot be kept is not told, and spends nothing', async (t) => {
  const { store, fail, heal } = failingStore();
  const club = await openClub(t, { over: forms, store });
  const code = await codeFor(club);
  fail('keepText', new Unavailable('no disk'));
  assert.equal((await redeem(club, code)).status, 503);
  assert.equal((await askPartnerToken(club)).status, 503);
  heal();
  const { refresh_token: token } = tokensIn(await redeem(club, code));
  fail('keepText', new Unavailable('no disk'));
  assert.equal((await refresh(club, token)).status, 503);
  heal();
  // Kept, and then cut off before the login advances: the token is as good as before.
  fail('advanceLogin', new Unavailable('no disk'));
  assert.equal((await refresh(club, token)).status, 503);
  heal();
  const next = tokensIn(await refresh(club, token));
  assert.ok(await passes(club, next.access_token));
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
  assert.match(others[0]?.access_token ?? '', accessForm);
  assert.match(others[1]?.access_token ?? '', /^t_\w{30}$/);
});

test('a refresh token of a form that stays is told as it came', async (t) => {
  const club = await openClub(t, {
    over: [forms, 'tokens: { refresh: { rotation: off, lifetime: 1h } }'],
  });
  const { refresh_token: token } = await tokensOfLogin(club);
  for (let hour = 0; hour < 3; hour += 1) {
    club.clock.advance(3000);
    assert.equal(tokensIn(await refresh(club, token)).refresh_token, token);
  }
  club.clock.advance(3601);
  assert.deepEqual(await refresh(club, token), invalidRefreshToken);
});

for (const format of ['opaque', 'jwt']) {
  test(`one live token: ${format}`, async (t) => {
    const club = await openClub(t, {
      over: `tokens: { access: { format: ${format}, live: one } }`,
    });
    const [own, member] = [await askPartnerToken(club), await tokensOfLogin(club)];
    const another = { ...club, member: await club.addMember({ username: 'bob' }) };
    const bob = await tokensOfLogin(another);
    const [ownToken, memberToken] = [tokensIn(own).access_token, member.access_token];
    const live = async (): Promise<readonly boolean[]> =>
      Promise.all([ownToken, memberToken, bob.access_token].map((token) => isLive(club, token)));
    assert.deepEqual(await live(), [true, true, true]);
    club.clock.advance(1);
    const next = tokensIn(await refresh(club, member.refresh_token));
    assert.deepEqual(await live(), [true, false, true]);
    const service = club.services.get(programme);
    assert.ok(service);
    const found = await findStandingToken(service, memberToken, club.clock.now());
    assert.equal(found, 'replaced');
    const cause = await deadToken(service, found, memberToken, club.clock.now());
    assert.deepEqual(cause.rule, ['tokens', 'access', 'live']);
    // What proves itself by now, since a key was reloaded meanwhile, is not told as expired.
    const reloaded = await deadToken(service, 'unproven', next.access_token, club.clock.now());
    assert.doesNotMatch(reloaded.came, /expired 0/);
    // A retry's token is the same one.
    await refresh(club, member.refresh_token);
    assert.ok(await isLive(club, next.access_token));
    const later = await tokensOfLogin(club);
    assert.deepEqual(
      await Promise.all([next, later].map((one) => isLive(club, one.access_token))),
      [false, true],
    );
    await askPartnerToken(club);
    assert.deepEqual(await live(), [false, false, true]);
    // The login of the ended token goes on.
    tokensIn(await refresh(club, next.refresh_token));
    assert.ok(!(await isLive(club, later.access_token)));
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

test('an ended token does not come back when the one that ended it is over', async (t) => {
  const club = await openClub(t, {
    over: 'tokens: { access: { live: one, lifetime: 1h } }\ngrants: { refresh_token: { access_lifetime: 1m } }',
  });
  const first = await tokensOfLogin(club);
  await refresh(club, first.refresh_token);
  club.clock.advance(120);
  assert.ok(!(await isLive(club, first.access_token)));
});

test('a code that has expired ends no live token', async (t) => {
  const club = await openClub(t, { over: 'tokens: { access: { live: one } }' });
  const late = await codeFor(club);
  club.clock.advance(500);
  const { access_token } = await tokensOfLogin(club);
  assert.deepEqual(await redeem(club, late), invalidCode);
  assert.ok(await isLive(club, access_token));
});

test('a refresh that is cut off before it is written ends no live token', async (t) => {
  const failing = failingStore();
  const club = await openClub(t, {
    over: 'tokens: { access: { live: one } }',
    store: failing.store,
  });
  const tokens = await tokensOfLogin(club);
  club.clock.advance(1);
  failing.fail('advanceLogin', new Unavailable('down'));
  assert.equal((await refresh(club, tokens.refresh_token)).status, 503);
  failing.heal();
  assert.ok(await isLive(club, tokens.access_token));
  tokensIn(await refresh(club, tokens.refresh_token));
  assert.ok(!(await isLive(club, tokens.access_token)));
});
