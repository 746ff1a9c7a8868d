// Owns the causes for which a client is not authenticated, or refused for its limit.

import type { Instant } from '../../lib/clock.ts';
import { type Cause, countOf, describeText, ownCause, type RulePath } from '../../oauth/cause.ts';
import type { StoredSecret, ThrottleLimit } from '../../oauth/client.ts';
import type { CertificateClaim } from '../../oauth/client_certificate.ts';
import type { Programme } from '../../programme/programme.ts';

const methods: RulePath = ['client', 'authentication', 'methods'];
const registered = 'the identifier of a client of the programme';

export function unknownClient({ clients }: Programme, sent: string): Cause {
  const misfit = clients.misfit(sent);
  if (misfit === undefined) {
    return { rule: ['client', 'identifier'], expected: registered, came: 'one that no client has' };
  }
  const { key, expected, came } = misfit;
  return { rule: ['client', 'identifier', key], expected: `${registered}: ${expected}`, came };
}

/** Not told how it differs: it may be a guess. */
export const unknownSecret: Cause = Object.freeze({
  rule: methods,
  expected: 'a secret that one client of the programme has',
  came: 'one that no client has, or several',
});

export const confidentialClient: Cause = Object.freeze({
  rule: methods,
  expected: 'a proof, which only a public client can do without (jetway client add --public)',
  came: 'the identifier alone of a client that is not public',
});

export const disabledClient: Cause = Object.freeze({
  rule: ['client'],
  expected: 'a client that is active',
  came: 'one that is disabled (jetway client enable)',
});

export function wrongSecret(
  secrets: readonly StoredSecret[],
  texts: readonly string[],
  now: Instant,
): Cause {
  const live = secrets.filter(({ expiresAt = Infinity }) => now < expiresAt).length;
  const came = `another one, of ${describeText(texts[0] ?? '')}`;
  return { rule: methods, expected: `the client's secret, of which it has ${live}`, came };
}

export function endedSecret({ expiresAt = 0 as Instant }: StoredSecret): Cause {
  const came = `one that ended at ${new Date(expiresAt).toISOString()}`;
  return { rule: methods, expected: 'a secret of the client that has not ended', came };
}

export function wrongCertificate({ expiresAt }: CertificateClaim, now: Instant): Cause {
  const came = now >= expiresAt ? 'one that has ended' : 'another one';
  return { rule: methods, expected: 'the registered certificate or name of the client', came };
}

export function tooManySecrets(limit: ThrottleLimit, { came }: Cause): Cause {
  const expected = `at most ${limitText(limit)} that fail, of one address, and of identifiers that share a count`;
  return {
    rule: ['client', 'authentication', 'failure_limit'],
    expected,
    came: `more, the last with: ${came}`,
  };
}

/** @param own whether the limit is that of the client alone */
export function usedUp(limit: ThrottleLimit, own: boolean): Cause {
  const whose = own ? "the client's own limit" : 'the limit of every client';
  const expected = `at most ${limitText(limit)}, ${whose}`;
  return ownCause(['throttle', 'limit'], expected, 'more');
}

function limitText({ limit, window }: ThrottleLimit): string {
  return `${countOf(limit, 'request')} within ${window / 1000} s`;
}
