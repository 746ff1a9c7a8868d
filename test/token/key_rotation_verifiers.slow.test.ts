// FAULTS 24: a verifier that keeps the key set as long as it may verifies every token there is: through
// rotations and what is retired after them, shorter lifetimes, another algorithm, and the end of signing.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';

import { type Clock, instant, type Instant, milliseconds } from '../../src/lib/clock.ts';
import type { SigningAlgorithm } from '../../src/oauth/signing_key.ts';
import { removeKey, rotateKeys, retireKeys } from '../../src/server/keys/changes.ts';
import type { KeyLine } from '../../src/server/keys/lines.ts';
import type { Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { accessTokenType, jwtSigner, type TokenClaims } from '../../src/token/jwt.ts';
import { openFormerKeys, openKeyChest, type PublishedKeys } from '../../src/token/key_chest.ts';
import { shortestWait, type SigningRules } from '../../src/token/key_rules.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { renderKeySet } from '../../src/token/signing_keys.ts';
import { at, club } from '../store/fixtures.ts';
import { openClub, paths } from '../support/club.ts';
import { ask } from '../support/wire.ts';

const keyring = createKeyring(new Uint8Array(32).fill(7));
const tokenLife = 600;
const cacheLife = 300;
const step = 30;

/** How a server signs: an algorithm and the seconds that its tokens live. It signs nothing without one. */
interface Signing {
  readonly algorithm?: SigningAlgorithm;
  readonly life: number;
}

interface Simulation {
  readonly store: Store;
  /** What an operator does, by the second it is done in. */
  readonly acts: ReadonlyMap<number, (now: Instant) => Promise<unknown>>;
  readonly until: number;
  /** By the second in which the server takes up other files. */
  readonly reloads?: ReadonlyMap<number, Signing>;
}

/** Whoever fetched the key set `age` seconds ago, for each age at which a cache may be. */
const ages = [0, 30, 150, 270, cacheLife];

interface Issued {
  readonly token: string;
  readonly at: number;
  readonly until: number;
}

const usual: Signing = { algorithm: 'ES256', life: tokenLife };

function rulesOf({ algorithm, life }: Signing): SigningRules {
  const rules = { kind: 'signing_key', longestToken: milliseconds(life * 1000) } as const;
  return algorithm === undefined ? rules : { ...rules, algorithm };
}

/** What a server of these files issues and publishes. */
async function serverOf(
  store: Store,
  signing: Signing,
  clock: Clock,
): Promise<PublishedKeys & { readonly sign?: ReturnType<typeof jwtSigner> }> {
  const { algorithm } = signing;
  const options = { programme: club, records: store, clock };
  const rules = rulesOf(signing);
  if (algorithm === undefined) {
    const former = await openFormerKeys({ ...options, rules, signsElsewhere: () => false });
    assert.ok(former);
    return former;
  }
  const chest = await openKeyChest({ ...options, keyring, rules: { ...rules, algorithm } });
  return { ...chest, sign: jwtSigner(chest.signer, accessTokenType) };
}

/** Issues a token each step and verifies all that live, as caches of every age; tells what failed. */
async function failures({
  store,
  acts,
  until,
  reloads = new Map(),
}: Simulation): Promise<string[]> {
  let second = 0;
  const clock = { now: (): Instant => at(second) };
  let signing = usual;
  let server = await serverOf(store, signing, clock);
  const published = new Map<number, string>();
  const failed: string[] = [];
  let living: Issued[] = [];
  for (; second <= until; second += step) {
    // A server follows within a second, a step at most: here it takes the whole step.
    await server.reload();
    signing = reloads.get(second) ?? signing;
    if (reloads.has(second)) server = await serverOf(store, signing, clock);
    await acts.get(second)?.(clock.now());
    published.set(second, renderKeySet(server.jwks()));
    const token = await server.sign?.(clock.now(), claimsAt(clock.now(), signing.life));
    living = living.filter((one) => one.until > second);
    if (token !== undefined) living.push({ token, at: second, until: second + signing.life });
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

function claimsAt(now: Instant, life: number): TokenClaims {
  return {
    issuer: 'https://tokens.example/club',
    audience: 'https://api.example',
    subject: 'subject-1',
    clientId: 'partner',
    tokenId: '42',
    issuedAt: now,
    expiresAt: instant(now + life * 1000),
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

const programme: KeyLine = { id: club, rules: rulesOf(usual) };

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
  const rules = { ...rulesOf(usual), algorithm: 'EdDSA' } as const;
  const chest = await openKeyChest({ ...options, rules });
  assert.equal(chest.signer(at(930)).kid, key?.kid);
  assert.equal((await store.list('signing_key', club)).length, 2);
});

/** An operator who retires keys every minute by the files of the time. */
function retiring(
  store: Store,
  from: number,
  until: number,
  signing: Signing,
): [number, (now: Instant) => Promise<unknown>][] {
  const line = { id: club, rules: rulesOf(signing) };
  const times = Array.from({ length: (until - from) / 60 }, (_, n) => from + n * 60);
  return times.map((second) => [second, (now) => retireKeys(store, line, now)]);
}

const kidsOf = async (store: Store): Promise<readonly string[]> =>
  (await store.list('signing_key', club)).map(({ kid }) => kid);

test('tokens of longer lifetimes outlive a file that cuts them', async () => {
  const store = openMemoryStore();
  const [long, brief] = [
    { ...usual, life: 3600 },
    { ...usual, life: 120 },
  ];
  const left: number[] = [];
  const count = async (): Promise<unknown> => left.push((await kidsOf(store)).length);
  const acts = new Map([
    ...retiring(store, 660, 5400, brief),
    [660, rotating(store)],
    [1860, rotating(store)],
    [4830, count],
    [4890, count],
  ]);
  const reloads = new Map([
    [30, long],
    [630, brief],
  ]);
  assert.deepEqual(await failures({ store, acts, until: 5400, reloads }), []);
  // The first key signed until 1260, for an hour; the second, whose tokens are brief, stays as long.
  assert.deepEqual(left, [3, 1]);
});

test('a change of algorithm, there and back, fails nobody', async () => {
  const store = openMemoryStore();
  const edwards = { algorithm: 'EdDSA', life: tokenLife } as const;
  const ahead = (now: Instant): Promise<unknown> =>
    rotateKeys({ store, keyring }, programme, { wait: shortestWait, algorithm: 'EdDSA' }, now);
  const acts = new Map([
    [300, ahead],
    ...retiring(store, 960, 1200, edwards),
    ...retiring(store, 1260, 2400, usual),
  ]);
  const reloads = new Map([
    [930, edwards],
    [1230, usual],
  ]);
  assert.deepEqual(await failures({ store, acts, until: 2400, reloads }), []);
  const [key, ...others] = await store.list('signing_key', club);
  assert.deepEqual([key?.algorithm, key?.signedUntil, others], ['ES256', undefined, []]);
});

test('the end of signing fails nobody, and the keys go once their tokens have expired', async () => {
  const store = openMemoryStore();
  const opaque = { life: 5 * tokenLife };
  const acts = new Map([[300, rotating(store)], ...retiring(store, 1080, 1680, opaque)]);
  const reloads = new Map([[1050, opaque]]);
  const simulation = { store, acts, until: 1650, reloads };
  assert.deepEqual(await failures(simulation), []);
  // What the opaque tokens live for does not count: it signed until 1050, for ten minutes.
  const [last] = await store.list('signing_key', club);
  assert.deepEqual([last?.signedUntil, (await kidsOf(store)).length], [at(1050), 1]);
  await retireKeys(store, { id: club, rules: rulesOf(opaque) }, at(1650));
  assert.deepEqual(await kidsOf(store), []);
});

test('a key removed by force fails its own tokens alone', async () => {
  const store = openMemoryStore();
  let gone = { from: 0, until: 0 };
  const force = async (now: Instant): Promise<unknown> => {
    const [, middle] = await store.list('signing_key', club);
    assert.ok(middle);
    // It has signed since 900; the key that waits signs from the next reload on.
    gone = { from: 900, until: (now - at(0)) / 1000 };
    return removeKey(store, programme, middle, now);
  };
  const acts = new Map([
    [300, rotating(store)],
    [1020, rotating(store)],
    [1500, force],
    ...retiring(store, 1560, 2700, usual),
  ]);
  const failed = await failures({ store, acts, until: 2700 });
  const isOther = (one: string): boolean => {
    const issued = Number(/issued at (\d+)/.exec(one)?.[1]);
    return issued < gone.from || issued > gone.until;
  };
  assert.notDeepEqual(failed, []);
  assert.deepEqual(failed.filter(isOther), []);
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
