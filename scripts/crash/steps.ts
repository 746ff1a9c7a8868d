// Owns the steps of a crash campaign: how a worker takes each, and how a file shows that one is lost or half done.

import { type Instant, instant, milliseconds } from '../../src/lib/clock.ts';
import type { Digest } from '../../src/lib/digest.ts';
import { randomBytes } from '../../src/lib/random.ts';
import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import { type Answer, codeKey, type Place } from '../../src/oauth/grant.ts';
import type { Subject } from '../../src/oauth/member.ts';
import { newPlace } from '../../src/oauth/place.ts';
import { type NewLogin, PlaceTaken } from '../../src/store/grants.ts';
import { codeName } from '../../src/store/sql/login_rows.ts';
import type { FileStore } from '../../src/store/sqlite/store.ts';
import { aClient, aCode, aLogin, anAnswer, aSigningKey } from '../../test/store/fixtures.ts';

const programme = 'campaign' as ProgrammeId;
const client = 'partner' as ClientId;

/** The changes of operators in one round of a lane, in order. */
export const changes = [
  'addClient',
  'firstKey',
  'unlock',
  'disableClient',
  'rotateKey',
  'removeClient',
] as const;

type Act =
  | 'start'
  | 'issue'
  | 'spend'
  | 'refresh'
  | 'revoke'
  | 'revokeAll'
  | (typeof changes)[number];

/** What one try would leave in a login: of a spend its place, of a refresh a place that it has already. */
export interface Offer {
  readonly place: number;
  /** In hexadecimal. */
  readonly nonce: string;
}

/** One acknowledged or pending step of a lane; of several concurrent offers one may win. */
export interface Step {
  readonly act: Act;
  /** Of the member and of its code, or of what an operator changes; each change is made once. */
  readonly name: string;
  readonly offers: readonly Offer[];
  /** Of a refresh: what the login has afterwards. */
  readonly generation: number;
}

/** A worker writes a line before each step, and one after the store's answer. */
export type Line =
  | { readonly ready: number }
  | { readonly lane: string; readonly step: Step }
  | { readonly lane: string; readonly outcomes: readonly string[] };

/** The row that a query finds, by SQL of the campaign's own: the store under test does not judge itself. */
export type Ask = (
  sql: string,
  ...values: readonly (string | number | Uint8Array)[]
) => Record<string, unknown> | undefined;

interface Kind {
  /** Takes the step; what came of it, of each offer if several are tried. */
  readonly take: (store: FileStore, step: Step, now: Instant) => Promise<string | string[]>;
  /** A fault in words. A step without outcomes was interrupted: it may have happened or not, but not half. */
  readonly fault: (ask: Ask, step: Step, outcomes?: readonly string[]) => string | undefined;
}

const kinds: Readonly<Record<Act, Kind>> = {
  start: {
    take: (store, { offers: [offer = offerOf()] }, now) =>
      unlessTaken(store.startLogin(loginOf(offer, now)).then(() => 'started')),
    fault: (ask, { offers: [offer] }, outcomes) =>
      outcomes?.[0] === 'started' && !findLogin(ask, offer) ? 'a login is lost' : undefined,
  },
  issue: {
    take: (store, { name }, now) =>
      store.issueCode(
        aCode({
          programme,
          key: codeKey(name),
          transaction: name,
          client,
          member: { subject: name as Subject },
          issuedAt: now,
          expiresAt: endOf(now),
          forgetAt: endOf(now),
        }),
      ),
    fault: (ask, { name }, outcomes) =>
      outcomes && !Object.values(codeIn(ask, name)).some(Boolean) ? 'a code is lost' : undefined,
  },
  spend: {
    take: (store, { name, offers }, now) =>
      Promise.all(
        offers.map(async (offer) => {
          const bought = loginOf(offer, now);
          const spent = store.spendCode(programme, client, codeKey(name), bought, now);
          return unlessTaken(spent.then(({ outcome }) => outcome));
        }),
      ),
    fault: spendFault,
  },
  refresh: {
    /** Tries all offers at once, from what the login is before. */
    take: async (store, { offers }, now) => {
      const place = offers[0]?.place as Place;
      const from = await store.findLogin(programme, place);
      if (from === undefined) return 'lost';
      const tries = offers.map(async ({ nonce }) => {
        const answer = anAnswer(from, nonce, written(nonce, now));
        return (await store.advanceLogin(programme, place, from, answer)) ? 'advanced' : 'changed';
      });
      return Promise.all(tries);
    },
    fault: refreshFault,
  },
  revoke: {
    take: async (store, { offers: [offer] }, now) => {
      await store.revoke(programme, { place: offer?.place as Place }, now);
      return 'revoked';
    },
    fault: (ask, { offers: [offer] }, outcomes) =>
      outcomes && !findLogin(ask, offer)?.isRevoked ? 'a revocation is lost' : undefined,
  },
  revokeAll: {
    take: async (store, { name }) => {
      await store.revoke(programme, { subject: name });
      return 'revoked';
    },
    fault: (ask, { name }, outcomes) =>
      outcomes && ask(revocationOf, name)?.['revoked_until'] === undefined
        ? 'a revocation of all is lost'
        : undefined,
  },
  addClient: {
    take: async (store, { name }, now) => {
      const added = aClient({ programme, id: name as ClientId, createdAt: now });
      return (await store.add('client', [added])).length === 0 ? 'added' : 'taken';
    },
    fault: clientFault,
  },
  disableClient: {
    take: async (store, { name }) => {
      const disable = <Of>(was: Of) => ({ ...was, status: 'disabled' as const });
      await store.change('client', programme, name as ClientId, disable);
      return 'disabled';
    },
    fault: clientFault,
  },
  removeClient: {
    take: async (store, { name }, now) =>
      String(await store.remove('client', programme, name as ClientId, now)),
    fault: clientFault,
  },
  firstKey: {
    take: (store, { name }, now) => addKey(store, name as ProgrammeId, 'first', now),
    fault: keyFault,
  },
  rotateKey: {
    take: (store, { name }, now) => addKey(store, name as ProgrammeId, 'next', now),
    fault: keyFault,
  },
  unlock: {
    /** Locks the account first. */
    take: async (store, { name }, now) => {
      const [account, span] = [name as Digest, milliseconds(900_000)];
      const policy = { attempts: 2, window: span, lock: span };
      for (let n = 0; n <= policy.attempts; n += 1) {
        await store.reserveAttempt(programme, account, policy, now);
      }
      return String(await store.settleAttempt(programme, account, 'match', now));
    },
    fault: (ask, { name }, outcomes) =>
      outcomes && ask(attemptAt, name) ? 'an account that was unlocked is locked' : undefined,
  },
};

/** Takes a step; its outcomes. */
export async function take(store: FileStore, step: Step): Promise<readonly string[]> {
  return [await kinds[step.act].take(store, step, instant(Date.now()))].flat();
}

export function faultOf(ask: Ask, step: Step, outcomes?: readonly string[]): string | undefined {
  return kinds[step.act].fault(ask, step, outcomes);
}

/** Processes draw places of their own: a taken one would be a fault of the campaign. */
export function offerOf(place: number = newPlace(instant(Date.now()))): Offer {
  return { place, nonce: randomBytes(12).toString('hex') };
}

/** Far enough in the future that nothing expires within a campaign. */
function endOf(now: Instant): Instant {
  return instant(now + 86_400_000);
}

/** `taken` where another process has drawn the place. A server draws again then. */
async function unlessTaken(outcome: Promise<string>): Promise<string> {
  try {
    return await outcome;
  } catch (error) {
    if (error instanceof PlaceTaken) return 'taken';
    throw error;
  }
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

/** Adds a key of a programme that is named after its owner, and ends those before it. */
async function addKey(
  store: FileStore,
  owner: ProgrammeId,
  kid: string,
  now: Instant,
): Promise<string> {
  const key = aSigningKey(kid, { programme: owner, createdAt: now, signsFrom: now });
  const keys = await store.changeAll('signing_key', { programme: owner }, (before) => [
    ...before.map((one) => ({ ...one, retiresAt: endOf(now) })),
    key,
  ]);
  return String(keys.length);
}

const ofProgramme = `programme = '${programme}'`;
const isUnspent = `SELECT 1 FROM code WHERE ${ofProgramme} AND login = ?`;
const loginAt = `SELECT substr(state, 1, 4) AS generation, substr(state, 21, 12) AS nonce, revoked_at
  FROM login WHERE ${ofProgramme} AND place = ?`;
const revocationOf = `SELECT * FROM revocation WHERE ${ofProgramme} AND owner = 'subject ' || ?`;
const statusOfClient = `SELECT record ->> 'status' AS status FROM registered
  WHERE kind = 'client' AND ${ofProgramme} AND id = ?`;
const isRemovedClient = `SELECT
  EXISTS (SELECT 1 FROM removed WHERE kind = 'client' AND ${ofProgramme} AND id = ?1)
  AND EXISTS (SELECT 1 FROM revocation WHERE ${ofProgramme} AND owner = 'client ' || ?1) AS yes`;
const endOfKey = `SELECT record ->> 'retiresAt' AS retires_at FROM registered
  WHERE kind = 'signing_key' AND programme = ? AND id = ?`;
const attemptAt = `SELECT * FROM login_attempt WHERE ${ofProgramme} AND key = ?`;

function findLogin(ask: Ask, offer: Offer | undefined) {
  const row = ask(loginAt, offer?.place ?? 0);
  return (
    row && {
      generation: Buffer.from(row['generation'] as Uint8Array).readUInt32BE(),
      nonce: Buffer.from(row['nonce'] as Uint8Array).toString('hex'),
      isRevoked: row['revoked_at'] !== null,
    }
  );
}

/** Whether a code is there unspent, and for which place it was spent. */
function codeIn(ask: Ask, name: string) {
  if (ask(isUnspent, name) !== undefined) return { isUnspent: true };
  const { digest } = codeName(programme, codeKey(name));
  return { spentFor: ask('SELECT place FROM known_code WHERE digest = ?', digest)?.['place'] };
}

/** Of concurrent tries exactly one wins, with its login; the others leave nothing. */
function spendFault(ask: Ask, { name, offers }: Step, outcomes?: readonly string[]) {
  const { spentFor } = codeIn(ask, name);
  const winners = offers.map((offer) => {
    const found = findLogin(ask, offer);
    // Another process may have drawn the place of a try that left nothing: its login has another nonce.
    return found !== undefined && (found.nonce === offer.nonce || spentFor === offer.place);
  });
  if (offers.some(({ place }, n) => (spentFor === place) !== winners[n])) {
    return 'half of a step is there';
  }
  if (outcomes === undefined) return undefined;
  const isLoser = (one: string): boolean => one === 'replayed' || one === 'taken';
  if (!outcomes.every((one, n) => (winners[n] ? one === 'spent' : isLoser(one)))) {
    return 'the file is not what was acknowledged';
  }
  const winner = offers[winners.indexOf(true)];
  return outcomes.includes('replayed') && !findLogin(ask, winner)?.isRevoked
    ? 'a replay has revoked nothing'
    : undefined;
}

/** Of concurrent tries exactly one wins; a later generation has been taken note of by its own step. */
function refreshFault(ask: Ask, { generation, offers }: Step, outcomes?: readonly string[]) {
  const found = findLogin(ask, offers[0]);
  if (found === undefined) return 'a login is lost';
  const wins = outcomes?.filter((outcome) => outcome === 'advanced').length ?? 1;
  if (wins !== 1) return `a refresh was answered ${wins} times`;
  if (found.generation > generation) return undefined;
  if (found.generation < generation) return outcomes && 'a refresh is lost';
  const winner = offers.findIndex(({ nonce }) => nonce === found.nonce);
  if (winner < 0) return 'an answer that nobody gave is there';
  return outcomes && outcomes[winner] !== 'advanced'
    ? 'the file is not what was acknowledged'
    : undefined;
}

function clientFault(ask: Ask, { act, name }: Step, outcomes?: readonly string[]) {
  const status = ask(statusOfClient, name)?.['status'];
  const isRemoved = ask(isRemovedClient, name)?.['yes'] === 1;
  if (status !== undefined && isRemoved) return 'half of a removal is there';
  if (outcomes === undefined) return undefined;
  if (status === undefined && !isRemoved) return 'a client is lost';
  if (act === 'disableClient' && status === 'active') return 'a client is active again';
  return act === 'removeClient' && !isRemoved ? 'a removed client is back' : undefined;
}

function keyFault(ask: Ask, { act, name }: Step, outcomes?: readonly string[]) {
  const [first, next] = ['first', 'next'].map((kid) => ask(endOfKey, name, kid));
  const isEnding = (first?.['retires_at'] ?? null) !== null;
  if (act === 'rotateKey' && isEnding !== (next !== undefined))
    return 'half of a rotation is there';
  return outcomes && (act === 'rotateKey' ? next : first) === undefined
    ? 'a key is lost'
    : undefined;
}
