// Owns what a store is filled with for tests of its care: something of everything.

import assert from 'node:assert/strict';

import { after, instant, type Instant, milliseconds } from '../../src/lib/clock.ts';
import { digest } from '../../src/lib/digest.ts';
import type { Era } from '../../src/oauth/grant.ts';
import type { TokenKeyRecord } from '../../src/oauth/signing_key.ts';
import type { Store } from '../../src/store/contract.ts';
import type { KeptText } from '../../src/store/kept_texts.ts';
import type { StoreSite } from '../../src/store/open.ts';
import {
  aClient,
  aCode,
  aMember,
  addSigningKey,
  aSigningKey,
  at,
  club,
  key,
  loginNamed,
  otherPartner,
  partner,
} from './fixtures.ts';
import { login } from './login.ts';

const tokenKey: TokenKeyRecord = {
  programme: club,
  kid: '7',
  sealedKey: 'sealed',
  createdAt: at(0),
  signsFrom: at(0),
  longestToken: milliseconds(600_000),
};

const aKeptText: KeptText = {
  programme: club,
  use: 'live_token',
  key: digest('owner'),
  text: 'the live one',
  until: at(600),
};

/** Something of everything. */
export async function fill(store: Store): Promise<void> {
  await store.ensureKeyCheck('the key check', () => true);
  await store.add('client', [aClient(), aClient({ id: otherPartner })]);
  await store.remove('client', club, otherPartner, at(0));
  await store.add('member', [aMember()]);
  await addSigningKey(store, aSigningKey('kid'));
  await store.changeAll('token_key', { programme: club }, () => [tokenKey]);
  await login(store);
  await store.issueCode(aCode({ key: key('unspent'), transaction: 'login-2' }));
  await store.startLogin(loginNamed('another'));
  await store.revoke(club, { tokenId: 'revoked', expiresAt: at(600) }, at(1));
  await store.keepText(aKeptText, at(1));
  await store.time(at(50));
}

/**
 * RFC 7523 3: whatever was used before a restore may have been lost with it.
 * @param before by the store's time, not later than the restore
 */
export async function expectNoUsedAssertion(
  store: Store,
  before: Instant = instant(Date.now()),
): Promise<void> {
  const keep = (jti: string, issuedAt: Instant) =>
    store.keepText(
      {
        programme: club,
        use: 'assertion',
        key: digest(jti),
        text: '',
        issuedAt,
        until: after(issuedAt, milliseconds(300_000)),
      },
      instant(Date.now()),
    );
  assert.equal(await keep('before', before), false);
  assert.equal(await keep('after', instant(Date.now() + 120_000)), true);
  const { programme, use, key: owner } = aKeptText;
  assert.equal(await store.findKept(programme, use, owner, at(2)), undefined);
}

/** Opens the store of a place for a while. */
export async function using<Result>(
  site: StoreSite,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await site.open({ environment: 'staging' });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A client's own token of an era of before is void, however many eras follow; one of now is not. */
export async function expectVoid(store: Store, era: Era): Promise<void> {
  for (const subject of ['one', 'other', 'third']) await store.revoke(club, { subject });
  const own = { client: partner, era, issuedAt: at(1) };
  const question = { tokenId: 'own', expiresAt: at(600), own };
  assert.equal(await store.isStanding(club, question), false);
  const next = { ...own, era: await store.era() };
  assert.equal(await store.isStanding(club, { ...question, own: next }), true);
}
