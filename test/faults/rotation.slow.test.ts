// FAULTS 24, 25 with real servers: keys and secrets are rotated from the command line while tokens
// are issued, and nobody is refused who should not be.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';

import { askTokens, paths, unknownClient } from '../support/club.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { startLoad } from './load.ts';
import { openSite, type ServedClub, type Site, unthrottled } from './site.ts';

const tokenLife = 600;
const step = 60;

/** A verifier that keeps the key set for as long as its headers allow, and asks no sooner. */
class Verifier {
  readonly #site: Site;
  readonly #club: ServedClub;
  #keys:
    | { readonly of: ReturnType<typeof createLocalJWKSet>; readonly freshUntil: number }
    | undefined;

  constructor(site: Site, club: ServedClub) {
    this.#site = site;
    this.#club = club;
  }

  async accepts(token: string): Promise<boolean> {
    const now = this.#site.clock.now();
    const keys = await this.#keySet(now);
    const options = { typ: 'at+jwt', algorithms: ['ES256'], currentDate: new Date(now) };
    return jwtVerify(token, keys, options).then(
      () => true,
      () => false,
    );
  }

  async #keySet(now: number): Promise<ReturnType<typeof createLocalJWKSet>> {
    if (this.#keys === undefined || now >= this.#keys.freshUntil) {
      const { headers, body } = await ask(this.#club.url, paths.keys);
      const [, maxAge] = /^public, max-age=(\d+)$/.exec(headers['cache-control'] ?? '') ?? [];
      const freshUntil = now + Number(maxAge) * 1000;
      this.#keys = { of: createLocalJWKSet(JSON.parse(body) as JSONWebKeySet), freshUntil };
    }
    return this.#keys.of;
  }
}

async function publishedAt({ url }: ServedClub): Promise<number> {
  const { body } = await ask(url, paths.keys);
  return (JSON.parse(body) as JSONWebKeySet).keys.length;
}

/** A server follows within a second of its own, which no simulated second may outrun. */
function followed(clubs: readonly ServedClub[], keys: number): Promise<void> {
  return until(async () => {
    const counts = await Promise.all(clubs.map(publishedAt));
    return counts.every((count) => count === keys);
  }, `the servers never published ${keys} keys`);
}

test('FAULTS 24: through a rotation under load no verification fails', async (t) => {
  const over = `${unthrottled}\ntokens: { access: { format: jwt, lifetime: ${tokenLife}s } }`;
  const site = await openSite(t, { over });
  const clubs = await Promise.all([site.start(), site.start()]);
  // At a pace that leaves the processor to whoever verifies.
  const loads = clubs.map((club) => startLoad(club, 1, 4));
  const verifiers: Verifier[] = [];
  const living: string[] = [];
  let verified = 0;

  /** A minute goes by; what is issued in it, and what is oldest, is verified by everybody. */
  const minute = async (): Promise<string[]> => {
    await site.pass(step);
    // Each began at a time of its own, so that their caches are of every age.
    if (verifiers.length < 5) verifiers.push(new Verifier(site, clubs[verifiers.length % 2]!));
    const fresh: string[] = [];
    for (const { told, reach } of loads) {
      const begun = told.tokens.length;
      await reach(begun + 4);
      // What was asked for before this minute may still be among the first.
      fresh.push(...told.tokens.slice(begun + 1));
    }
    living.push(...fresh);
    const now = site.clock.now() / 1000;
    const first = living.findIndex((token) => (decodeJwt(token).exp ?? 0) > now);
    living.splice(0, first);
    const failed: string[] = [];
    for (const token of [...living.slice(0, 4), ...fresh]) {
      for (const [index, verifier] of verifiers.entries()) {
        verified += 1;
        if (!(await verifier.accepts(token))) failed.push(`by ${index}`);
      }
    }
    return failed;
  };
  const minutes = async (count: number): Promise<string[]> => {
    const failed: string[] = [];
    for (let n = 0; n < count; n += 1) failed.push(...(await minute()));
    return failed;
  };
  /** As many as fit: what the machine takes for itself counts, too. */
  const minutesUntil = async (end: number): Promise<string[]> => {
    const failed: string[] = [];
    while (site.clock.now() + step * 1000 <= end) failed.push(...(await minute()));
    return failed;
  };
  const signers = (): ReadonlySet<string | undefined> =>
    new Set(living.map((token) => Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()));

  assert.deepEqual(await minutes(6), []);
  const rotatedAt = site.clock.now();
  await site.run('key', 'rotate');
  await followed(clubs, 2);
  // Ten minutes it waits; ten more, until what the old one has signed is over.
  assert.deepEqual(await minutesUntil(rotatedAt + 9.5 * step * 1000), []);
  assert.equal(signers().size, 1);
  assert.deepEqual(await minutes(6), []);
  assert.equal(signers().size, 2);
  await site.run('key', 'retire');
  assert.deepEqual(await minutes(6), []);
  assert.equal(signers().size, 1);
  await site.run('key', 'retire');
  await followed(clubs, 1);
  assert.deepEqual(await minutes(6), []);

  // And a rotation that does not wait is one that they notice.
  await site.run('key', 'rotate', '--now');
  await followed(clubs, 2);
  assert.notDeepEqual(await minutes(1), []);
  await Promise.all(loads.map(({ stop }) => stop()));
  for (const { told } of loads) assert.deepEqual(told.failures, []);
  t.diagnostic(`${verified} verifications of tokens issued at two servers`);
});

interface Shown {
  readonly secrets: readonly {
    readonly expires_at: string | null;
    readonly last_used_at: string | null;
  }[];
}

test('FAULTS 25: two secrets are good until the old one ends, and each tells its last use', async (t) => {
  const site = await openSite(t);
  const club = await site.start();
  const { id } = club.client;
  const show = async (): Promise<Shown['secrets']> =>
    (JSON.parse(await site.run('client', 'show', id, '--json')) as Shown).secrets;
  const untilShown = async (isShown: (now: Shown['secrets']) => boolean) => {
    let now = await show();
    await until(async () => isShown((now = await show())), 'a use is never written');
    return now;
  };
  const made = await site.run('client', 'rotate-secret', id, '--overlap', '2d', '--json');
  const { client_secret: secret } = JSON.parse(made) as { readonly client_secret: string };
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const fields = { grant_type: 'client_credentials' };
  const withOld = () => askTokens(club, fields);
  const withNew = () => askTokens(club, fields, { authorization: basic });
  const day = 86_400;

  assert.equal((await withOld()).status, 200);
  await site.pass(day);
  assert.equal((await withNew()).status, 200);
  assert.equal((await withNew()).status, 200);
  // No use costs a commit of its own: they are written with the next one, which records the time if
  // there is no other for half a minute.
  await site.pass(31);
  const [older, newer] = await untilShown((now) => now.every((one) => one.last_used_at !== null));
  assert.ok(older && newer);
  const usedAt = [older, newer].map((one) => Date.parse(one.last_used_at ?? ''));
  const between = ((usedAt[1] ?? 0) - (usedAt[0] ?? 0)) / 1000;
  assert.ok(between >= day - 1 && between < day + 600, `${between} s between`);
  await site.pass(day - 600);
  assert.deepEqual([(await withOld()).status, (await withNew()).status], [200, 200]);
  await site.pass(601);
  assert.deepEqual(await withOld(), unknownClient);
  assert.equal((await withNew()).status, 200);
  const [ended, good] = await untilShown(
    ([, one]) => (one?.last_used_at ?? '') > (newer.last_used_at ?? ''),
  );
  assert.ok(ended && good);
  assert.ok(ended.expires_at !== null && Date.parse(ended.expires_at) <= site.clock.now());
  assert.ok((ended.last_used_at ?? '') < ended.expires_at && good.expires_at === null);
});
