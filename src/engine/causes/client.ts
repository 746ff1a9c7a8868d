// Owns the causes for which a client is not authenticated, or refused for its limit.

import type { Instant } from '../../lib/clock.ts';
import {
  type Cause,
  countOf,
  describeText,
  faulty,
  ownCause,
  type RulePath,
} from '../../oauth/cause.ts';
import type { Client, StoredSecret, ThrottleLimit } from '../../oauth/client.ts';
import type { CertificateClaim } from '../../oauth/client_certificate.ts';
import type { ProofFault } from '../../oauth/proofs/proof_faults.ts';
import type { Programme } from '../../programme/programme.ts';

const methods: RulePath = ['client', 'authentication', 'methods'];
const registered = 'the identifier of a client of the programme';

export function unknownClient({ clients }: Programme, sent: string): Cause {
  const misfit = clients.misfit(sent);
  if (misfit === undefined) {
    const cause = { rule: ['client', 'identifier'], expected: registered, came: '' };
    return faulty(cause, 'client_unknown', 'one that no client has');
  }
  const { key, expected, came } = misfit;
  const cause = {
    rule: ['client', 'identifier', key],
    expected: `${registered}: ${expected}`,
    came,
  };
  return faulty(cause, 'client_unknown', came);
}

/** The client of requests that name none. */
export function unregisteredClient(id: string): Cause {
  return {
    rule: ['client', 'authentication', 'unnamed_client'],
    expected: `a registered client: jetway client add --public --client-id ${id}`,
    came: 'no credentials, and no such client',
  };
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

export const disabledClient: Cause = Object.freeze(
  faulty({ rule: ['client'], expected: 'a client that is active', came: '' }, 'client_disabled'),
);

/** @param near the fault with which a live secret was sent, if it was one */
export function wrongSecret(
  secrets: readonly StoredSecret[],
  texts: readonly string[],
  now: Instant,
  near: ProofFault | undefined,
): Cause {
  const live = secrets.filter(({ expiresAt = Infinity }) => now < expiresAt).length;
  const [text = ''] = texts;
  const came = `another one, of ${describeText(text)}`;
  const cause = { rule: methods, expected: `the client's secret, of which it has ${live}`, came };
  return faulty(cause, near ?? (text === '' ? 'secret_empty' : 'secret_other'));
}

/** @param live how many signing secrets the client has that are good */
export function wrongSignature(live: number): Cause {
  const expected = `the signature by the client's signing secret, of which it has ${live}`;
  const rule = ['client', 'authentication', 'signature'];
  return faulty({ rule, expected, came: 'another one' }, 'signature_other');
}

export function endedSecret({ expiresAt = 0 as Instant }: StoredSecret): Cause {
  const came = `one that ended at ${new Date(expiresAt).toISOString()}`;
  const expected = 'a secret of the client that has not ended';
  return faulty({ rule: methods, expected, came }, 'secret_ended');
}

/** @param client as registered; none where the identifier is not known */
export function wrongCertificate(
  { expiresAt, names, thumbprint }: CertificateClaim,
  client: Pick<Client, 'certificates' | 'certificateSubject'> | undefined,
  now: Instant,
): Cause {
  const { certificates = [], certificateSubject: subject } = client ?? {};
  const expected = 'the registered certificate or name of the client';
  const cause = { rule: methods, expected, came: '' };
  // Of an unknown client too, and of one without a name: they cost the same.
  const named = nameFault(names, subject ?? 'CN=none');
  if (now >= expiresAt) return faulty(cause, 'certificate_ended');
  if (subject === undefined || (certificates.length > 0 && thumbprint !== undefined)) {
    const isThere = certificates.length > 0;
    return faulty(cause, isThere ? 'certificate_unregistered' : 'client_without_certificate');
  }
  return faulty(cause, named);
}

/** How the names of a certificate differ from the registered one. */
function nameFault(names: readonly string[], subject: string): ProofFault {
  if (names.length === 0) return 'certificate_unvouched';
  const kind = /^(?:dns|uri|ip|email):/;
  const [prefix] = kind.exec(subject) ?? [];
  if (prefix !== undefined) {
    const isKind = names.some((name) => name.startsWith(prefix));
    return isKind ? 'certificate_other_name' : 'certificate_without_name';
  }
  const sorted = (name: string): string => name.split(',').toSorted().join(',');
  const isSame = names.some((name) => !kind.test(name) && sorted(name) === sorted(subject));
  return isSame ? 'certificate_subject_order' : 'certificate_other_subject';
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
