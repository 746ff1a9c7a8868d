// Owns binding a login to a browser, and what every other browser gets.

import type { RequestRecord } from '../../oauth/request_record.ts';
import type { Service } from '../service.ts';
import { endOn, type LoginOutcome } from './outcome.ts';
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
  /** The value of a cookie, if the browser sent it. */
  readonly cookie: (name: string) => string | undefined;
  readonly record: RequestRecord;
}

/** The transaction if this browser may go on with it, or the page that says why not. */
export function findTransaction(
  service: Service,
  request: LoginPageRequest,
): BoundTransaction | LoginOutcome {
  const transaction = open(service, request);
  return 'kind' in transaction ? transaction : ofBrowser(service, transaction, request);
}

/** The same for the login page's GET, which also binds an unbound login to this browser. */
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
  { sealed, record }: LoginPageRequest,
): LoginTransaction | LoginOutcome {
  const found =
    sealed === undefined ? 'expired' : openTransaction(keyring, programme.id, sealed, clock.now());
  if (typeof found === 'string') return endOn(found);
  record.client = found.client;
  return found;
}

/** A browser must show the cookie to be the first: without cookies it never gets the page. */
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

function otherBrowser(transaction: LoginTransaction): LoginOutcome {
  return endOn('other_browser', transaction);
}
