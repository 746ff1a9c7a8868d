// Owns the login transaction: what a login request asked for, sealed and carried by the browser.

import { hash, timingSafeEqual } from 'node:crypto';

import type { Instant } from '../../lib/clock.ts';
import { keyedDigest } from '../../lib/digest.ts';
import { randomKey } from '../../lib/random.ts';
import { seal, unseal } from '../../lib/seal.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Keyring } from '../../token/keyring.ts';

/** A login that has begun. Nothing of it is stored: strangers cannot make the service write. */
export interface LoginTransaction {
  readonly id: string;
  readonly client: ClientId;
  readonly redirectUri: string;
  readonly state?: string;
  readonly scope?: string;
  readonly codeChallenge?: string;
  readonly brand?: string;
  /** The client's name when the login began: the page shows it without asking the store. */
  readonly clientName: string;
  /** One of the programme's languages, where the login request asked for one. */
  readonly language?: string;
  readonly expiresAt: Instant;
  /** Digest of the cookie of the browser that it is bound to; absent before it is bound to any. */
  readonly browser?: string;
}

/** A transaction bound to one browser. */
export type BoundTransaction = LoginTransaction & { readonly browser: string };

/** A fresh transaction, bound to no browser. */
export function beginTransaction(
  request: Omit<LoginTransaction, 'id' | 'browser'>,
): LoginTransaction {
  return { ...request, id: randomKey(12) };
}

/** Binds a transaction to the browser that is given the cookie. */
export function bindTransaction(transaction: LoginTransaction): {
  readonly transaction: BoundTransaction;
  readonly cookie: string;
} {
  // Always a fresh value: one that a stranger planted beforehand binds nothing (HOSTILE 14).
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

/** The transaction; `damaged` when the text is none of this programme's, `expired` when its time is over. */
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

/** Whether the browser that sent this cookie is the one that the transaction is bound to. */
export function isBoundTo(
  transaction: LoginTransaction,
  cookie: string | undefined,
): transaction is BoundTransaction {
  const { browser } = transaction;
  return cookie !== undefined && browser !== undefined && sameText(browserDigest(cookie), browser);
}

/** Name of the cookie; one for each login, so that two tabs do not disturb each other. */
export function cookieName(transaction: LoginTransaction): string {
  return `jetway_login_${transaction.id}`;
}

/** Whether a cookie of ours, by its name, belongs to a login. */
export function isLoginCookie(name: string): boolean {
  return name.startsWith('jetway_login_');
}

/** The form's own token: shows that the form was read by the browser of the login. */
export function formToken(keyring: Keyring, transaction: BoundTransaction): string {
  return keyedDigest(keyring.formKey, `${transaction.id} ${transaction.browser}`);
}

export function isFormToken(
  keyring: Keyring,
  transaction: BoundTransaction,
  sent: string | undefined,
): boolean {
  return sent !== undefined && sameText(sent, formToken(keyring, transaction));
}

function browserDigest(cookie: string): string {
  return hash('sha256', cookie, 'base64url');
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
