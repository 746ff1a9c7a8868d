// Keys of identity tokens alone: a line of keys beside those of access tokens, in one key set, and neither
// kind ever in the place of the other (HOSTILE 35, FAULTS 24).

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose';

import { openService } from '../../src/engine/open_service.ts';
import type { Service } from '../../src/engine/service.ts';
import { type Instant, instant, milliseconds } from '../../src/lib/clock.ts';
import { compileProgramme } from '../../src/programme/programme.ts';
import { loadProgramme } from '../../src/rules/load.ts';
import { removeKey, retireKeys, rotateKeys } from '../../src/server/keys/changes.ts';
import type { Store } from '../../src/store/contract.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { identityTokenType } from '../../src/token/jwt.ts';
import { identityKeyRules, shortestWait, signingKeyRules } from '../../src/token/key_rules.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { openSigningKey, renderKeySet } from '../../src/token/signing_keys.ts';
import { at, club } from '../store/fixtures.ts';
import { openClub, paths, tokensOfLogin } from '../support/club.ts';
import { ask } from '../support/wire.ts';

const keyring = createKeyring(new Uint8Array(32).fill(7));
const log = { error: () => undefined };

const dialect = `
authorize: { endpoint: { inputs: { scope: {}, nonce: {}, prompt: {} } } }
scope: { kind: list, values: [openid], client: null, member_default: null }
grants: { client_credentials: { role: member } }
token_response: { fields: { id_token: id_token } }
`;

/** The programme with what its file says of identity tokens and access tokens. */
function programmeOf(identity: string, access = 'opaque') {
  const text = `variant: grant\nname: Club\nprogramme_identifier: Club\nbase_path: /club\n${dialect}tokens: { access: { format: ${access} } }\n${identity}\n`;
  const { loaded, faults } = loadProgramme(`${club}.yaml`, text);
  assert.ok(loaded, JSON.stringify(faults));
  return compileProgramme(loaded.id, loaded.definition, 'https://tokens.example');
}

const shared = programmeOf('id_token: { lifetime: 5m }', 'jwt');
const own = programmeOf('id_token: { lifetime: 5m, algorithm: RS256 }', 'jwt');

const keySetOf = ({ keys }: Service): string => renderKeySet(keys.flatMap((one) => one.jwks()));

function algorithmsOf(service: Service): readonly string[] {
  const { keys } = JSON.parse(keySetOf(service)) as { keys: readonly { alg: string }[] };
  return keys.map(({ alg }) => alg);
}

const step = 60;
const tokenLife = 300;
/** Whoever fetched the key set so long ago. */
const ages = [0, 60, 240, 300];

interface Simulation {
  readonly store: Store;
  /** Files by the second in which the server takes them up. */
  readonly files: ReadonlyMap<number, typeof own>;
  readonly acts: ReadonlyMap<number, (now: Instant) => Promise<unknown>>;
  readonly until: number;
}

/** The algorithms by which identity tokens were signed, and what caches of every age failed to verify. */
async function simulated({ store, files, acts, until }: Simulation) {
  let second = 0;
  const clock = { now: (): Instant => at(second) };
  const open = (programme: typeof own): Promise<Service> =>
    openService(programme, { store, clock, keyring, log, environment: 'staging' });
  let service = await open(files.get(0) ?? own);
  const published = new Map<number, string>();
  const algorithms = new Set<string>();
  const failed: string[] = [];
  let living: { readonly token: string; readonly at: number }[] = [];
  for (; second <= until; second += step) {
    for (const keys of service.keys) await keys.reload();
    const file = files.get(second);
    if (file !== undefined) service = await open(file);
    await acts.get(second)?.(clock.now());
    published.set(second, keySetOf(service));
    const exp = at(second + tokenLife) / 1000;
    const token = (await service.signIdentity?.(clock.now(), { sub: 'ann', exp })) ?? '';
    algorithms.add(String(decodeProtectedHeader(token).alg));
    const now = second;
    living = [...living.filter((one) => one.at + tokenLife > now), { token, at: now }];
    for (const age of ages) {
      const keySet = published.get(Math.max(0, second - age)) ?? '';
      const keys = createLocalJWKSet(JSON.parse(keySet) as JSONWebKeySet);
      for (const one of living) {
        const checked = jwtVerify(one.token, keys, {
          typ: identityTokenType,
          currentDate: new Date(clock.now()),
        });
        await checked.catch(() => failed.push(`issued at ${one.at}, at ${second} by ${age}`));
      }
    }
  }
  return { algorithms: [...algorithms], failed };
}

const line = { id: club, rules: identityKeyRules(own) };
/** Before the file speaks of them. */
const lineAhead = { id: club, rules: identityKeyRules(shared) };

test('FAULTS 24: keys of identity tokens rotate and are retired, and no cache fails', async () => {
  const store = openMemoryStore();
  const rotate = (now: Instant) =>
    rotateKeys({ store, keyring }, line, { wait: shortestWait }, now);
  const retire = (now: Instant) => retireKeys(store, line, now);
  const counts: number[] = [];
  const count = async (now: Instant): Promise<void> => {
    await retire(now);
    counts.push((await store.list('identity_key', club)).length);
  };
  const acts = new Map<number, (now: Instant) => Promise<unknown>>([
    [300, rotate],
    [1140, count],
    [1200, count],
    [1500, rotate],
    [2340, count],
    [2400, count],
  ]);
  const played = await simulated({ store, files: new Map(), acts, until: 2700 });
  assert.deepEqual(played, { algorithms: ['RS256'], failed: [] });
  // The first signs until 900, and its last token ends at 1200; the second until 2100.
  assert.deepEqual(counts, [2, 1, 2, 1]);
  assert.equal((await store.list('signing_key', club)).length, 1);
});

test('FAULTS 24: a key published ahead of the file fails nobody, and one that is not does', async () => {
  for (const isAhead of [true, false]) {
    const store = openMemoryStore();
    const wish = { wait: shortestWait, algorithm: 'RS256' } as const;
    const ahead = (now: Instant) => rotateKeys({ store, keyring }, lineAhead, wish, now);
    const acts = new Map(isAhead ? [[120, ahead]] : []);
    const files = new Map([
      [0, shared],
      [780, own],
      [1500, shared],
    ]);
    const { algorithms, failed } = await simulated({ store, files, acts, until: 2100 });
    assert.deepEqual(algorithms, ['ES256', 'RS256']);
    assert.equal(failed.length === 0, isAhead, failed.join('\n'));
    // Once no server signs with it, it may go when its last token has ended.
    const [key, ...others] = await store.list('identity_key', club);
    assert.deepEqual([key?.signedUntil, others], [at(1500), []]);
    const kept = await retireKeys(store, lineAhead, at(1799));
    assert.deepEqual(
      kept.keep.map(({ retiresAt }) => retiresAt),
      [at(1800)],
    );
    assert.equal((await retireKeys(store, lineAhead, at(1800))).remove.length, 1);
  }
});

test('a server that signs with the former algorithm keeps its key from being given up', async () => {
  const store = openMemoryStore();
  const clock = { now: (): Instant => at(0) };
  await openService(own, { store, clock, keyring, log, environment: 'staging' });
  const next = programmeOf('id_token: { lifetime: 5m, algorithm: EdDSA }', 'jwt');
  await openService(next, { store, clock, keyring, log, environment: 'staging' });
  const nextLine = { id: club, rules: identityKeyRules(next) };
  const facts = { name: 'other', version: '1', settings: {} };
  const served = { digest: 'a', signs: 'ES256', signsIdentity: 'RS256' } as const;
  await store.leaseNode(at(0), 'other', { ...facts, programmes: { [club]: served } });
  const marks = async () => {
    await retireKeys(store, nextLine, at(1));
    const keys = await store.list('identity_key', club);
    return keys.map(({ algorithm, signedUntil }) => [algorithm, signedUntil]);
  };
  assert.deepEqual(await marks(), [
    ['RS256', undefined],
    ['EdDSA', undefined],
  ]);
  await store.leaseNode(at(0), 'other', { ...facts, programmes: {} });
  assert.deepEqual(await marks(), [
    ['RS256', at(1)],
    ['EdDSA', undefined],
  ]);
});

test('a key published ahead waits for its file, and can be taken back', async () => {
  const store = openMemoryStore();
  const clock = { now: (): Instant => at(0) };
  const service = await openService(shared, {
    store,
    clock,
    keyring,
    log,
    environment: 'staging',
  });
  assert.deepEqual(algorithmsOf(service), ['ES256']);
  const wish = { wait: milliseconds(0), algorithm: 'RS256' } as const;
  await rotateKeys({ store, keyring }, lineAhead, wish, at(1));
  for (const keys of service.keys) await keys.reload();
  assert.deepEqual(algorithmsOf(service), ['ES256', 'RS256']);
  const [key] = await store.list('identity_key', club);
  assert.ok(key);
  assert.deepEqual([key.signsFrom, key.signedUntil], [undefined, undefined]);
  assert.deepEqual((await retireKeys(store, lineAhead, at(9999))).remove, []);
  await rotateKeys({ store, keyring }, lineAhead, { ...wish, algorithm: 'EdDSA' }, at(2));
  assert.deepEqual(await removeKey(store, lineAhead, key, at(3)), { key });
  for (const keys of service.keys) await keys.reload();
  assert.deepEqual(algorithmsOf(service), ['ES256', 'EdDSA']);
});

test('opaque access tokens need no signing key where identity tokens have their own', async () => {
  const programme = programmeOf('id_token: { algorithm: RS256 }');
  assert.equal(signingKeyRules(programme).algorithm, undefined);
  const store = openMemoryStore();
  const clock = { now: (): Instant => at(0) };
  const service = await openService(programme, {
    store,
    clock,
    keyring,
    log,
    environment: 'staging',
  });
  assert.deepEqual(algorithmsOf(service), ['RS256']);
  assert.deepEqual(await store.list('signing_key', club), []);
});

test('HOSTILE 35: neither key signs in the place of the other', async (t: TestContext) => {
  const over = `${dialect}id_token: { algorithm: RS256 }\ntokens: { access: { format: jwt } }\n`;
  const site = await openClub(t, { over });
  const tokens = await tokensOfLogin(site, { scope: 'openid' });
  const [access, identity] = [
    tokens.access_token,
    String((tokens as { id_token?: string }).id_token),
  ];
  const kinds = ['signing_key', 'identity_key'] as const;
  const [[signing], [identityKey]] = [
    await site.store.list(kinds[0], site.services.get('executive-club')?.programme.id ?? club),
    await site.store.list(kinds[1], site.services.get('executive-club')?.programme.id ?? club),
  ];
  assert.ok(signing && identityKey);
  const [head, idHead] = [access, identity].map(decodeProtectedHeader);
  assert.deepEqual([head?.alg, head?.kid, head?.typ], ['ES256', signing.kid, 'at+jwt']);
  assert.deepEqual([idHead?.alg, idHead?.kid, idHead?.typ], ['RS256', identityKey.kid, 'JWT']);
  const { keys } = JSON.parse((await ask(site.url, paths.keys)).body) as JSONWebKeySet;
  assert.deepEqual(
    keys.map(({ kid, alg }) => [kid, alg]),
    [
      [signing.kid, 'ES256'],
      [identityKey.kid, 'RS256'],
    ],
  );
  const verified = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await ask(site.url, '/executive-club/verify/member', { headers })).status;
  };
  assert.equal(await verified(access), 200);
  assert.equal(await verified(identity), 401);
  // A thief of the identity key alone, who words a token as an access token.
  const { privateKey } = openSigningKey(identityKey, site.keyring, 'identity_key');
  const forged = (header: { readonly alg: string; readonly kid: string }): Promise<string> =>
    new SignJWT(decodeJwt(access))
      .setProtectedHeader({ ...header, typ: 'at+jwt' })
      .sign(privateKey);
  for (const kid of [identityKey.kid, signing.kid]) {
    assert.equal(await verified(await forged({ alg: 'RS256', kid })), 401);
  }
  // A record that was moved to the other kind opens as none.
  const moved = /was sealed under another master key/;
  assert.throws(() => openSigningKey(identityKey, site.keyring), moved);
  assert.throws(() => openSigningKey(signing, site.keyring, 'identity_key'), moved);
});

test('the longest identity token is that of its own keys alone', () => {
  const long = (more: string) => programmeOf(`id_token: { lifetime: 3h${more} }`, 'jwt');
  assert.equal(signingKeyRules(long('')).longestToken, 3 * 3_600_000);
  assert.equal(signingKeyRules(long(', algorithm: RS256')).longestToken, 30 * 60_000);
  assert.equal(identityKeyRules(long(', algorithm: RS256')).longestToken, instant(3 * 3_600_000));
});
