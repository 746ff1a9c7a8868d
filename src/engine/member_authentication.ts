// Owns the authentication of members, at the login page and by the password grant: what is sent to
// the directory, and what is counted. The caller tells the outcome.

import type { Instant, Milliseconds } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import { networkOf } from '../lib/ip_address.ts';
import type { LoginAttempt, Verification } from '../members/directory.ts';
import { longestPassword } from '../members/password.ts';
import { longestUsername, normaliseUsername } from '../members/username.ts';
import type { Cause } from '../oauth/cause.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import { HungUp, Overloaded } from '../oauth/failure.ts';
import type { Member } from '../oauth/member.ts';
import type { RequestRecord } from '../oauth/request_record.ts';
import type { AttemptOutcome } from '../store/counters.ts';
import { lockedAccount, notRecognised, oddCredentials, tooManyFailures } from './causes/member.ts';
import { deviceAccount, newDevice } from './login/known_device.ts';
import type { Service } from './service.ts';

/** The username and password that a member typed. */
export interface TypedCredentials {
  readonly username: string;
  readonly password: string;
}

/** One attempt to log in. */
export interface MemberAttempt extends TypedCredentials {
  readonly client: ClientId;
  /**
   * Where the guesser is: the browser's or app's address, by which failures are counted. Absent if a partner
   * that has proved itself asks for all its customers from one machine: there the client's throttle and the
   * lock of the account hold.
   */
  readonly address?: string | undefined;
  /** The customer's address by a partner's word (P-6); no limit counts by it. */
  readonly claimedAddress?: string | undefined;
  /** The cookie of a known browser (known_device.ts). */
  readonly device?: string | undefined;
  /** Aborts when the caller has hung up. */
  readonly hangUp: AbortSignal;
  readonly record: RequestRecord;
}

export type MemberAuthentication =
  /** `device` is the browser's cookie from now on; absent without a lockout. */
  | { readonly outcome: 'match'; readonly member: Member; readonly device?: string | undefined }
  /** Unknown, wrong, disabled, locked or malformed: the outcome does not say which (HOSTILE 16). */
  | { readonly outcome: 'no_match'; readonly cause: Cause }
  /** No attempt from that address is looked at for so long. */
  | {
      readonly outcome: 'too_many_failures';
      readonly retryAfter: Milliseconds;
      readonly cause: Cause;
    };

/** The fields that a member left blank: asked for before anything is tried (P-13). */
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
 * Checks a member's username and password. Every outcome but `too_many_failures` costs one hash, so
 * that the time taken reveals no more than the answer (HOSTILE 17). Rejects with `Unavailable` where
 * store or directory cannot answer; this is counted only where the directory is overloaded. Rejects
 * with `HungUp`, which is counted, where the caller hung up before the password was checked.
 */
export async function authenticateMember(
  service: Service,
  attempt: MemberAttempt,
): Promise<MemberAuthentication> {
  const { clock, keyring, programme } = service;
  const username = normaliseUsername(attempt.username);
  const counted = await countedUnder(service, attempt, username);
  if ('retryAfter' in counted) {
    const { retryAfter } = counted;
    return { outcome: 'too_many_failures', retryAfter, cause: tooManyFailures };
  }
  const { account, owners } = counted;
  const asked = { ...loginAttempt(username, attempt), owners };
  const isGood = isWellFormed(username, attempt.password);
  const mayBeAsked = isGood && (await reserve(service, account, attempt.record));
  const verification = await (
    mayBeAsked ? askDirectory(service, account, asked) : decline(service, asked)
  ).catch(async (error: unknown) => {
    // The account is not charged: the password was not checked. The address is: an attempt took a
    // place in the queue, or a line of the log where the queue was full (HOSTILE 59).
    if (!(error instanceof HungUp || error instanceof Overloaded)) await giveBack(service, counted);
    throw error;
  });
  attempt.record.attempt ??= verification.outcome === 'match' ? 'matched' : 'failed';
  if (verification.outcome === 'match') {
    await giveBack(service, counted);
    const { member } = verification;
    if (programme.login.lockout === undefined) return { outcome: 'match', member };
    const device = newDevice(keyring, programme.id, keyring.accountDigest(username), clock.now());
    return { outcome: 'match', member, device };
  }
  // Locked and malformed attempts stay counted too: they cost as much, and could be repeated without end.
  if (!isGood) return { outcome: 'no_match', cause: oddCredentials };
  return { outcome: 'no_match', cause: mayBeAsked ? notRecognised : lockedAccount };
}

interface CountedUnder {
  /** The count that locks: a known browser's, or else the username's. */
  readonly account: Digest;
  /** Keys by which the attempt is counted as a failure until it is none; no success clears their counts. */
  readonly places: readonly string[];
  readonly countedAt: Instant;
  /** Owners of the attempt at the directory's queue (lib/gate.ts). */
  readonly owners: readonly string[];
}

/** For how long no attempt is looked at that would count there. */
type Refused = Pick<Extract<MemberAuthentication, { outcome: 'too_many_failures' }>, 'retryAfter'>;

/**
 * What an attempt counts under (docs/decisions/023), and counts it there before it waits: of any number of
 * attempts at once no more are looked at than may fail (HOSTILE 80). A known browser of the member is not
 * stopped by failures of its neighbours at the address, nor by those of strangers at the username. All known
 * browsers of a member together have as many failures as an address; after that they count like any
 * other browser.
 */
async function countedUnder(
  service: Service,
  attempt: MemberAttempt,
  username: string,
): Promise<CountedUnder | Refused> {
  const { clock, keyring, programme } = service;
  const account = keyring.accountDigest(username);
  attempt.record.account = account;
  const place = attempt.address === undefined ? undefined : networkOf(attempt.address);
  const now = clock.now();
  const device = deviceAccount(keyring, programme.id, account, attempt.device, now);
  // A line break: no username begins with one (HOSTILE 78).
  const browsers = keyring.accountDigest(`\nbrowsers ${account}`);
  if (device !== undefined && (await countFailure(service, browsers, now)) === undefined) {
    const isCounted =
      place !== undefined && (await countFailure(service, place, now)) === undefined;
    const places = isCounted ? [browsers, place] : [browsers];
    return { account: device, places, countedAt: now, owners: [browsers] };
  }
  const retryAfter = place === undefined ? undefined : await countFailure(service, place, now);
  if (retryAfter !== undefined) return { retryAfter };
  const places = place === undefined ? [] : [place];
  const owner = place ?? ownerOf(programme.id, attempt.client, account);
  return { account, places, countedAt: now, owners: [account, owner] };
}

/**
 * Usernames can be made up, so they are no owners by themselves, or strangers who ask through a partner
 * would have as many turns at the directory's queue as they like. The customers of a partner together are
 * sixteen owners, by their usernames (HOSTILE 80). Two programmes may have clients of one identifier.
 */
function ownerOf(programme: ProgrammeId, client: ClientId, account: Digest): string {
  return `${programme} ${client} ${account.charCodeAt(0) % 16}`;
}

/** Counts a failure by a key; for how long it has as many as it may have, and then counts nothing. */
async function countFailure(
  { programme, store }: Service,
  key: string,
  now: Instant,
): Promise<Milliseconds | undefined> {
  const limit = programme.login.addressLimit;
  if (limit === undefined) return undefined;
  const { allowed, retryAfter } = await store.count('failed_login', programme.id, key, limit, now);
  return allowed ? undefined : retryAfter;
}

/** The attempt was no failure, or nobody can tell. */
async function giveBack(
  { programme, store }: Service,
  { places, countedAt }: CountedUnder,
): Promise<void> {
  const limit = programme.login.addressLimit;
  if (limit === undefined) return;
  for (const place of places) {
    await store.count('failed_login', programme.id, place, limit, countedAt, -1);
  }
}

/** Refuses without asking the directory, in the time that asking takes. */
async function decline(
  { directory }: Service,
  asked: LoginAttempt,
): Promise<{ readonly outcome: 'no_match' }> {
  await directory.decline({ ...asked, password: asked.password.slice(0, longestPassword) });
  return { outcome: 'no_match' };
}

/** Takes one of the account's attempts before the directory is asked (HOSTILE 18). */
async function reserve(
  { programme, store, clock }: Service,
  account: Digest,
  record: RequestRecord,
): Promise<boolean> {
  const { lockout } = programme.login;
  if (lockout === undefined) return true;
  const reserved = await store.reserveAttempt(programme.id, account, lockout, clock.now());
  // The attempt that locks an account has the whole lock before it.
  if (!reserved.allowed) {
    record.attempt = reserved.retryAfter >= lockout.lock ? 'locking' : 'locked';
  }
  return reserved.allowed;
}

/** Asks the directory and ends the reserved attempt, which is given back if the directory fails. */
async function askDirectory(
  { programme, store, clock, directory }: Service,
  account: Digest,
  asked: LoginAttempt,
): Promise<Verification> {
  let outcome: AttemptOutcome = 'undecided';
  try {
    const verification = await directory.verify(asked);
    outcome = verification.outcome === 'match' ? 'match' : 'no_match';
    return verification;
  } finally {
    if (programme.login.lockout !== undefined) {
      await store.settleAttempt(programme.id, account, outcome, clock.now());
    }
  }
}

/** Whether a directory could know such a member: other texts may be long, or break its log. */
function isWellFormed(username: string, password: string): boolean {
  return (
    username !== '' &&
    username.length <= longestUsername &&
    !/\p{C}/u.test(username) &&
    password !== '' &&
    password.length <= longestPassword
  );
}

/** A partner's word for its customer's address precedes its own address, but is not verified. */
function loginAttempt(username: string, attempt: MemberAttempt): LoginAttempt {
  const { username: typedUsername, address, claimedAddress, ...others } = attempt;
  const customerAddress = claimedAddress ?? address;
  const addressVerified = claimedAddress === undefined && address !== undefined;
  const { password, client, hangUp, record } = others;
  const asked = { username, typedUsername, password, client, hangUp, addressVerified, record };
  return customerAddress === undefined ? asked : { ...asked, customerAddress };
}
