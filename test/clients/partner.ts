// Owns what the tests of standard clients share: a partner's view of the executive club, and a
// member who logs in when sent there.

import assert from 'node:assert/strict';

import type { TestMember } from '../support/jetway.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { ask } from '../support/wire.ts';

/** One line of YAML: Basic credentials are taken as they are, as RFC 7617 has it. */
export const rawCredentials = 'client: { authentication: { credentials: raw } }';

/** One line of YAML: Basic credentials are decoded as RFC 6749 2.3.1 has them encoded. */
export const formCredentials = 'client: { authentication: { credentials: form } }';

/** What a partner configures by hand, for there is no metadata to discover. */
export interface Endpoints {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

export function endpointsOf(url: string): Endpoints {
  const base = `${url}/executive-club`;
  return {
    issuer: base,
    authorization_endpoint: `${base}/auth/login`,
    token_endpoint: `${base}/api/grant`,
  };
}

/** Logs the member in at a login URL; the address the browser then asks the partner for. */
export async function callbackAfterLogin(loginUrl: URL, member: TestMember): Promise<URL> {
  const login = await openLogin(loginUrl.origin, loginUrl.pathname + loginUrl.search);
  const answer = await submitLogin(loginUrl.origin, login, member);
  assert.equal(answer.status, 302, answer.body);
  return new URL(answer.headers['location'] ?? '');
}

/** The address a login request is sent back to at once, without a login. */
export async function callbackAtOnce(loginUrl: URL): Promise<URL> {
  const answer = await ask(loginUrl.origin, loginUrl.pathname + loginUrl.search);
  assert.equal(answer.status, 302, answer.body);
  return new URL(answer.headers['location'] ?? '');
}

/** What a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const [settled] = await Promise.allSettled([promise]);
  assert.equal(settled.status, 'rejected');
  return settled.reason;
}
