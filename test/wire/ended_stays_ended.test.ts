// HOSTILE 74: what has ended stays ended, whatever a reload sets; over one store, a clock, and files that
// replace each other.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { after, milliseconds } from '../../src/lib/clock.ts';
import { Unavailable } from '../../src/oauth/failure.ts';
import { jwtBearer } from '../../src/oauth/grant.ts';
import { assertionType } from '../../src/programme/requests/presented_credentials.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { registered, signJwt, testKey } from '../support/assertions.ts';
import {
  askPartnerToken,
  askTokens,
  type Club,
  codeFor,
  invalidCode,
  isLive,
  openClub,
  partnerTokenOf,
  programme,
  redeem,
  refresh,
  tokensIn,
  type Tokens,
  tokensOfLogin,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { openNodes } from '../support/nodes.ts';

/** A club and its successors on its store, each with another file. */
async function openReloading(
  t: TestContext,
  over: string,
  store = openMemoryStore(),
): Promise<{ readonly club: Club; readonly reload: (over: string) => Promise<Club> }> {
  // The store outlives the servers.
  const shared = Object.assign(store, { close: async () => Promise.resolve() });
  const club = await openClub(t, { over, store: shared });
  const reload = async (next: string): Promise<Club> => {
    const programmes = { [programme]: shippedProgramme(programme, next) };
    const jetway = await startJetway(t, { programmes, store: shared, clock: club.clock });
    return { ...jetway, client: club.client, member: club.member };
  };
  return { club, reload };
}

const access = (more: string): string => `tokens: { access: { ${more} } }`;

for (const format of ['opaque', 'jwt']) {
  const one = (more = ''): string => access(`format: ${format}, live: one${more}`);
  const any = (more = ''): string => access(`format: ${format}${more}`);

  test(`HOSTILE 74: a token that another has ended does not come back, ${format}`, async (t) => {
    const { club, reload } = await openReloading(t, one(', lifetime: 2h'));
    const [first, own] = [await tokensOfLogin(club), await partnerTokenOf(club)];
    club.clock.advance(2);
    const [second, later] = [await tokensOfLogin(club), await partnerTokenOf(club)];
    const held = [first.access_token, own, second.access_token, later];
    const files = [one(', lifetime: 1m'), any(), any(', lifetime: 1m'), one(', lifetime: 3h')];
    for (const file of files) {
      const next = await reload(file);
      const live = await Promise.all(held.map((token) => isLive(next, token)));
      assert.deepEqual(live, [false, false, true, true], file);
      club.clock.advance(60);
    }
    const another = await reload(
      access(`live: one, format: ${format === 'jwt' ? 'opaque' : 'jwt'}`),
    );
    await tokensOfLogin(another);
    for (const file of [any(), one(', lifetime: 1m')]) {
      const last = await reload(file);
      const live = await Promise.all(held.map((token) => isLive(last, token)));
      assert.deepEqual(live, [false, false, false, true], file);
    }
  });

  test(`HOSTILE 74: tokens of a time without live: one end all the same, ${format}`, async (t) => {
    const { club, reload } = await openReloading(t, any(', lifetime: 2h'));
    const before = [await tokensOfLogin(club), await tokensOfLogin(club)];
    club.clock.advance(2);
    const strict = await reload(one(', lifetime: 1m'));
    const isGood = async (at: Club, tokens: readonly { readonly access_token: string }[]) =>
      Promise.all(tokens.map(({ access_token: token }) => isLive(at, token)));
    assert.deepEqual(await isGood(strict, before), [true, true]);
    const marked = await tokensOfLogin(strict);
    assert.deepEqual(await isGood(strict, [...before, marked]), [false, false, true]);
    club.clock.advance(120);
    // Longer than the shorter lifetime: the older tokens would live on.
    for (const file of [one(), any()]) {
      assert.deepEqual(await isGood(await reload(file), before), [false, false], file);
    }
    const loose = await reload(any());
    const since = [await tokensOfLogin(loose), await tokensOfLogin(loose)];
    assert.deepEqual(await isGood(loose, [...before, ...since]), [false, false, true, true]);
    // Nothing has ended these: a file alone does not.
    assert.deepEqual(await isGood(await reload(one()), [...before, ...since]), [
      false,
      false,
      true,
      true,
    ]);
  });
}

for (const seconds of [2, 90]) {
  test(`HOSTILE 74: a retry after ${seconds} s ends no later login, nor comes back`, async (t) => {
    const over = `tokens: { access: { live: one }, refresh: { grace: 10m } }`;
    const { club } = await openReloading(t, over);
    const first = await tokensOfLogin(club);
    club.clock.advance(1);
    const second = tokensIn(await refresh(club, first.refresh_token));
    club.clock.advance(1);
    const later = await tokensOfLogin(club);
    club.clock.advance(seconds);
    const again = tokensIn(await refresh(club, first.refresh_token));
    assert.equal(again.refresh_token, second.refresh_token);
    const live = [second, again, later].map((one) => isLive(club, one.access_token));
    assert.deepEqual(await Promise.all(live), [false, false, true]);
    // The login goes on, and what it is told next is the live one.
    const next = tokensIn(await refresh(club, again.refresh_token));
    const afterwards = [later, next].map((one) => isLive(club, one.access_token));
    assert.deepEqual(await Promise.all(afterwards), [false, true]);
  });
}

test('HOSTILE 74: a later retry of the last login is told a token that is live', async (t) => {
  const over = `tokens: { access: { live: one }, refresh: { grace: 10m } }`;
  const { club } = await openReloading(t, over);
  const first = await tokensOfLogin(club);
  club.clock.advance(1);
  await refresh(club, first.refresh_token);
  for (let tries = 0; tries < 3; tries += 1) {
    club.clock.advance(90);
    const { access_token: token } = tokensIn(await refresh(club, first.refresh_token));
    assert.equal(await isLive(club, token), true);
  }
});

test('HOSTILE 74: a refresh that was cut off becomes live by its retry', async (t) => {
  const failing = failingStore();
  const { club } = await openReloading(t, access('live: one'), failing.store);
  const first = await tokensOfLogin(club);
  club.clock.advance(1);
  failing.fail('keepText', new Unavailable('down'));
  assert.equal((await refresh(club, first.refresh_token)).status, 503);
  failing.heal();
  const second = tokensIn(await refresh(club, first.refresh_token));
  const live = [first, second].map((one) => isLive(club, one.access_token));
  assert.deepEqual(await Promise.all(live), [false, true]);
});

test('HOSTILE 74: a retry in another format ends no token, and brings none back', async (t) => {
  const { club, reload } = await openReloading(t, access('live: one'));
  const first = await tokensOfLogin(club);
  club.clock.advance(1);
  const second = tokensIn(await refresh(club, first.refresh_token));
  const next = await reload(access('live: one, format: jwt'));
  const again = tokensIn(await refresh(next, first.refresh_token));
  const live = [first, second, again].map((one) => isLive(next, one.access_token));
  assert.deepEqual(await Promise.all(live), [false, true, false]);
  const third = tokensIn(await refresh(next, again.refresh_token));
  const afterwards = [second, again, third].map((one) => isLive(next, one.access_token));
  assert.deepEqual(await Promise.all(afterwards), [false, false, true]);
});

test('HOSTILE 74: of simultaneous refreshes and logins at several nodes one token is live', async (t) => {
  const { club, another } = await openNodes(t, access('live: one'));
  const nodes = [club, await another(), await another()];
  // One after another: parallel passwords of one member count as guesses.
  const logins: Tokens[] = [];
  for (let n = 0; n < 6; n += 1) logins.push(await tokensOfLogin(nodes[n % 3] ?? club));
  const codes = [await codeFor(club), await codeFor(club), await codeFor(club)];
  club.clock.advance(1);
  const told = await Promise.all([
    ...logins.map(async (one, n) => refresh(nodes[n % 3] ?? club, one.refresh_token)),
    ...codes.map(async (code, n) => redeem(nodes[n] ?? club, code)),
  ]);
  const tokens = [...logins, ...told.map(tokensIn)].map((one) => one.access_token);
  for (const node of nodes) {
    const live = await Promise.all(tokens.map((token) => isLive(node, token)));
    assert.equal(live.filter(Boolean).length, 1);
    assert.ok(live.indexOf(true) >= logins.length);
  }
});

test('HOSTILE 74: a programme that never had live: one asks for no live token', async (t) => {
  const failing = failingStore();
  const { club } = await openReloading(t, '', failing.store);
  // Once, whether it ever had.
  assert.equal(failing.calls.splice(0).includes('findKept'), true);
  const { access_token: token } = await tokensOfLogin(club);
  await askPartnerToken(club);
  assert.equal(await isLive(club, token), true);
  const asked = failing.calls.filter((name) => name === 'keepText' || name === 'findKept');
  assert.deepEqual(asked, []);
});

test('FAULTS 4, 11: that it had live: one is written once, and no clock ahead forgets it', async (t) => {
  const failing = failingStore();
  const { club, reload } = await openReloading(t, access('live: one'), failing.store);
  const tenYears = milliseconds(10 * 366 * 86_400_000);
  await failing.store.sweep(after(club.clock.now(), tenYears), 100);
  failing.fail('keepText', new Unavailable('full'));
  failing.calls.length = 0;
  await reload(access('live: one, lifetime: 5m'));
  const later = await reload(access('live: any'));
  assert.ok(!failing.calls.includes('keepText'));
  assert.equal(later.services.get(programme)?.hasEndedTokens, true);
});

test('HOSTILE 74: a used assertion is not good again once the tolerance is raised', async (t) => {
  const file = (tolerance: string, longest = '1h'): string => `
client: { authentication: { methods: [basic, private_key_jwt], assertion: { tolerance: ${tolerance}, longest: ${longest} } } }
token_endpoints: { grant: { inputs: { assertion: {}, client_assertion: {}, client_assertion_type: {} } } }
grants: { jwt_bearer: { endpoint: grant, role: partner, subject: [client] } }
`;
  const { club, reload } = await openReloading(t, file('5s', '5m'));
  const key = testKey();
  const id = 'partnerapi-77777';
  await club.addClient({ id, more: { secrets: [], assertionKeys: { keys: registered(key) } } });
  const exp = Math.floor(club.clock.now() / 1000) + 60;
  const claims = { iss: id, sub: id, aud: 'https://tokens.example/executive-club', exp };
  const ask = async (at: Club, jti: string, isGrant: boolean): Promise<number> => {
    const assertion = signJwt(key, { ...claims, jti });
    const authentication = { client_assertion_type: assertionType, client_assertion: assertion };
    const fields = isGrant
      ? { grant_type: jwtBearer, assertion }
      : { grant_type: 'client_credentials', ...authentication };
    return (await askTokens(at, fields, {})).status;
  };
  for (const isGrant of [false, true]) {
    assert.equal(await ask(club, `used ${isGrant}`, isGrant), 200);
  }
  // Past its end by the file that took it.
  club.clock.advance(66);
  for (let sweeps = 0; sweeps < 30; sweeps += 1) await club.store.sweep(club.clock.now(), 100);
  const later = await reload(file('10m'));
  for (const isGrant of [false, true]) {
    assert.notEqual(await ask(later, `used ${isGrant}`, isGrant), 200);
    assert.equal(await ask(later, `unused ${isGrant}`, isGrant), 200);
  }
});

test('HOSTILE 74: a code that was spent or has expired is no good by a longer lifetime', async (t) => {
  const { club, reload } = await openReloading(t, 'code: { lifetime: 10s }');
  const [spent, late] = [await codeFor(club), await codeFor(club)];
  tokensIn(await redeem(club, spent));
  club.clock.advance(11);
  assert.deepEqual(await redeem(club, late), invalidCode);
  for (let sweeps = 0; sweeps < 30; sweeps += 1) await club.store.sweep(club.clock.now(), 100);
  const next = await reload('code: { lifetime: 120s }');
  assert.deepEqual(await redeem(next, late), invalidCode);
  assert.deepEqual(await redeem(next, spent), invalidCode);
});
