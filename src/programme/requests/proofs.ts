// Owns which inputs of an endpoint prove a client, and for which kinds of request nothing else does.

import type { ClientAuthentication } from '../../language/client_schema.ts';
import type { EndpointDefinition } from '../../language/input_schema.ts';
import { methodRows } from '../../language/methods.ts';
import { type AuthenticationMethod, isHeaderMethod, privateKeyJwt } from '../../oauth/client.ts';
import { publicGrants, tokenGrants } from '../../oauth/grant.ts';
import { isGrant, type RequestKind } from './grant_places.ts';

/** Inputs that do nothing but prove a client. */
const onlyProofs: ReadonlySet<string> = new Set([
  'client_secret',
  'client_assertion',
  'client_assertion_type',
]);

export interface Proofs {
  /** No method of the dialect reads the input, and the file does not require it. A request that sends it is refused, or the value is ignored. */
  readonly isUnread: boolean;
  /** Whether no client can authenticate without the input. */
  readonly proves: (kind: RequestKind) => boolean;
}

/** What an input has to do with the proof of a client. */
export function proofsOf(
  authentication: ClientAuthentication,
  { inputs }: Pick<EndpointDefinition, 'inputs'>,
  role: string,
): Proofs {
  const { methods, secret_half: half } = authentication;
  const rolesOf = (method: AuthenticationMethod): readonly string[] =>
    method === privateKeyJwt && inputs['client_assertion_type'] !== undefined
      ? [...methodRows[method].inputs, 'client_assertion_type']
      : methodRows[method].inputs;
  /** The inputs of each way by which a client can prove itself with the method. */
  const waysOf = (
    method: AuthenticationMethod,
    kind: RequestKind,
  ): readonly (readonly string[])[] => {
    if (isHeaderMethod(method) || (method === 'secret' && half !== undefined)) return [[]];
    if (method === 'token') {
      const token = isGrant(kind) ? tokenGrants[kind] : undefined;
      return token === undefined ? [] : [[token]];
    }
    const isPublic = !isGrant(kind) || publicGrants.has(kind);
    if (method === 'none' && !isPublic) return [];
    // The assertion of the grant proves its client too (RFC 7521 4.1).
    const isOfGrant = method === privateKeyJwt && kind === 'jwt_bearer';
    return [rolesOf(method), ...(isOfGrant ? [['assertion']] : [])];
  };
  return {
    isUnread:
      onlyProofs.has(role) &&
      inputs[role]?.required !== true &&
      !methods.some((method) => rolesOf(method).includes(role)),
    proves: (kind) => {
      if (kind === 'login' || kind === 'call') return false;
      const ways = methods
        .flatMap((method) => waysOf(method, kind))
        // An endpoint of one grant may lack the inputs of a method: then nobody uses it there.
        .filter((way) => way.every((one) => inputs[one] !== undefined));
      return ways.length > 0 && ways.every((way) => way.includes(role));
    },
  };
}
