// Owns authorization server metadata (RFC 8414), with which standard clients configure themselves.

import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition } from '../../language/input_schema.ts';
import { present } from '../../lib/present.ts';
import { grantRows } from '../../oauth/grant.ts';
import { privateKeyJwt, isByCertificate, isByNothing } from '../../oauth/methods.ts';
import { programmePaths, servicePaths } from '../../oauth/own_paths.ts';
import { hasValues, withPathValues } from '../path_index.ts';
import { endpointsOf, offeredGrants } from '../requests/grant_places.ts';
import { assertionInputs } from '../requests/presented_credentials.ts';
import { signsAccess } from '../token_forms.ts';
import { identityAlgorithm } from './identity.ts';

/** Endpoints that the document names only under a condition. */
export interface Offered {
  /** False if clients cannot reach the endpoint. */
  readonly introspection: boolean;
  /** True also while tokens live that the programme signed before it stopped signing. */
  readonly keySet: boolean;
}

export interface Metadata {
  /**
   * Paths of the document: the programme's own, the path of RFC 8414 3.1, which puts the well-known segment
   * between the issuer's host and path, and with identity tokens both of OpenID Connect: below the issuer
   * (OpenID Connect Discovery 4), and before its path (RFC 8414 5).
   */
  readonly paths: readonly string[];
  readonly document: (offered: Offered) => string;
}

/** `publicUrl` is from the configuration, never from a request (HOSTILE 50). */
export function compileMetadata(
  id: string,
  definition: Definition,
  publicUrl: string,
  ownPath: string,
): Metadata {
  const issuer = publicUrl + ownPath;
  const wellKnown = servicePaths.metadata;
  const { discovery } = programmePaths;
  const issuerPath = new URL(issuer).pathname.replace(/\/$/, '');
  return {
    paths: [
      ...new Set([
        `${wellKnown}/${id}`,
        wellKnown + issuerPath,
        ...(definition.id_token === undefined ? [] : [ownPath + discovery, discovery + issuerPath]),
      ]),
    ],
    document: compileDocument(definition, publicUrl, issuer),
  };
}

function compileDocument(
  definition: Definition,
  publicUrl: string,
  issuer: string,
): Metadata['document'] {
  const { grants, scope, authorize, tokens, introspection, revocation } = definition;
  const { access } = tokens;
  const methods = registeredMethods(definition);
  const algorithms = methods.includes(privateKeyJwt)
    ? definition.client.authentication.assertion.algorithms
    : undefined;
  const places = { issuer, ...endpoints(definition, publicUrl) };
  const keys = { jwks_uri: issuer + programmePaths.keySet };
  const abilities = {
    scopes_supported: scope.values,
    response_types_supported: grants.authorization_code === undefined ? [] : ['code'],
    response_modes_supported: responseModesOf(authorize),
    grant_types_supported: offeredGrants(definition).map(
      (type) => grantRows[type].registered ?? type,
    ),
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    code_challenge_methods_supported: authorize.pkce === 'off' ? undefined : ['S256'],
    authorization_response_iss_parameter_supported:
      authorize.answer.issuer === undefined ? undefined : true,
    access_token_signing_alg_values_supported: signsAccess(definition)
      ? [access.algorithm]
      : undefined,
    ...identityAbilities(definition, issuer),
    interface_version: definition.interface_version,
    ...(revocation && {
      revocation_endpoint: issuer + revocation.path,
      revocation_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    }),
  };
  const asking = introspection && {
    introspection_endpoint: issuer + introspection.path,
    introspection_endpoint_auth_methods_supported: [
      ...new Set([...methods.filter((method) => method !== 'none'), 'client_secret_basic']),
    ],
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
  };
  return ({ keySet, introspection: isAsked }) =>
    JSON.stringify(
      { ...places, ...(keySet ? keys : {}), ...abilities, ...(isAsked ? asking : {}) },
      withoutEmpty,
    );
}

/** RFC 8414 3.2: a list without elements is left out. So are undefined members, by JSON.stringify. */
function withoutEmpty(_: string, value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

/** The usual mode, and those that a login request can choose. */
function responseModesOf({ answer, endpoint }: Definition['authorize']): readonly string[] {
  const { response_mode: chosen } = endpoint.inputs;
  return [...new Set([answer.mode, ...(chosen?.allowed ?? [])])];
}

/** OpenID Connect Discovery 3. */
function identityAbilities(definition: Definition, issuer: string): object {
  const { id_token: identity, userinfo } = definition;
  const own = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash'];
  return {
    ...(userinfo && { userinfo_endpoint: issuer + userinfo.path }),
    ...(identity && {
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [identityAlgorithm(identity, definition)],
      claims_supported: [
        ...new Set([...own, ...identity.claims.keys(), ...(userinfo?.fields.keys() ?? [])]),
      ],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
    }),
  };
}

/**
 * RFC 8414 allows one `token_endpoint`: that of the first grant. `token_endpoints` names the
 * endpoint of each grant, or a list if a grant has several.
 */
function endpoints(definition: Definition, publicUrl: string): object {
  const { grants, authorize, base_path: base } = definition;
  const urls = offeredGrants(definition).map((type) => {
    const [only = '', ...others] = endpointsOf(definition, type).map(
      ([, endpoint]) => publicUrl + base + (constantPath(definition, endpoint) ?? ''),
    );
    return [type, others.length === 0 ? only : [only, ...others]] as const;
  });
  const all = urls.flatMap(([, url]) => url);
  const authorizationUrl = publicUrl + base + (constantPath(definition, authorize.endpoint) ?? '');
  return present({
    authorization_endpoint: grants.authorization_code && authorizationUrl,
    token_endpoint: all[0],
    token_endpoints: new Set(all).size > 1 ? Object.fromEntries(urls) : undefined,
  });
}

/**
 * The path that every client can call, with the first allowed value of each input in it; undefined where a
 * value is not known, or is a client's own (HOSTILE 76).
 */
export function constantPath(
  { programme_identifier: identifier }: Pick<Definition, 'programme_identifier'>,
  { path, inputs }: EndpointDefinition,
): string | undefined {
  const whole = withPathValues(path, (wanted) => {
    const [, input] =
      Object.entries(inputs).find(([role, { name = role }]) => name === wanted) ?? [];
    const { must_equal: equal, allowed = [] } = input ?? {};
    if (equal === 'programme.identifier') return identifier;
    return equal === undefined ? allowed[0] : undefined;
  });
  return hasValues(whole) ? undefined : whole;
}

/** Only the methods that RFC 7591 2 and RFC 8705 name; a dialect's other methods are left out. */
function registeredMethods({ client, token_endpoints }: Definition): readonly string[] {
  const { methods } = client.authentication;
  const isPost = Object.values(token_endpoints).some(({ read, inputs }) => {
    const { client_id: id, client_secret: secret } = inputs;
    const isUsual = id?.name === undefined && secret !== undefined && secret.name === undefined;
    return read.includes('form') && isUsual;
  });
  const isSigned = Object.values(token_endpoints).some(
    ({ read, inputs }) =>
      read.includes('form') &&
      assertionInputs.every(
        (role) => inputs[role] !== undefined && inputs[role].name === undefined,
      ),
  );
  return [
    ...(methods.includes('basic') && client.authentication.scheme === 'Basic'
      ? ['client_secret_basic']
      : []),
    ...(methods.includes('parameters') && isPost ? ['client_secret_post'] : []),
    ...(methods.includes(privateKeyJwt) && isSigned ? [privateKeyJwt] : []),
    ...new Set(
      methods.flatMap((method) => {
        if (isByNothing(method)) return 'none';
        return isByCertificate(method) ? method : [];
      }),
    ),
  ];
}
