// Owns a process that works on a store as a server does, until it is killed; ../campaign_crash.ts starts it.

import { writeSync } from 'node:fs';

import { type Instant, instant } from '../../src/lib/clock.ts';
import { randomBytes, randomKey } from '../../src/lib/random.ts';
import { type Answer, codeKey, type Place } from '../../src/oauth/grant.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { newPlace } from '../../src/oauth/place.ts';
import { type NewLogin, PlaceTaken } from '../../src/store/grants.ts';
import { type FileStore, openFileStore } from '../../src/store/sqlite/store.ts';
import { aCode, aLogin, anAnswer } from '../../test/store/fixtures.ts';
import { change, changesOf } from './changes.ts';
import { client, endOf, type Line, type Offer, programme, type Step } from './steps.ts';

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
    const code = randomKey(32);
    await take(lane, { act: 'issue', code, subject });
    if (chance(0.3)) await take(lane, { act: 'start', place: offerOf().place });
    const offers = Array.from({ length: chance(0.2) ? 3 : 1 }, () => offerOf());
    const outcomes = await take(lane, { act: 'spend', code, offers });
    // Of several tries all but one were replays: the login that the first has paid for is dead.
    const [offer] = offers;
    if (offer === undefined || offers.length > 1 || outcomes[0] !== 'spent') continue;
    await refresh(lane, offer.place as Place);
    if (chance(0.3)) await take(lane, { act: 'revoke', place: offer.place });
    else if (chance(0.2)) await take(lane, { act: 'revokeAll', subject });
  }
}

async function refresh(lane: string, place: Place): Promise<void> {
  for (let generation = 2; chance(0.7); generation += 1) {
    const offers = Array.from({ length: chance(0.25) ? 3 : 1 }, () => offerOf(place));
    await take(lane, { act: 'refresh', generation, offers });
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
    case 'start':
      return [await unlessTaken(start(step.place as Place, now))];
    case 'issue':
      return [await issue(step.code, step.subject, now)];
    case 'spend':
      return Promise.all(step.offers.map((offer) => unlessTaken(spend(step.code, offer, now))));
    case 'refresh':
      return advance(step.offers, now);
    case 'revoke':
      await store.revoke(programme, { place: step.place as Place }, now);
      return ['revoked'];
    case 'revokeAll':
      await store.revoke(programme, { subject: step.subject });
      return ['revoked'];
    default:
      return [await change(store, step, now)];
  }
}

/** What came of it; `taken` where another process has drawn the place. A server draws again then. */
async function unlessTaken(outcome: Promise<string>): Promise<string> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof PlaceTaken) return 'taken';
    throw error;
  }
}

async function start(place: Place, now: Instant): Promise<string> {
  await store.startLogin(loginOf(offerOf(place), now));
  return 'started';
}

function issue(code: string, subject: string, now: Instant): Promise<string> {
  return store.issueCode(
    aCode({
      programme,
      key: codeKey(code),
      transaction: code,
      client,
      member: { subject: subject as Subject },
      issuedAt: now,
      expiresAt: endOf(now),
      forgetAt: endOf(now),
    }),
  );
}

async function spend(code: string, offer: Offer, now: Instant): Promise<string> {
  const bought = loginOf(offer, now);
  return (await store.spendCode(programme, client, codeKey(code), bought, now)).outcome;
}

/** Tries all offers at once, from what the login is before. */
async function advance(offers: readonly Offer[], now: Instant): Promise<readonly string[]> {
  const place = offers[0]?.place as Place;
  const from = await store.findLogin(programme, place);
  if (from === undefined) return ['lost'];
  const tries = offers.map(({ nonce }) =>
    store.advanceLogin(programme, place, from, anAnswer(from, nonce, written(nonce, now))),
  );
  return (await Promise.all(tries)).map((won) => (won ? 'advanced' : 'changed'));
}

function loginOf({ place, nonce }: Offer, now: Instant): NewLogin {
  return aLogin({
    programme,
    place: place as Place,
    client,
    endsAt: endOf(now),
    loginDigest: randomBytes(12).toString('latin1'),
    ...written(nonce, now),
  });
}

function written(nonce: string, now: Instant): Pick<Answer, 'nonce' | 'answeredAt' | 'forgetAt'> {
  const latin1 = Buffer.from(nonce, 'hex').toString('latin1');
  return { nonce: latin1, answeredAt: now, forgetAt: endOf(now) };
}

/** Processes draw places of their own: a taken one would be a fault of the campaign. */
function offerOf(place: Place = newPlace(instant(Date.now()))): Offer {
  return { place, nonce: randomBytes(12).toString('hex') };
}

function chance(share: number): boolean {
  return Math.random() < share;
}
