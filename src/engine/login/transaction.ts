// Owns the login transaction: the contents of a login request, sealed and carried by the browser
// that the login is bound to.

import { hash } from 'node:crypto';

import type { ResponseMode } from '../../language/authorize_schema.ts';
import { BoundedMap } from '../../lib/bounded_map.ts';
import type { Instant } from '../../lib/clock.ts';
import { keyedDigest, sameDigest } from '../../lib/digest.ts';
import { randomKey, timedKey } from '../../lib/random.ts';
import { seal, unseal } from '../../lib/seal.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import { ownCookies } from '../../oauth/own_paths.ts';
import type { Keyring } from '../../token/keyring.ts';

/** A login that has begun. The store keeps nothing of it: strangers cannot make the service write. */
export interface LoginTransaction {
  readonly id: string;
  readonly client: ClientId;
  readonly redirectUri: string;
  /** The token request must repeat it. */
  readonly repeatsRedirectUri?: true | undefined;
  readonly state?: string | undefined;
  /** How the answer comes back, where the login request says it. */
  readonly mode?: ResponseMode | undefined;
  readonly scope?: string | undefined;
  readonly resource?: string | undefined;
  readonly codeChallenge?: string | undefined;
  readonly nonce?: string | undefined;
  readonly brand?: string | undefined;
  /** The client's name when the login began: the page shows it without asking the store. */
  readonly clientName: string;
  /** One of the programme's languages, where the login request asked for one. */
  readonly language?: string | undefined;
  readonly expiresAt: Instant;
  /** Digest of the cookie of its browser; absent before it is bound to one. */
  readonly browser?: string;
}

/** A transaction bound to one browser. */
export type BoundTransaction = LoginTransaction & { readonly browser: string };

/** A fresh transaction, bound to no browser. */
export function beginTransaction(
  request: Omit<LoginTransaction, 'id' | 'browser'>,
): LoginTransaction {
  return { ...request, id: timedKey(request.expiresAt) };
}

/** Binds a transaction to the browser that is given the cookie. */
export function bindTransaction(transaction: LoginTransaction): {
  readonly transaction: BoundTransaction;
  readonly cookie: string;
} {
  // Always a fresh value: a cookie planted beforehand binds nothing (HOSTILE 14).
  const cookie = randomKey(24);
  return { transaction: { ...transaction, browser: browserDigest(cookie) }, cookie };
}

export function sealTransaction(
  keyring: Keyring,
  programme: ProgrammeId,
  transaction: LoginTransaction,
): string {
  return seal(keyring.transactionSeal, JSON.stringify(transaction), programme);
}

/** The transaction; `damaged` unless this programme sealed the text, `expired` after its end. */
export function openTransaction(
  keyring: Keyring,
  programme: ProgrammeId,
  sealed: string,
  now: Instant,
): LoginTransaction | 'damaged' | 'expired' {
  const text = unseal(keyring.transactionSeal, sealed, programme);
  if (text === undefined) return 'damaged';
  const transaction = JSON.parse(text) as LoginTransaction;
  return now < transaction.expiresAt ? transaction : 'expired';
}

/** Whether the transaction is bound to the browser that sent this cookie. */
export function isBoundTo(
  transaction: LoginTransaction,
  cookie: string | undefined,
): transaction is BoundTransaction {
  const { browser } = transaction;
  const [value] = cookie?.split(finished, 1) ?? [];
  return value !== undefined && browser !== undefined && sameDigest(browserDigest(value), browser);
}

/** What the cookie of a finished login ends with: Back shows no form again (HOSTILE 93). */
const finished = '.finished';

/** The cookie of a login from its success to the end of its code, for a double click (HOSTILE 15). */
export function finishedCookie(cookie: string): string {
  return isFinished(cookie) ? cookie : cookie + finished;
}

/** Only the browser itself could make this up, and would keep itself from its own login. */
export function isFinished(cookie: string | undefined): boolean {
  return cookie?.endsWith(finished) === true;
}

const loginCookies = `${ownCookies}login_`;
/** As `beginTransaction` names logins: others are not ours to take back. */
const loginName = new RegExp(`^${loginCookies}[\\w-]{16}$`);

/** Name of the cookie; each login has its own, so that two tabs do not disturb each other. */
export function cookieName(transaction: LoginTransaction): string {
  return loginCookies + transaction.id;
}

/** Whether a cookie of this name belongs to a login. */
export function isLoginCookie(name: string): boolean {
  return loginName.test(name);
}

/** The form's token: only the browser of the login has read it. */
export function formToken(keyring: Keyring, transaction: BoundTransaction): string {
  return keyedDigest(keyring.formKey, `${transaction.id} ${transaction.browser}`);
}

export function isFormToken(
  keyring: Keyring,
  transaction: BoundTransaction,
  sent: string | undefined,
): boolean {
  return sent !== undefined && sameDigest(sent, formToken(keyring, transaction));
}

function browserDigest(cookie: string): string {
  return hash('sha256', cookie, 'base64url');
}

/**
 * Which browser got the page of a login first, by the transaction's identifier; in memory, since
 * strangers must not make the service write (docs/decisions/022).
 */
export class FirstBrowsers {
  // Some 10 MB. A login that was forgotten early can be opened by a second browser, no worse.
  readonly #logins = new BoundedMap<string, { browser: string; expiresAt: Instant }>(50_000);

  find(id: string): string | undefined {
    return this.#logins.get(id)?.browser;
  }

  /** Whether this browser is the first, or no other one was. */
  claim({ id, browser, expiresAt }: BoundTransaction, now: Instant): boolean {
    const first = this.find(id);
    if (first !== undefined) return first === browser;
    for (let old = this.#logins.oldest(); old !== undefined; old = this.#logins.oldest()) {
      if (now < (this.#logins.get(old)?.expiresAt ?? 0)) break;
      this.#logins.delete(old);
    }
    this.#logins.set(id, { browser, expiresAt });
    return true;
  }
}
