// Owns the causes for which an assertion is refused. They repeat nothing of it.

import { type Cause, ownCause, type RulePath } from '../../oauth/cause.ts';
import type { AssertionFault } from '../../token/assertions/claims.ts';

const rule: RulePath = ['client', 'authentication', 'assertion'];

/** Once its signature is right, an assertion is the client's own: it may read what is wrong. */
export function wrongAssertion({ expected, message, isProven }: AssertionFault): Cause {
  const told = `an assertion, ${expected}`;
  return isProven ? ownCause(rule, told, message) : { rule, expected: told, came: message };
}

export const keylessClient: Cause = Object.freeze({
  rule,
  expected: 'a client with public keys (jwks)',
  came: 'one without (jetway client set --jwks)',
});

export const replayedAssertion: Cause = Object.freeze({
  ...ownCause(rule, 'an assertion that comes for the first time', 'one whose jti came before'),
});

/** Its text is all that was looked at: the partner may read what is wrong. */
export function unreadableAssertion({ expected, message }: AssertionFault): Cause {
  return ownCause(rule, expected, message);
}

export function unknownSubject(expected: string, came: string): Cause {
  return { rule: ['grants', 'jwt_bearer', 'subject'], expected: `sub: ${expected}`, came };
}
