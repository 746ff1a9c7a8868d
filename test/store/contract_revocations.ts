// Owns the contract of revoking all of an owner's tokens, and of whether unremembered tokens stand.

import assert from 'node:assert/strict';

import type { Store } from '../../src/store/contract.ts';
import type { TokenOwner } from '../../src/store/grants.ts';
import {
  aCode,
  aFamily,
  anAccessToken,
  aPartnerToken,
  aRefreshToken,
  aRotation,
  at,
  club,
  familyId,
  inParallel,
  key,
  otherClub,
  otherPartner,
  partner,
  tally,
} from './fixtures.ts';
import { findAccess, findCode, findRefresh, isRevoked, login } from './login.ts';
import type { StoreTest } from './with_store.ts';

const byClient: TokenOwner = { client: partner };
const bySubject: TokenOwner = { subject: 'subject-1' };

export function revocationTests(check: StoreTest): void {
  reachTests(check);
  clockTests(check);
  limitTests(check);
  standingTests(check);
}

/** What is left of the login and the unspent code, each told by its name. */
async function living(store: Store, seconds: number): Promise<string[]> {
  const now = at(seconds);
  const refresh = await store.findRefreshToken(club, key('r1'), now);
  const found: readonly (readonly [string, unknown])[] = [
    ['unspent', await store.findCode(club, key('unspent'), now)],
    ['access', await store.findAccessToken(club, key('access'), now)],
    ['refresh', refresh?.revoked === false ? refresh : undefined],
    ['partner', await store.findAccessToken(club, key('partner'), now)],
  ];
  return found.flatMap(([name, value]) => (value === undefined ? [] : name));
}

async function setUp(store: Store): Promise<void> {
  await login(store);
  await store.issueCode(aCode({ key: key('unspent'), transaction: 'login-2' }));
  await store.saveAccessToken(aPartnerToken('partner'));
}

function reachTests(check: StoreTest): void {
  const cases = [
    { name: 'a client’s', whose: byClient, left: [] },
    { name: 'a member’s', whose: bySubject, left: ['partner'] },
  ];
  for (const { name, whose, left } of cases) {
    check(`DESIGN: ${name} tokens die at once, and stay dead`, async ({ store, reopened }) => {
      await setUp(store);
      assert.deepEqual(await living(store, 5), ['unspent', 'access', 'refresh', 'partner']);
      await store.revokeAll(club, whose);
      const later = await reopened();
      assert.deepEqual(await living(later, 5), left);
      const rotation = aRotation('r1', 'r2', { now: at(6) });
      assert.deepEqual(await later.rotateRefreshToken(rotation), { outcome: 'unknown' });
      const family = aFamily({ id: familyId('late'), createdAt: at(6) });
      const spent = await later.spendCode(club, partner, key('unspent'), { family }, at(6));
      assert.deepEqual(spent, { outcome: 'unknown' });
      // A late token of a dead family is dead, whenever it says it was issued.
      await later.saveAccessToken(anAccessToken('late', { issuedAt: at(7) }));
      assert.equal(await findAccess(later, 'late', 8), undefined);
    });
  }

  check('DESIGN: a token issued after the revocation stands', async ({ store }) => {
    await setUp(store);
    await store.revokeAll(club, byClient);
    await store.revokeAll(club, bySubject);
    const times = { issuedAt: at(5.001), expiresAt: at(125) };
    await store.issueCode(aCode({ key: key('new'), transaction: 'login-3', ...times }));
    const family = aFamily({ id: familyId('new'), createdAt: at(5.001) });
    const access = anAccessToken('new access', { family: family.id, issuedAt: at(5.001) });
    const bought = { family, access, refresh: aRefreshToken('new refresh') };
    const spent = await store.spendCode(club, partner, key('new'), bought, at(5.001));
    assert.deepEqual(spent, { outcome: 'spent' });
    assert.ok(await findAccess(store, 'new access', 6));
    const rotation = aRotation('new refresh', 'next', { access, now: at(6), retryUntil: at(16) });
    const { access: _access, ...bare } = rotation;
    assert.deepEqual(await store.rotateRefreshToken(bare), { outcome: 'rotated' });
    // But for what began before: a code's login, and a grant.
    const era = await store.era();
    await store.revokeAll(club, byClient);
    await store.issueCode(aCode({ key: key('late'), transaction: 'login-4', era }));
    assert.equal(await findCode(store, 'late', 6), undefined);
    await store.saveAccessToken(aPartnerToken('late'), era);
    assert.equal(await findAccess(store, 'late', 6), undefined);
    const late = aFamily({ id: familyId('late') });
    const refresh = aRefreshToken('late refresh');
    await store.startFamily({ family: late, refresh, era });
    assert.equal((await findRefresh(store, 'late refresh', 6))?.revoked, true);
  });

  check('HOSTILE 29: a spend beside the revocation leaves nothing alive', async ({ store }) => {
    await inParallel(20, (n) =>
      store.issueCode(aCode({ key: key(`code ${n}`), transaction: `login ${n}` })),
    );
    const tries = inParallel(20, async (n) => {
      if (n === 10) await store.revokeAll(club, byClient);
      const family = aFamily({ id: familyId(`family ${n}`), createdAt: at(1) });
      const refresh = aRefreshToken(`refresh ${n}`);
      return store.spendCode(club, partner, key(`code ${n}`), { family, refresh }, at(1));
    });
    assert.deepEqual(Object.keys(tally(await tries)).toSorted(), ['spent', 'unknown']);
    const left = await inParallel(20, (n) => findRefresh(store, `refresh ${n}`, 2));
    assert.ok(left.every((state) => state === undefined || state.revoked));
  });
}

/** Seconds by which clocks are apart. */
const apart = [600, 3600, 315_360_000].flatMap((span) => [span, -span]);

function clockTests(check: StoreTest): void {
  for (const span of apart) {
    const name = `FAULTS 28: what is revoked and what stands is told apart ${span} s away`;
    check(name, async ({ store, elsewhere }) => {
      const other = await elsewhere();
      const own = { client: partner, subject: `client:${partner}` };
      // A clock that is `span` away issues all that is revoked, another one all that comes after.
      const times = { issuedAt: at(span), expiresAt: at(span + 1800) };
      await login(store, { createdAt: at(span), endsAt: at(span + 86_400) });
      await store.saveAccessToken(aPartnerToken('before', times));
      const jwt = { ...own, issuedAt: at(span), era: await store.era() };
      await other.revokeAll(club, byClient);
      assert.equal(await findAccess(store, 'before', span), undefined);
      for (const one of [store, other]) {
        assert.notEqual((await findRefresh(one, 'r1', span))?.revoked, false);
        assert.equal(await one.isStanding(club, jwt), false);
      }
      await other.saveAccessToken(aPartnerToken('after'));
      const next = { ...own, issuedAt: at(0), era: await other.era() };
      for (const one of [store, other]) {
        assert.ok(await findAccess(one, 'after', 1));
        assert.equal(await one.isStanding(club, next), true);
      }
    });
  }

  for (const seconds of [-3600, 10, 3600]) {
    check(`FAULTS 29: revoked stays revoked at a clock set to ${seconds} s`, async (o) => {
      const { store } = o;
      const jwt = { client: partner, subject: `client:${partner}`, issuedAt: at(5) };
      const revoked = { ...jwt, era: await store.era() };
      const single = { ...jwt, client: otherPartner, subject: 'client:other', tokenId: 'jti-1' };
      await setUp(store);
      await store.revokeAll(club, byClient);
      await store.revokeToken(club, { tokenId: 'jti-1', expiresAt: at(86_400) }, at(6));
      await store.acceptTime(at(seconds));
      const later = await o.reopened();
      assert.deepEqual(await living(later, 7), []);
      assert.equal(await later.isStanding(club, revoked), false);
      assert.equal(await later.isStanding(club, { ...single, era: revoked.era }), false);
      // And nothing of the time that was left is revoked which comes after.
      const fresh = { ...jwt, issuedAt: at(seconds), era: await later.era() };
      assert.equal(await later.isStanding(club, fresh), true);
      await later.saveAccessToken(
        aPartnerToken('fresh', { issuedAt: at(seconds), expiresAt: at(seconds + 60) }),
      );
      assert.ok(await findAccess(later, 'fresh', seconds));
    });
  }

  check('FAULTS 29: a revocation that was forgotten does not come back', async (o) => {
    const { store } = o;
    const era = await store.era();
    const jwt = { client: partner, subject: `client:${partner}`, issuedAt: at(0), era };
    const ended = { tokenId: 'jti-1', expiresAt: at(1800) };
    await store.revokeToken(club, ended, at(1));
    for (let n = 0; n < 12; n += 1) await store.sweep(at(86_400), 100);
    await store.acceptTime(at(10));
    const later = await o.reopened();
    assert.equal(await later.isStanding(club, { ...jwt, ...ended }), false);
    const other = { ...jwt, tokenId: 'jti-2', expiresAt: at(1801) };
    assert.equal(await later.isStanding(club, other), true);
  });

  check('FAULTS 11: tokens of a clock ahead end when it is set right', async ({ store }) => {
    await login(store);
    const ahead = { issuedAt: at(600), expiresAt: at(2400) };
    await store.saveAccessToken(aPartnerToken('own'));
    await store.saveAccessToken(aPartnerToken('ahead', ahead));
    await store.issueCode(aCode({ key: key('ahead'), transaction: 'ahead', ...ahead }));
    const era = await store.era();
    const jwt = { client: partner, subject: `client:${partner}`, issuedAt: at(60), era };
    await store.recordTime(at(600));
    await store.acceptTime(at(60));
    assert.equal((await store.time()).recorded, at(60));
    assert.equal(await findAccess(store, 'ahead', 700), undefined);
    assert.equal(await findCode(store, 'ahead', 700), undefined);
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(600) }), false);
    const now = await store.era();
    assert.equal(await store.isStanding(club, { ...jwt, issuedAt: at(600), era: now }), true);
    // What was live lives on.
    assert.ok(await findAccess(store, 'own', 61));
    assert.equal(await store.isStanding(club, jwt), true);
    assert.equal(await isRevoked(store), false);
  });
}

function limitTests(check: StoreTest): void {
  check('C-2: a revocation reaches one owner in one programme', async ({ store }) => {
    await setUp(store);
    await store.revokeAll(otherClub, byClient);
    await store.revokeAll(otherClub, bySubject);
    await store.revokeAll(club, { client: otherPartner });
    await store.revokeAll(club, { subject: 'subject-2' });
    // Neither a client named like a member nor a partner's own subject is that member.
    await store.revokeAll(club, { subject: partner });
    await store.revokeAll(club, { subject: `client:${partner}` });
    assert.deepEqual(await living(store, 5), ['unspent', 'access', 'refresh', 'partner']);
    assert.equal(await isRevoked(store), false);
  });

  check('G-2: a code that was spent before is still a replay', async ({ store }) => {
    await setUp(store);
    await store.revokeAll(club, byClient);
    assert.ok(await findCode(store, 'code', 6));
    const bought = { family: aFamily({ id: familyId('again') }) };
    const replay = await store.spendCode(club, partner, key('code'), bought, at(6));
    assert.deepEqual(replay, { outcome: 'replayed', family: 'family' });
    assert.equal(await store.issueCode(aCode({ key: key('second') })), 'already_spent');
  });
}

function standingTests(check: StoreTest): void {
  const token = { client: partner, subject: 'subject-1', issuedAt: at(1) };
  const family = familyId('family');

  check('HOSTILE 29: a JWT stands as long as its family does', async ({ store }) => {
    assert.equal(await store.isStanding(club, { ...token, family }), false);
    await login(store);
    assert.equal(await store.isStanding(club, { ...token, family }), true);
    assert.equal(await store.isStanding(otherClub, { ...token, family }), false);
    await store.revokeFamily(club, family, at(2));
    assert.equal(await store.isStanding(club, { ...token, family }), false);
  });

  check('DESIGN: a JWT dies with all of its owner’s tokens', async ({ store }) => {
    await login(store);
    assert.equal(await store.isStanding(club, token), true);
    await store.revokeAll(club, bySubject);
    // One from before there were eras, at whatever time it says that it was issued.
    assert.equal(await store.isStanding(club, token), false);
    assert.equal(await store.isStanding(club, { ...token, issuedAt: at(6) }), false);
    // Its family is older, whatever it says of itself.
    assert.equal(await store.isStanding(club, { ...token, family, era: await store.era() }), false);
    const own = { client: partner, subject: `client:${partner}`, issuedAt: at(1) };
    assert.equal(await store.isStanding(club, own), true);
    await store.revokeAll(club, byClient);
    assert.equal(await store.isStanding(club, own), false);
    assert.equal(await store.isStanding(otherClub, own), true);
  });
}
