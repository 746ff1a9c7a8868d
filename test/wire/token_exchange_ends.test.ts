// HOSTILE 74: an access token that was exchanged (RFC 8693) ends with the token that it came from, by
// whatever that is revoked, in each form of token and for whomever it is.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { tokenExchange } from '../../src/oauth/grant.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { testClock } from '../support/clock.ts';
import {
  askTokens,
  type Club,
  type ClubOptions,
  codeFor,
  isLive,
  openClub,
  partnerTokenOf,
  programme,
  redeem,
  refresh,
  tokensIn,
  tokensOfLogin,
} from '../support/club.ts';
import { failingStore } from '../support/failing_store.ts';
import { managed, revoke } from '../support/gateway.ts';
import { shippedProgramme, startJetway } from '../support/jetway.ts';
import { inTurns } from '../support/nodes.ts';
import { changeClient } from '../support/partner_token.ts';

const minute = 60;
const day = 24 * 60 * minute;

const exchanging = `${managed}
token_endpoints: { grant: { inputs: { subject_token: {} } } }
grants: { token_exchange: { endpoint: grant, role: member, access_lifetime: 20d } }
`;

/** Texts of access tokens: those of logins and those that they are exchanged for. */
const forms: Readonly<Record<string, string>> = {
  opaque: 'tokens: { access: { format: opaque } }',
  jwt: 'tokens: { access: { format: jwt } }',
  'opaque for jwt': 'grants: { token_exchange: { access_format: jwt } }',
  'of a form': 'tokens: { access: { form: { characters: base64url, length: 40 } } }',
};

async function open(t: TestContext, over: string, more: ClubOptions = {}): Promise<Club> {
  const club = await openClub(t, { ...more, over: [exchanging, over] });
  await changeClient(club, () => ({ roles: ['member', 'partner'] }));
  return club;
}

async function exchanged(club: Club, token: string): Promise<string> {
  club.clock.advance(1);
  const answer = await askTokens(club, { grant_type: tokenExchange, subject_token: token });
  return tokensIn(answer).access_token;
}

/** So many tokens, each exchanged from the one before it. */
async function chain(club: Club, first: string, length: number): Promise<readonly string[]> {
  const all = [first];
  while (all.length < length) all.push(await exchanged(club, all.at(-1) ?? ''));
  return all;
}

const liveOf = (club: Club, tokens: readonly string[]): Promise<readonly boolean[]> =>
  Promise.all(tokens.map((token) => isLive(club, token)));

const end = (club: Club, token: string): Promise<void> =>
  revoke(club, programme, club.client.basic, token).then(({ status }) => assert.equal(status, 200));

/** Whose tokens they are. */
const owners: Readonly<Record<string, (club: Club) => Promise<string>>> = {
  'of a login': async (club) => (await tokensOfLogin(club)).access_token,
  'a client’s own': (club) => partnerTokenOf(club),
};

for (const [form, over] of Object.entries(forms)) {
  for (const [owner, first] of Object.entries(owners)) {
    describe(`HOSTILE 74: tokens that were exchanged, ${form}, ${owner}`, () => {
      test('end with each that they came from, and no other does', async (t) => {
        const club = await open(t, over);
        const [one, other] = [await chain(club, await first(club), 4), await first(club)];
        const beside = await exchanged(club, one[0] ?? '');
        const aside = await exchanged(club, other);
        await end(club, one[2] ?? '');
        assert.deepEqual(await liveOf(club, [...one, beside]), [true, true, false, false, true]);
        await end(club, one[0] ?? '');
        assert.deepEqual(await liveOf(club, [...one, beside]), [false, false, false, false, false]);
        assert.deepEqual(await liveOf(club, [other, aside]), [true, true]);
      });

      test('end with it after its own time, and stay ended', async (t) => {
        const club = await open(t, over);
        const early = await chain(club, await first(club), 3);
        const late = await chain(club, await first(club), 3);
        await end(club, early[0] ?? '');
        club.clock.advance(day);
        assert.deepEqual(await liveOf(club, late), [false, true, true]);
        await end(club, late[0] ?? '');
        for (const days of [1, 8, 8]) {
          club.clock.advance(days * day);
          for (let calls = 0; calls < 12; calls += 1) {
            await club.store.sweep(club.clock.now(), 50);
          }
          const still = [...early, ...late];
          assert.deepEqual(
            await liveOf(club, still),
            still.map(() => false),
          );
        }
      });

      test('of a long chain end with each, and none that was before its fourth', async (t) => {
        const club = await open(t, over);
        const all = await chain(club, await first(club), 9);
        assert.equal((await liveOf(club, all)).every(Boolean), true);
        // It has no growing token: the last ones tell as much as the fifth.
        assert.equal(all[8]?.length, all[5]?.length);
        await end(club, all[6] ?? '');
        const left = [true, true, true, true, false, false, false, false, false];
        assert.deepEqual(await liveOf(club, all), left);
      });

      test('are left alone by another client', async (t) => {
        const club = await open(t, over);
        const all = await chain(club, await first(club), 2);
        const { basic } = await club.addClient({ id: 'partnerapi-54321' });
        await revoke(club, programme, basic, all[0] ?? '');
        assert.deepEqual(await liveOf(club, all), [true, true]);
      });

      test('end with it where a reload has turned exchanges off', async (t) => {
        const [store, clock] = [openMemoryStore(), testClock()];
        const club = await open(t, over, { store, clock });
        const all = await chain(club, await first(club), 2);
        // Without a JWT in the file no JWT is verified.
        const rest = form === 'opaque for jwt' ? forms['jwt'] : over;
        const file = shippedProgramme(programme, managed, rest ?? '');
        const { url } = await startJetway(t, { programmes: { [programme]: file }, store, clock });
        const later = { ...club, url };
        assert.deepEqual(await liveOf(later, all), [true, true]);
        await end(later, all[0] ?? '');
        assert.deepEqual(await liveOf(later, all), [false, false]);
      });
    });
  }
}

describe('HOSTILE 74: with a login end the tokens that were exchanged from its own', () => {
  const ways: Readonly<
    Record<string, (club: Club, code: string, token: string) => Promise<unknown>>
  > = {
    'its refresh token is revoked': (club, _, token) => end(club, token),
    'its code is replayed': (club, code) => redeem(club, code),
    'a refresh token is used twice': async (club, _, token) => {
      const next = tokensIn(await refresh(club, token));
      tokensIn(await refresh(club, next.refresh_token));
      return refresh(club, token);
    },
    'all of its client are revoked': ({ store, client }) =>
      store.revoke(programme, { client: client.id as never }),
    'all of its member are revoked': ({ store, member }) =>
      store.revoke(programme, { subject: member.subject }),
  };
  for (const [way, act] of Object.entries(ways)) {
    test(way, async (t) => {
      const club = await open(t, '');
      const code = await codeFor(club);
      const tokens = tokensIn(await redeem(club, code));
      const all = await chain(club, tokens.access_token, 3);
      await act(club, code, tokens.refresh_token);
      assert.deepEqual(await liveOf(club, all), [false, false, false]);
    });
  }
});

for (const [owner, first] of Object.entries(owners)) {
  test(`HOSTILE 74: live: one leaves the last of a chain, which ends with each before it, ${owner}`, async (t) => {
    const one = 'tokens: { access: { live: one } }';
    for (const index of [0, 1, 2]) {
      const club = await open(t, one);
      const all = await chain(club, await first(club), 3);
      assert.deepEqual(await liveOf(club, all), [false, false, true]);
      await end(club, all[index] ?? '');
      assert.deepEqual(await liveOf(club, all), [false, false, false]);
    }
  });
}

test('HOSTILE 74: what a thief has exchanged without credentials ends with what he stole', async (t) => {
  const alone = 'client: { authentication: { methods: [basic, token] } }';
  const club = await open(t, alone);
  const { access_token: stolen, refresh_token: kept } = await tokensOfLogin(club);
  const all = [stolen];
  for (let times = 0; times < 6; times += 1) {
    club.clock.advance(1);
    const asked = { grant_type: tokenExchange, subject_token: all.at(-1) ?? '' };
    all.push(tokensIn(await askTokens(club, asked, {})).access_token);
  }
  await end(club, stolen);
  assert.deepEqual(
    await liveOf(club, all),
    all.map(() => false),
  );
  // The login itself goes on.
  assert.equal(await isLive(club, tokensIn(await refresh(club, kept)).access_token), true);
});

test('20 exchanges at once all succeed, and write the login once', async (t) => {
  const failing = failingStore();
  const club = await openClub(t, { over: exchanging, store: failing.store });
  const { access_token: token } = await tokensOfLogin(club);
  const tokens = await inTurns([club], 20, () => exchanged(club, token));
  assert.ok((await liveOf(club, tokens)).every(Boolean));
  failing.calls.length = 0;
  await exchanged(club, token);
  assert.deepEqual(
    failing.calls.filter((verb) => verb === 'advanceLogin'),
    [],
  );
});
