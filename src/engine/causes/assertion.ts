// Owns the causes for which an assertion is refused. They repeat nothing of it.

import { type Cause, faulty, ownCause, type RulePath } from '../../oauth/cause.ts';
import type { AssertionFault } from '../../token/assertions/claims.ts';

const rule: RulePath = ['client', 'authentication', 'assertion'];

/** Once its signature is right, an assertion is the client's own: it may read what is wrong. */
export function wrongAssertion({ fault, expected, message, isProven }: AssertionFault): Cause {
  const told = `an assertion, ${expected}`;
  const cause = isProven ? ownCause(rule, told, message) : { rule, expected: told, came: message };
  return faulty(cause, fault, message);
}

const keys = 'a client with public keys (jwks)';
export const keylessClient: Cause = Object.freeze(
  faulty({ rule, expected: keys, came: 'one without' }, 'assertion_keyless'),
);

export const replayedAssertion: Cause = Object.freeze(
  faulty(
    ownCause(rule, 'an assertion that comes for the first time', 'one whose jti came before'),
    'assertion_replayed',
  ),
);

export function otherSubject(subject: string | undefined): Cause {
  const came = subject === undefined ? 'no sub' : 'another one';
  return faulty(
    ownCause(rule, 'sub: what is registered for the client', came),
    'assertion_subject',
  );
}

/** Its text is all that was looked at: the partner may read what is wrong. */
export function unreadableAssertion({ fault, expected, message }: AssertionFault): Cause {
  return faulty(ownCause(rule, expected, message), fault, message);
}

export function unknownSubject(expected: string, came: string): Cause {
  return { rule: ['grants', 'jwt_bearer', 'subject'], expected: `sub: ${expected}`, came };
}
