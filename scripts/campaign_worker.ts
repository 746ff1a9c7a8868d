// Owns a process that works on a store as a server does, until it is killed; campaign_crash.ts starts it.

import { writeSync } from 'node:fs';

import { type Instant, instant } from '../src/lib/clock.ts';
import { randomKey } from '../src/lib/random.ts';
import type { AccessToken, FamilyId, TokenFamily, TokenKey } from '../src/oauth/grant.ts';
import type { Subject } from '../src/oauth/member.ts';
import { newToken, tokenKey } from '../src/oauth/token_key.ts';
import { type FileStore, openFileStore } from '../src/store/sqlite/store.ts';
import { change, changesOf } from './campaign_changes.ts';
import { client, endOf, type Line, type Offer, programme, type Step } from './campaign_steps.ts';

const [path = '', lanes = '32'] = process.argv.slice(2);
const startedAt = performance.now();
// A small one keeps the thread busy that moves the log.
const reserve = 1024 * 1024;
const store: FileStore = openFileStore({ path, environment: 'staging', reserve });
await store.find('client', programme, client);
say({ ready: performance.now() - startedAt });
const names = Array.from({ length: Number(lanes) }, () => randomKey(6));
await Promise.all(names.map((name) => work(name)));

function say(line: Line): void {
  // At once and whole: what was acknowledged is told before anything else can happen.
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Logs in, refreshes and ends, over and over. */
async function work(lane: string): Promise<void> {
  for (let n = 0; ; n += 1) {
    const subject = `${lane} ${n}`;
    if (chance(0.05)) for (const step of changesOf(subject)) await take(lane, step);
    const code = freshKey();
    await take(lane, { act: 'issue', code, subject });
    if (chance(0.3)) await take(lane, { act: 'save', access: freshKey() });
    const offers = offersOf(chance(0.2) ? 3 : 1, true);
    const [outcome] = winnersOf(offers, await take(lane, { act: 'spend', code, offers }));
    // Of several tries all but one were replays: what the first has paid for is dead.
    if (outcome === undefined || offers.length > 1) continue;
    await refresh(lane, outcome);
    if (chance(0.3)) await take(lane, { act: 'revoke', family: outcome.family ?? '' });
    else if (chance(0.2)) await take(lane, { act: 'revokeAll', subject });
  }
}

async function refresh(lane: string, first: Offer): Promise<void> {
  let token = first.refresh;
  while (chance(0.7)) {
    const offers = offersOf(chance(0.25) ? 3 : 1, false, first.family);
    const [outcome] = winnersOf(offers, await take(lane, { act: 'rotate', token, offers }));
    if (outcome === undefined) return;
    token = outcome.refresh;
  }
}

async function take(lane: string, step: Step): Promise<readonly string[]> {
  say({ lane, step });
  const outcomes = await perform(step, instant(Date.now()));
  say({ lane, outcomes });
  return outcomes;
}

async function perform(step: Step, now: Instant): Promise<readonly string[]> {
  switch (step.act) {
    case 'save':
      await store.saveAccessToken(accessToken(step.access, undefined, now));
      return ['saved'];
    case 'issue':
      return [await issue(step.code, step.subject, now)];
    case 'spend':
      return Promise.all(step.offers.map((offer) => spend(step.code, offer, now)));
    case 'rotate':
      return Promise.all(step.offers.map((offer) => rotate(step.token, offer, now)));
    case 'revoke':
      await store.revokeFamily(programme, step.family as FamilyId, now);
      return ['revoked'];
    case 'revokeAll':
      await store.revokeAll(programme, { subject: step.subject });
      return ['revoked'];
    default:
      return [await change(store, step, now)];
  }
}

function issue(code: string, subject: string, now: Instant): Promise<string> {
  return store.issueCode({
    programme,
    key: code as TokenKey,
    transaction: code,
    client,
    redirectUri: 'https://partner.example/callback',
    member: { subject: subject as Subject },
    issuedAt: now,
    expiresAt: endOf(now),
    forgetAt: endOf(now),
  });
}

async function spend(code: string, offer: Offer, now: Instant): Promise<string> {
  const family: TokenFamily = {
    id: offer.family as FamilyId,
    programme,
    client,
    member: { subject: 'anybody' as Subject },
    createdAt: now,
    endsAt: endOf(now),
  };
  const access = accessToken(offer.access, family.id, now);
  const bought = {
    family,
    access,
    refresh: { key: offer.refresh as TokenKey, expiresAt: endOf(now) },
  };
  return (await store.spendCode(programme, client, code as TokenKey, bought, now)).outcome;
}

async function rotate(token: string, offer: Offer, now: Instant): Promise<string> {
  const rotated = await store.rotateRefreshToken({
    programme,
    client,
    key: token as TokenKey,
    successor: { key: offer.refresh as TokenKey, expiresAt: endOf(now) },
    access: accessToken(offer.access, offer.family as FamilyId, now),
    keptAnswer: offer.refresh,
    retryUntil: instant(now + 10_000),
    now,
  });
  return rotated.outcome;
}

function accessToken(key: string, family: FamilyId | undefined, now: Instant): AccessToken {
  const kind = family === undefined ? 'client' : 'member';
  const whose = { programme, key: key as TokenKey, client, kind, subject: 'anybody' } as const;
  return { ...whose, ...(family && { family }), issuedAt: now, expiresAt: endOf(now) };
}

function offersOf(count: number, withFamily: boolean, family?: string): Offer[] {
  return Array.from({ length: count }, () => ({
    ...(withFamily ? { family: randomKey(16) } : {}),
    ...(family === undefined ? {} : { family }),
    refresh: freshKey(),
    access: freshKey(),
  }));
}

function winnersOf(offers: readonly Offer[], outcomes: readonly string[]): Offer[] {
  return offers.filter((_, n) => outcomes[n] === 'spent' || outcomes[n] === 'rotated');
}

function freshKey(): string {
  return tokenKey(newToken(instant(Date.now())));
}

function chance(share: number): boolean {
  return Math.random() < share;
}
