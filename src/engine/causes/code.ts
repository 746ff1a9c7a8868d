// Owns the causes for which a code is refused.

import type { Instant } from '../../lib/clock.ts';
import {
  type Cause,
  describeAge,
  describeText,
  endpointRule,
  faulty,
  ownCause,
} from '../../oauth/cause.ts';
import type { Client } from '../../oauth/client.ts';
import type { ProofFault } from '../../oauth/proofs/proof_faults.ts';
import { redirectCause } from '../../oauth/redirect_uri.ts';
import type { Programme } from '../../programme/programme.ts';

/** A code whose form is right was never issued, or so long ago that it is forgotten. */
export function unknownCode({ code }: Programme, sent: string): Cause {
  const misfit = code.misfit(sent);
  if (misfit !== undefined) {
    return ownCause(['code', misfit.key], `a code: ${misfit.expected}`, misfit.came);
  }
  const came = `a code that the programme does not know: of another programme or environment, replaced by a later one of its login, or forgotten since its end`;
  return { rule: ['code', 'lifetime'], expected: 'a code of the programme', came };
}

export const codeOfAnother: Cause = Object.freeze({
  rule: ['code'],
  expected: 'a code that was issued to this client',
  came: 'a code of another client',
});

export const codeOfInactive: Cause = Object.freeze({
  rule: ['members'],
  expected: 'a code of a member who is active',
  came: 'a code of one who is disabled or gone since',
});

export const spentCode: Cause = Object.freeze(
  ownCause(
    ['code'],
    'a code that is used for the first time',
    'one that was used before: its login was ended, with all of its tokens',
  ),
);

export function deadCode(expiresAt: Instant, now: Instant): Cause {
  return now < expiresAt
    ? ownCause(
        ['code'],
        'a code that stands',
        'one that was revoked, or whose login has a later one',
      )
    : ownCause(
        ['code', 'lifetime'],
        'a code within its lifetime',
        `one that expired ${describeAge(now - expiresAt)}`,
      );
}

export function otherRedirect(sent: string, client: Client): Cause {
  const expected = 'the redirect URI of the login request';
  const came = client.redirectUris.includes(sent)
    ? 'another registered one'
    : redirectCause(sent, client).came;
  return { rule: endpointRule('inputs', 'redirect_uri'), expected, came };
}

/** @param fault of `verifierFault` */
export function wrongVerifier(fault: ProofFault, verifier: string | undefined): Cause {
  const rule = endpointRule('inputs', 'code_verifier');
  const expected =
    fault === 'verifier_undeclared'
      ? 'no code verifier: the login request had no challenge'
      : 'the code verifier of the challenge in the login request';
  const came = verifier === undefined ? 'none' : `another one, of ${describeText(verifier)}`;
  return faulty(ownCause(rule, expected, came), fault);
}
