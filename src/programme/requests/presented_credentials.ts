// Owns what a request presents to prove its client, and the assertions among it.

import type { Definition } from '../../language/definition.ts';
import { isProperty } from '../../language/tokens/assertion_schema.ts';
import type { Digest } from '../../lib/digest.ts';
import { faulty, ownCause } from '../../oauth/cause.ts';
import type { CertificateClaim } from '../../oauth/client_certificate.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { privateKeyJwt } from '../../oauth/methods.ts';
import type { ProofFault } from '../../oauth/proofs/proof_faults.ts';
import {
  type Assertion,
  type AssertionUse,
  readAssertion,
} from '../../token/assertions/assertion.ts';
import { AssertionFault } from '../../token/assertions/claims.ts';
import type { Fingerprint } from '../../token/proven_headers.ts';
import type { Input, Inputs } from './inputs.ts';

/** A new kind needs a row in `prove` (engine/authentication/client.ts). */
export type PresentedCredentials =
  | SecretCredentials
  | LoneSecret
  | CertificateCredentials
  | AssertionCredentials
  | SignatureCredentials
  | PublicCredentials
  | TokenCredentials
  | OwnTokenCredentials;

export interface SecretCredentials {
  readonly kind: 'secret';
  readonly id: string;
  /** The possible readings of the secret; a cached header is decoded only by this call. */
  readonly secrets: () => readonly string[];
  /** The header's fingerprint and, if it is cached, the digest it proved. */
  readonly header?: { readonly fingerprint: Fingerprint; readonly proven?: Digest };
}

/** A secret without an identifier, by which the client is found. */
export interface LoneSecret {
  readonly kind: 'secret_alone';
  readonly id?: never;
  /** The possible readings of the secret. */
  readonly secrets: () => readonly string[];
}

/** RFC 8705: what the dialect takes of a certificate. */
export interface CertificateCredentials {
  readonly kind: 'certificate';
  readonly id: string;
  readonly certificate: CertificateClaim;
}

/** The identifier of a client that claims to be public (RFC 6749 3.2.1). */
export interface PublicCredentials {
  readonly kind: 'none';
  readonly id: string;
  /** The request named nobody: the file did. */
  readonly isUnnamed?: true;
}

/** A token of an earlier answer, which names its client and is all that proves it. */
export interface TokenCredentials {
  readonly kind: 'token';
  readonly id?: never;
  /** The only grant that it proves anything for. */
  readonly grant: GrantType;
  readonly token: string;
  /** Whether a token that the client got for itself proves it, and whether any token of a login does. */
  readonly takesOwn: boolean;
  readonly takesLogin: boolean;
}

/** An access token of the client's own, beside what the grant needs. */
export interface OwnTokenCredentials {
  readonly kind: 'own_token';
  /** As the request says besides. */
  readonly id: string | undefined;
  readonly token: string;
}

/** A signature by the client's signing secret. */
export interface SignatureCredentials {
  readonly kind: 'signature';
  readonly id: string;
  readonly signature: string;
  /** The signature that the text must have by a secret. */
  readonly signedBy: (secret: string) => string;
}

/** RFC 7523: a JWT of which nothing is proved, not even the identifier. */
export interface AssertionCredentials {
  readonly kind: 'assertion';
  readonly id: string;
  readonly assertion: Assertion;
  readonly use: AssertionUse;
}

/** RFC 7523 2.2. */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The inputs of RFC 7521 4.2. */
export const assertionInputs = ['client_assertion', 'client_assertion_type'] as const;

export interface AssertionReader {
  /** The wire name of `client_assertion`. */
  readonly told: string;
  readonly isSent: (inputs: Inputs) => boolean;
  /** Undefined where there is none. Throws `Refusal` for what cannot be read. */
  readonly read: (inputs: Inputs) => AssertionCredentials | undefined;
}

/**
 * @param asksByAssertion whether a request asks for the grant `jwt_bearer`: then its assertion proves its
 * client too, where no other credentials came (RFC 7521 4.1)
 */
export function compileAssertionReader(
  { methods, assertion: { issuer, sub } }: Definition['client']['authentication'],
  rules: readonly Input[],
  asksByAssertion: (inputs: Inputs) => boolean,
): AssertionReader | undefined {
  if (!methods.includes(privateKeyJwt)) return undefined;
  const told = (role: string): string => rules.find((rule) => rule.role === role)?.name ?? role;
  const expectsType = rules.some(({ role }) => role === 'client_assertion_type');
  const refusal = (role: string, expected: string, came: string, fault?: ProofFault): Refusal => {
    const rule = ['client', 'authentication', 'methods'];
    const own = ownCause(rule, `${told(role)}: ${expected}`, came, told(role));
    const cause = fault === undefined ? own : faulty(own, fault, came);
    // Of a grant, whatever is wrong with its assertion gets one answer.
    return role === 'assertion'
      ? new Refusal('invalid_assertion', { cause })
      : new Refusal('authentication_malformed', { parameter: told(role), cause });
  };
  const missing = (role: string): Refusal => {
    const rule = ['client', 'authentication', 'assertion'];
    const cause = ownCause(rule, `${told(role)} beside the assertion`, 'none', told(role));
    return new Refusal('authentication_missing', { parameter: told(role), cause });
  };
  const read = (inputs: Inputs, role: string, use: AssertionUse): AssertionCredentials => {
    const found = readAssertion(inputs.get(role) ?? '', use);
    if (found instanceof AssertionFault) {
      throw refusal(role, found.expected, found.message, found.fault);
    }
    const isNamedByIssuer = issuer === 'client.id';
    const claimed = use === 'client' && !isProperty(sub) ? found.subject : undefined;
    const id = inputs.get('client_id') ?? (isNamedByIssuer ? found.issuer : claimed);
    if (id === undefined) {
      // It speaks of somebody else.
      if (isProperty(sub)) throw missing('client_id');
      throw refusal(role, 'a JWT that names its client', 'one that names none');
    }
    return { kind: 'assertion', id, assertion: found, use };
  };
  return {
    told: told('client_assertion'),
    isSent: (inputs) => inputs.has('client_assertion'),
    read: (inputs) => {
      if (!inputs.has('client_assertion')) {
        const isProof = inputs.has('assertion') && asksByAssertion(inputs);
        return isProof ? read(inputs, 'assertion', 'grant') : undefined;
      }
      const type = inputs.get('client_assertion_type');
      if (expectsType && type !== assertionType) {
        throw refusal(
          'client_assertion_type',
          assertionType,
          type === undefined ? 'none' : 'another',
        );
      }
      return read(inputs, 'client_assertion', 'client');
    },
  };
}
