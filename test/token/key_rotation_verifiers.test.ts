// FAULTS 24: a verifier that keeps the key set as long as it may verifies every token there is, all
// through two rotations and what is retired after them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';

import { rotateKeys, retireKeys } from '../../src/cli/keys/changes.ts';
import type { KeyLine } from '../../src/cli/keys/programmes.ts';
import { instant, type Instant, milliseconds } from '../../src/lib/clock.ts';
import type { SigningAlgorithm } from '../../src/oauth/signing_key.ts';
import type { Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { accessTokenType, jwtSigner, type TokenClaims } from '../../src/token/jwt.ts';
import { openKeyChest } from '../../src/token/key_chest.ts';
import { shortestWait } from '../../src/token/key_rules.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { at, club } from '../store/fixtures.ts';
import { openClub, paths } from '../support/club.ts';
import { ask } from '../support/wire.ts';

const keyring = createKeyring(new Uint8Array(32).fill(7));
const tokenLife = 600;
const cacheLife = 300;
const step = 30;

interface Simulation {
  readonly store: Store;
  /** What an operator does, by the second it is done in. */
  readonly acts: ReadonlyMap<number, (now: Instant) => Promise<unknown>>;
  readonly until: number;
  readonly algorithm?: SigningAlgorithm;
}

/** Whoever fetched the key set `age` seconds ago, for each age at which a cache may be. */
const ages = [0, 30, 150, 270, cacheLife];

interface Issued {
  readonly token: string;
  readonly at: number;
}

/** Issues a token each step and verifies all that live, as caches of every age; tells what failed. */
async function failures({
  store,
  acts,
  until,
  algorithm = 'ES256',
}: Simulation): Promise<string[]> {
  let second = 0;
  const clock = { now: (): Instant => at(second) };
  const chest = await openKeyChest({ programme: club, algorithm, records: store, keyring, clock });
  const sign = jwtSigner(chest.signer, accessTokenType);
  const published = new Map<number, string>();
  const failed: string[] = [];
  let living: Issued[] = [];
  for (; second <= until; second += step) {
    // A server follows within a second, a step at most: here it takes the whole step.
    await chest.reload();
    await acts.get(second)?.(clock.now());
    published.set(second, chest.keySet());
    const token = await sign(clock.now(), claimsAt(clock.now()));
    living = [...living.filter((one) => one.at + tokenLife > second), { token, at: second }];
    for (const age of ages) {
      const keySet = published.get(Math.max(0, second - age)) ?? '{"keys":[]}';
      for (const one of living) {
        if (!(await verifies(one.token, keySet, clock.now()))) {
          failed.push(`issued at ${one.at}, verified at ${second} by a cache of ${age}`);
        }
      }
    }
  }
  return failed;
}

function claimsAt(now: Instant): TokenClaims {
  return {
    issuer: 'https://tokens.example/club',
    audience: 'https://api.example',
    subject: 'subject-1',
    clientId: 'partner',
    tokenId: '42',
    issuedAt: now,
    expiresAt: instant(now + tokenLife * 1000),
  };
}

/** Verifiers by the key set that they have: its keys are imported once, as by any that keeps it. */
const verifiers = new Map<string, ReturnType<typeof createLocalJWKSet>>();

async function verifies(token: string, keySet: string, now: Instant): Promise<boolean> {
  const keys = verifiers.get(keySet) ?? createLocalJWKSet(JSON.parse(keySet) as JSONWebKeySet);
  verifiers.set(keySet, keys);
  try {
    await jwtVerify(token, keys, { typ: accessTokenType, currentDate: new Date(now) });
    return true;
  } catch {
    return false;
  }
}

const programme: KeyLine = {
  id: club,
  rules: { kind: 'signing_key', algorithm: 'ES256', longestToken: milliseconds(tokenLife * 1000) },
};

function rotating(store: Store, wait: number = shortestWait): (now: Instant) => Promise<unknown> {
  return (now) => rotateKeys({ store, keyring }, programme, { wait: milliseconds(wait) }, now);
}

test('no verification fails over two rotations, however old a cache is', async () => {
  const store = openMemoryStore();
  const rotate = rotating(store);
  const retire = (now: Instant): Promise<unknown> => retireKeys(store, programme, now);
  const seen: number[] = [];
  const count = async (): Promise<unknown> =>
    seen.push((await store.list('signing_key', club)).length);
  const acts = new Map([
    [300, rotate],
    // Again while a key waits, and retired as often as one likes: neither does harm.
    [600, rotate],
    [930, retire],
    [1200, (now: Instant) => retire(now).then(count)],
    [1500, (now: Instant) => retire(now).then(count)],
    [1800, rotate],
    [2400, retire],
    [2970, (now: Instant) => retire(now).then(count)],
    [3000, (now: Instant) => retire(now).then(count)],
  ]);
  assert.deepEqual(await failures({ store, acts, until: 4200 }), []);
  // The first key signed until 900 and may go at 1500, the second until 2400, to go at 3000.
  assert.deepEqual(seen, [2, 1, 2, 1]);
});

test('a change of algorithm fails nobody where its key was published ahead', async () => {
  const store = openMemoryStore();
  const ahead = (now: Instant): Promise<unknown> =>
    rotateKeys({ store, keyring }, programme, { wait: shortestWait, algorithm: 'EdDSA' }, now);
  assert.deepEqual(await failures({ store, acts: new Map([[300, ahead]]), until: 900 }), []);
  const [, key] = await store.list('signing_key', club);
  const clock = { now: (): Instant => at(930) };
  const options = { programme: club, records: store, keyring, clock };
  const chest = await openKeyChest({ ...options, algorithm: 'EdDSA' });
  assert.equal(chest.signer(at(930)).kid, key?.kid);
  assert.equal((await store.list('signing_key', club)).length, 2);
});

test('verification does fail where a key signs at once, or goes too early', async () => {
  const hasty = openMemoryStore();
  const acts = new Map([[300, rotating(hasty, 0)]]);
  assert.notDeepEqual(await failures({ store: hasty, acts, until: 900 }), []);

  const early = openMemoryStore();
  const remove = async (): Promise<unknown> => {
    const [first] = await early.list('signing_key', club);
    return early.changeAll('signing_key', { programme: club }, (keys) =>
      keys.filter(({ kid }) => kid !== first?.kid),
    );
  };
  const tooEarly = new Map([
    [300, rotating(early)],
    [1200, remove],
  ]);
  assert.notDeepEqual(await failures({ store: early, acts: tooEarly, until: 1800 }), []);
});

test('the shortest wait is twice as long as the key set may be kept', async (t) => {
  const server = await openClub(t, { over: 'tokens: { access: { format: jwt } }' });
  const { headers } = await ask(server.url, paths.keys);
  const [, maxAge] = /max-age=(\d+)/.exec(headers['cache-control'] ?? '') ?? [];
  assert.equal(Number(maxAge), cacheLife);
  assert.ok(shortestWait >= 2 * Number(maxAge) * 1000);
});
