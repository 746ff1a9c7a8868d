// Owns which browser a login belongs to: how it is bound to one, and what every other one gets.

import type { Service } from '../service.ts';
import type { LoginOutcome } from './outcome.ts';
import { beginInBrowser, toLoginPage } from './request.ts';
import {
  type BoundTransaction,
  cookieName,
  isBoundTo,
  type LoginTransaction,
  openTransaction,
} from './transaction.ts';

/** What a browser sent to the login page. */
export interface LoginPageRequest {
  /** The sealed transaction. */
  readonly sealed: string | undefined;
  /** The value of the cookie of a name, if the browser sent one. */
  readonly cookie: (name: string) => string | undefined;
}

/** The transaction of a login that this browser may go on with, or the page that says why it may not. */
export function findTransaction(
  service: Service,
  request: LoginPageRequest,
): BoundTransaction | LoginOutcome {
  const transaction = open(service, request);
  return 'kind' in transaction ? transaction : ofBrowser(service, transaction, request);
}

/** The same for the login page's GET, which binds a login that is bound to no browser yet. */
export function findOrBindTransaction(
  service: Service,
  request: LoginPageRequest,
): BoundTransaction | LoginOutcome {
  const transaction = open(service, request);
  if ('kind' in transaction) return transaction;
  if (transaction.browser !== undefined) return ofBrowser(service, transaction, request);
  const first = service.firstBrowsers?.find(transaction.id);
  if (first === undefined) return beginInBrowser(service, transaction, 303);
  const bound = { ...transaction, browser: first };
  return isBoundTo(bound, request.cookie(cookieName(bound)))
    ? toLoginPage(service, bound, 303)
    : otherBrowser(bound);
}

function open(
  { keyring, programme, clock }: Service,
  { sealed }: LoginPageRequest,
): LoginTransaction | LoginOutcome {
  const found =
    sealed === undefined ? 'expired' : openTransaction(keyring, programme.id, sealed, clock.now());
  return typeof found === 'string' ? { kind: 'page', status: 400, page: found } : found;
}

/** A browser that does not keep the cookie never has the page, and so is never the first (`claim`). */
function ofBrowser(
  { firstBrowsers, clock }: Service,
  transaction: LoginTransaction,
  { cookie }: LoginPageRequest,
): BoundTransaction | LoginOutcome {
  const mayGoOn =
    isBoundTo(transaction, cookie(cookieName(transaction))) &&
    firstBrowsers?.claim(transaction, clock.now()) !== false;
  return mayGoOn ? transaction : otherBrowser(transaction);
}

function otherBrowser({ language }: LoginTransaction): LoginOutcome {
  return { kind: 'page', status: 400, page: 'other_browser', language };
}
