// Owns reading an assertion by which a client authenticates (RFC 7521 4.2): as one, or as the grant that
// it asks for.

import type { Definition } from '../../language/definition.ts';
import { faulty, ownCause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import { privateKeyJwt } from '../../oauth/methods.ts';
import type { ProofFault } from '../../oauth/proofs/proof_faults.ts';
import { type AssertionUse, readAssertion } from '../../token/assertions/assertion.ts';
import { AssertionFault } from '../../token/assertions/claims.ts';
import type { Input, Inputs } from './inputs.ts';
import type { AssertionCredentials } from './presented_credentials.ts';

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
  { methods, assertion: { issuer } }: Definition['client']['authentication'],
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
  const read = (inputs: Inputs, role: string, use: AssertionUse): AssertionCredentials => {
    const found = readAssertion(inputs.get(role) ?? '', use);
    if (found instanceof AssertionFault) {
      throw refusal(role, found.expected, found.message, found.fault);
    }
    const isNamedByIssuer = issuer === 'client.id';
    const claimed = use === 'client' ? found.subject : undefined;
    const id = inputs.get('client_id') ?? (isNamedByIssuer ? found.issuer : claimed);
    if (id === undefined) throw refusal(role, 'a JWT that names its client', 'one that names none');
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
