// Owns the authentication of members, for every way in: what a member typed goes to the directory
// only if it may be tried, and what came of it is counted. How it is told is the caller's.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import { networkOf } from '../lib/ip_address.ts';
import type { LoginAttempt, Verification } from '../members/directory.ts';
import { longestPassword } from '../members/password.ts';
import { longestUsername, normaliseUsername } from '../members/username.ts';
import type { ClientId } from '../oauth/client.ts';
import { HungUp, Overloaded } from '../oauth/failure.ts';
import type { Member } from '../oauth/member.ts';
import type { AttemptOutcome } from '../store/counters.ts';
import { deviceAccount, newDevice } from './login/known_device.ts';
import type { Service } from './service.ts';

/** What a member typed. */
export interface TypedCredentials {
  readonly username: string;
  readonly password: string;
}

/** One try at being a member. */
export interface MemberAttempt extends TypedCredentials {
  readonly client: ClientId;
  /**
   * Where the member's browser is; its failures are counted. Left out where a partner asks for its
   * customers from one machine: the client's own throttle holds there, and the lock of the account.
   */
  readonly address?: string;
  /** What a partner says of where its customer is (P-6); a claim that no limit counts by. */
  readonly claimedAddress?: string;
  /** The cookie by which the browser may be known (known_device.ts). */
  readonly device?: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly hangUp: AbortSignal;
}

export type MemberAuthentication =
  /** `device` is the cookie by which this browser is to be known from now on, where it matters. */
  | { readonly outcome: 'match'; readonly member: Member; readonly device?: string }
  /** Unknown, wrong, disabled, locked or malformed: nobody is told which (HOSTILE 16). */
  | { readonly outcome: 'no_match' }
  /** From that address nothing is looked at for so long. */
  | { readonly outcome: 'too_many_failures'; readonly retryAfter: Milliseconds };

/** Which fields a member left blank; such a form is told apart before anything is tried (P-13). */
export function blankFields({
  username,
  password,
}: TypedCredentials): readonly ('username' | 'password')[] {
  return [
    ...(username.trim() === '' ? (['username'] as const) : []),
    ...(password === '' ? (['password'] as const) : []),
  ];
}

/**
 * Whether a member is who it says. Every answer but `too_many_failures` costs one hash, so that
 * time does not tell what the words do not (HOSTILE 17). Rejects with `Unavailable` when store or
 * directory cannot answer; then nothing is counted, unless too many ask at once. Rejects with `HungUp`
 * when nobody waits any more before the password was looked at.
 */
export async function authenticateMember(
  service: Service,
  attempt: MemberAttempt,
): Promise<MemberAuthentication> {
  const { clock, keyring, programme } = service;
  const username = normaliseUsername(attempt.username);
  const counted = await countedUnder(service, attempt, username);
  if (counted.retryAfter !== undefined) {
    return { outcome: 'too_many_failures', retryAfter: counted.retryAfter };
  }
  const { account, owners } = counted;
  const asked = { ...loginAttempt(username, attempt), owners };
  const mayBeAsked = isWellFormed(username, attempt.password) && (await reserve(service, account));
  const verification = await (
    mayBeAsked ? askDirectory(service, account, asked) : decline(service, asked)
  ).catch(async (error: unknown) => {
    // Nothing was learnt, so that the account is not charged. But whoever waits takes a place in the
    // queue, whoever finds it full costs a line of the log, and neither may do so time and again for
    // nothing (HOSTILE 59).
    if (error instanceof HungUp || error instanceof Overloaded)
      await countFailure(service, counted);
    throw error;
  });
  if (verification.outcome === 'match') {
    const { member } = verification;
    if (programme.login.lockout === undefined) return { outcome: 'match', member };
    const cookie = newDevice(keyring, programme.id, keyring.accountDigest(username), clock.now());
    return { outcome: 'match', member, device: cookie };
  }
  // Whichever it was: one that is locked or malformed costs as much, and may be sent without end.
  await countFailure(service, counted);
  return { outcome: 'no_match' };
}

interface CountedUnder {
  /** Whose attempts lock: those of the browser, where it is known, or else of the username. */
  readonly account: Digest;
  /** What its failure counts for; no success clears these counts. */
  readonly places: readonly string[];
  /** On whose account it waits for its turn. */
  readonly owners: readonly string[];
  /** For how long nothing is looked at that counts here; absent where it is. */
  readonly retryAfter?: Milliseconds | undefined;
}

/**
 * What an attempt counts under (docs/decisions/023). A member at a browser of its own is not held to
 * what its neighbours at the address do, nor to what strangers do at its username. All its browsers
 * together have as many failures as an address has; after that they are like any other browser.
 */
async function countedUnder(
  service: Service,
  attempt: MemberAttempt,
  username: string,
): Promise<CountedUnder> {
  const { clock, keyring, programme } = service;
  const now = clock.now();
  const account = keyring.accountDigest(username);
  const places = attempt.address === undefined ? [] : [networkOf(attempt.address)];
  const device = deviceAccount(keyring, programme.id, account, attempt.device, now);
  const browsers = keyring.accountDigest(`browsers ${account}`);
  if (device !== undefined && (await blockedFor(service, browsers, now)) === undefined) {
    return { account: device, places: [browsers, ...places], owners: [browsers] };
  }
  const [place] = places;
  const retryAfter = place === undefined ? undefined : await blockedFor(service, place, now);
  return { account, places, owners: [account, ...places], retryAfter };
}

/** For how long a key has had as many failed logins as it may have; undefined while it has fewer. */
async function blockedFor(
  { programme, store }: Service,
  key: string,
  now: Instant,
): Promise<Milliseconds | undefined> {
  const limit = programme.login.addressLimit;
  if (limit === undefined) return undefined;
  const { allowed, retryAfter } = await store.count(
    'failed_login',
    programme.id,
    key,
    limit,
    now,
    0,
  );
  return allowed ? undefined : retryAfter;
}

async function countFailure(
  { clock, programme, store }: Service,
  { places }: CountedUnder,
): Promise<void> {
  const limit = programme.login.addressLimit;
  if (limit === undefined) return;
  for (const place of places) {
    await store.count('failed_login', programme.id, place, limit, clock.now());
  }
}

/** Says no without asking, in the directory's own time. */
async function decline(
  { directory }: Service,
  asked: LoginAttempt,
): Promise<{ readonly outcome: 'no_match' }> {
  await directory.decline({ ...asked, password: asked.password.slice(0, longestPassword) });
  return { outcome: 'no_match' };
}

/** Takes one of the attempts that the account has, before anything is asked (HOSTILE 18). */
async function reserve({ programme, store, clock }: Service, account: Digest): Promise<boolean> {
  const { lockout } = programme.login;
  if (lockout === undefined) return true;
  const { allowed } = await store.reserveAttempt(programme.id, account, lockout, clock.now());
  return allowed;
}

/** Asks, and settles the attempt that was reserved: given back where the directory has not said. */
async function askDirectory(
  service: Service,
  account: Digest,
  asked: LoginAttempt,
): Promise<Verification> {
  let outcome: AttemptOutcome = 'undecided';
  try {
    const verification = await service.directory.verify(asked);
    outcome = verification.outcome === 'match' ? 'match' : 'no_match';
    return verification;
  } finally {
    await settle(service, account, outcome);
  }
}

async function settle(
  { programme, store, clock }: Service,
  account: Digest,
  outcome: AttemptOutcome,
): Promise<void> {
  if (programme.login.lockout === undefined) return;
  await store.settleAttempt(programme.id, account, outcome, clock.now());
}

/** What no directory could know a member by is not asked for: it may be long, or break a log. */
function isWellFormed(username: string, password: string): boolean {
  return (
    username !== '' &&
    username.length <= longestUsername &&
    !/\p{C}/u.test(username) &&
    password !== '' &&
    password.length <= longestPassword
  );
}

function loginAttempt(username: string, attempt: MemberAttempt): LoginAttempt {
  const { username: typedUsername, password, client, hangUp } = attempt;
  return { username, typedUsername, password, client, hangUp, ...whereFrom(attempt) };
}

/** A partner's word for its customer's address is better than its own, and no more than its word. */
function whereFrom({ address, claimedAddress }: MemberAttempt): {
  readonly customerAddress?: string;
  readonly addressVerified: boolean;
} {
  const customerAddress = claimedAddress ?? address;
  const addressVerified = claimedAddress === undefined && address !== undefined;
  return { ...(customerAddress === undefined ? {} : { customerAddress }), addressVerified };
}
