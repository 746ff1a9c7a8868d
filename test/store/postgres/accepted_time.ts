// Owns a store whose clock was ahead, before and after a time is accepted (FAULTS 33).

import { instant, milliseconds } from '../../../src/lib/clock.ts';
import { digest } from '../../../src/lib/digest.ts';
import type { Store } from '../../../src/store/contract.ts';
import { aClient, aCode, aLogin, at, club, partner, placeAt } from '../fixtures.ts';
import { findLogin } from '../login.ts';

/** A store whose clock was ten minutes ahead: what accepting second 60 is to change. */
export async function beforeAccepted(store: Store): Promise<void> {
  const record = { programme: club, kid: '7', sealedKey: 'sealed', createdAt: at(0) };
  const longestToken = milliseconds(600_000);
  await store.add('token_key', [{ ...record, longestToken, signsFrom: at(500) }]);
  await store.add('client', [aClient({ secrets: [{ digest: digest('s'), createdAt: at(500) }] })]);
  await store.startLogin(aLogin({ place: placeAt(500) }));
  await store.issueCode(aCode({ issuedAt: at(500) }));
  store.recordSecretUse(club, partner, digest('s'), at(500));
  await store.sweep(at(0), 1);
  await store.time(at(600));
}

/** Since when the key signs, since when there is the secret, the end of the login of the clock ahead, the time. */
export async function afterAccepted(store: Store): Promise<readonly unknown[]> {
  const [signing] = await store.list('token_key', club);
  const client = await store.find('client', club, partner);
  const login = await findLogin(store, aLogin({ place: placeAt(500) }));
  const { recorded } = await store.time();
  return [signing?.signsFrom, client?.secrets[0]?.createdAt, login?.endsAt, recorded];
}

const { endsAt } = aLogin();
export const untouched = [at(500), at(500), endsAt, at(600)] as const;
export const setBack = [at(60), at(60), instant(endsAt - 440_000), at(60)] as const;
