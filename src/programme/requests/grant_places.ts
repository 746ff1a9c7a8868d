// Owns which requests read an input, and which need it: by grant, by method of authentication and by place.

import type { ClientAuthentication } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition } from '../../language/input_schema.ts';
import { grantRows, type GrantType, grantTypes, inputsOfGrants } from '../../oauth/grant.ts';
import {
  methodRows,
  type AuthenticationMethod,
  isByNothing,
  isHeaderMethod,
  privateKeyJwt,
} from '../../oauth/methods.ts';

/** What a request asks for: tokens by a grant, a login, or an answer about a token or a call. */
export type RequestKind = GrantType | 'login' | 'management' | 'call';

export function isGrant(kind: RequestKind): kind is GrantType {
  return kind !== 'login' && kind !== 'management' && kind !== 'call';
}

type Places = Pick<Definition, 'grants' | 'token_endpoints'>;

/** Whether a request for the grant may bring the input: inputs of other grants are not read. */
export function readsInput(type: GrantType, role: string): boolean {
  const { needs, takes = [] } = grantRows[type];
  return !inputsOfGrants.has(role) || needs.includes(role) || takes.includes(role);
}

export function needsInput(type: GrantType, role: string): boolean {
  return grantRows[type].needs.includes(role);
}

/** The grants that the file turns on. */
export function offeredGrants({ grants }: Pick<Definition, 'grants'>): readonly GrantType[] {
  return grantTypes.filter((type) => grants[type] !== undefined);
}

export function grantsAt({ grants }: Places, endpoint: string): readonly GrantType[] {
  return offeredGrants({ grants }).filter((type) => grants[type]?.endpoint.includes(endpoint));
}

/** The value of `grant_type` that asks for a grant at an endpoint. */
export function wordAt(
  { grants }: Pick<Definition, 'grants'>,
  endpoint: Pick<EndpointDefinition, 'grant_types'> | undefined,
  type: GrantType,
): string {
  return endpoint?.grant_types?.[type] ?? grants[type]?.grant_type ?? type;
}

/** Whether a request for the grant must say so: the endpoint cannot tell it otherwise. */
export function needsWord(
  definition: Pick<Definition, 'grants'>,
  endpoint: EndpointDefinition,
  served: readonly GrantType[],
  type: GrantType,
): boolean {
  const words = new Set(served.map((one) => wordAt(definition, endpoint, one)));
  const { without_grant_type: otherwise } = endpoint;
  return words.size > 1 && otherwise !== 'inputs' && otherwise !== type;
}

/** The declared endpoints of a grant, in the order of the file. */
export function endpointsOf(
  { grants, token_endpoints: declared }: Places,
  type: GrantType,
): readonly (readonly [name: string, endpoint: EndpointDefinition])[] {
  return (grants[type]?.endpoint ?? []).flatMap((name) => {
    // A name such as `constructor` is no declaration.
    const endpoint = Object.hasOwn(declared, name) ? declared[name] : undefined;
    return endpoint === undefined ? [] : [[name, endpoint] as const];
  });
}

/** Inputs that do nothing but prove a client. */
export const onlyProofs: ReadonlySet<string> = new Set([
  'client_secret',
  'client_signature',
  'client_assertion',
  'client_assertion_type',
  'client_token',
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
    // An own token that is to be exchanged proves its client by itself.
    if (method === 'own_token' && kind === 'token_exchange') return [['subject_token']];
    if (method === 'token') {
      const token = isGrant(kind) ? grantRows[kind].token : undefined;
      return token === undefined ? [] : [[token]];
    }
    const isPublic = !isGrant(kind) || grantRows[kind].isPublic === true;
    if (isByNothing(method) && !isPublic) return [];
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
