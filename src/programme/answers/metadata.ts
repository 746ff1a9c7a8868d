// Owns authorization server metadata (RFC 8414): what standard clients can be told of a programme.

import type { GrantType } from '../../oauth/grant.ts';
import { grantTypes } from '../../oauth/grant.ts';
import { programmePaths, servicePaths } from '../../oauth/own_paths.ts';
import type { Definition } from '../language/definition.ts';
import { endpointsOf } from '../requests/grant_places.ts';

/** Where the service is, as clients see it; from the configuration, never from a request (HOSTILE 50). */
export interface MetadataPlace {
  readonly publicUrl: string;
  readonly ownPath: string;
}

/** What of a programme there is for the clients that the document is for. */
export interface Offered {
  /** Not where clients cannot reach it. */
  readonly introspection: boolean;
  /** Also of a programme that signs no tokens any more, as long as those it signed may live. */
  readonly keySet: boolean;
}

export interface Metadata {
  /**
   * Where the document is served: under the programme's name, and where RFC 8414 3.1 has clients
   * look for it, between host and path of the issuer.
   */
  readonly paths: readonly string[];
  /** The document as JSON. */
  readonly document: (offered: Offered) => string;
}

export function compileMetadata(
  id: string,
  definition: Definition,
  place: MetadataPlace,
): Metadata {
  const issuer = place.publicUrl + place.ownPath;
  const wellKnown = servicePaths.metadata;
  return {
    paths: [
      ...new Set([`${wellKnown}/${id}`, wellKnown + new URL(issuer).pathname.replace(/\/$/, '')]),
    ],
    document: compileDocument(definition, place),
  };
}

function compileDocument(definition: Definition, place: MetadataPlace): Metadata['document'] {
  const issuer = place.publicUrl + place.ownPath;
  const methods = authenticationMethods(definition);
  const places = { issuer, ...endpoints(definition, place) };
  const keys = { jwks_uri: issuer + programmePaths.keySet };
  const abilities = {
    scopes_supported: definition.scope.values,
    response_types_supported: definition.grants.authorization_code === undefined ? [] : ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: granted(definition),
    token_endpoint_auth_methods_supported: methods,
    ...(definition.authorize.pkce === 'off' ? {} : { code_challenge_methods_supported: ['S256'] }),
    ...(definition.authorize.answer.issuer === undefined
      ? {}
      : { authorization_response_iss_parameter_supported: true }),
    ...(definition.tokens.access.format === 'jwt'
      ? { access_token_signing_alg_values_supported: [definition.tokens.access.algorithm] }
      : {}),
    interface_version: definition.interface_version,
  };
  const { introspection, revocation } = definition;
  const revoking =
    revocation === undefined
      ? {}
      : {
          revocation_endpoint: issuer + revocation.path,
          revocation_endpoint_auth_methods_supported: methods,
        };
  const asking =
    introspection === undefined
      ? {}
      : {
          introspection_endpoint: issuer + introspection.path,
          introspection_endpoint_auth_methods_supported: [
            ...new Set([...methods, 'client_secret_basic']),
          ],
        };
  return (offered) =>
    JSON.stringify({
      ...places,
      ...(offered.keySet ? keys : {}),
      ...abilities,
      ...revoking,
      ...(offered.introspection ? asking : {}),
    });
}

function granted({ grants }: Definition): readonly GrantType[] {
  return grantTypes.filter((type) => grants[type] !== undefined);
}

/**
 * The token endpoint is that of the first grant; where others have another, which RFC 8414 has no
 * word for, `token_endpoints` tells that of each, and all of them where a grant has several.
 */
function endpoints(definition: Definition, { publicUrl }: MetadataPlace): object {
  const { grants, authorize, base_path: base } = definition;
  const urls = granted(definition).map((type) => {
    const [only = '', ...others] = endpointsOf(definition, type).map(
      ([, { path }]) => publicUrl + base + path,
    );
    return [type, others.length === 0 ? only : [only, ...others]] as const;
  });
  const [first] = urls.map(([, url]) => [url].flat());
  return {
    ...(grants.authorization_code === undefined
      ? {}
      : { authorization_endpoint: publicUrl + base + authorize.endpoint.path }),
    ...(first === undefined ? {} : { token_endpoint: first[0] }),
    ...(new Set(urls.flatMap(([, url]) => url)).size > 1
      ? { token_endpoints: Object.fromEntries(urls) }
      : {}),
  };
}

/** RFC 7591 2 has names for two of the ways; a dialect's other ones go without. */
function authenticationMethods({ client, token_endpoints }: Definition): readonly string[] {
  const { methods } = client.authentication;
  const isPost = Object.values(token_endpoints).some(({ read, inputs }) => {
    const { client_id: id, client_secret: secret } = inputs;
    return (
      read.includes('form') &&
      id?.name === undefined &&
      secret !== undefined &&
      secret.name === undefined
    );
  });
  return [
    ...(methods.includes('basic') ? ['client_secret_basic'] : []),
    ...(methods.includes('parameters') && isPost ? ['client_secret_post'] : []),
  ];
}
