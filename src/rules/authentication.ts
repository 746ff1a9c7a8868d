// Owns the checks of how clients prove themselves, by secrets, certificates and assertions.

import { authenticationAt, readsHeader } from '../language/client_schema.ts';
import type { Definition } from '../language/definition.ts';
import type { EndpointDefinition } from '../language/input_schema.ts';
import { isProperty } from '../language/tokens/assertion_schema.ts';
import { alphabetOf, compileMisfit } from '../language/value_shape.ts';
import { nodeAt, positionAt } from '../lib/document.ts';
import type { Path } from '../lib/fault.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import {
  grantRows,
  type GrantType,
  grantTypes,
  isByOwnToken,
  tokensOfGrants,
} from '../oauth/grant.ts';
import {
  methodRows,
  type AuthenticationMethod,
  isHeaderMethod,
  privateKeyJwt,
  isByCertificate,
  isByNothing,
} from '../oauth/methods.ts';
import { grantsAt, endpointsOf } from '../programme/requests/grant_places.ts';
import { type Complaint, wrong } from '../schema/faults.ts';
import { endpointsIn, lackingInputs } from './endpoints.ts';

/** Identifiers that the authentication method cannot carry, and inputs that it needs. */
export function* authenticationComplaints(definition: Definition): Iterable<Complaint> {
  const { identifier, authentication } = definition.client;
  const { methods, credentials, basic_charset: charset } = authentication;
  const endpoints = Object.entries(definition.token_endpoints);
  yield* methodComplaints(definition);
  yield* unnamedComplaints(definition);
  const isEncoded = credentials === 'form' || credentials === 'base64';
  yield* wrong(
    [
      charset !== 'utf-8' && !readsHeader(authentication),
      [...at, 'basic_charset'],
      'no credentials are read from the header, so basic_charset has no effect',
      'take this out, or add basic to client.authentication.methods',
    ],
    [
      charset !== 'utf-8' && isEncoded && readsHeader(authentication),
      [...at, 'basic_charset'],
      `only raw credentials can be ISO-8859-1, and these are ${credentials === 'form' ? 'form-encoded UTF-8' : 'base64 again'}`,
      'set client.authentication.credentials to raw or either, or take this out',
    ],
  );
  if (methods.some(isHeaderMethod)) {
    const letters = (unsaid: 'printable' | 'alphanumeric'): string =>
      (identifier.prefix ?? '') + alphabetOf(identifier.characters ?? unsaid);
    yield* wrong(
      [
        credentials === 'either' && /[%+ ]/.test(letters('printable')),
        ['client', 'identifier'],
        'if both encodings are taken, identifiers with "%", "+" or a space are ambiguous',
        'narrow their characters, or set client.authentication.credentials to raw or form',
      ],
      [
        (credentials === 'raw' || credentials === 'either') &&
          letters('alphanumeric').includes(':'),
        ['client', 'identifier'],
        'in a raw header, an identifier with ":" ends at the ":" (RFC 7617 2)',
        'narrow their characters, or set client.authentication.credentials to form',
      ],
    );
  }
  for (const [name, endpoint] of endpoints) {
    yield* endpointComplaints(definition, name, endpoint);
  }
}

/** Of one endpoint, by the methods that it takes. */
function* endpointComplaints(
  definition: Definition,
  name: string,
  endpoint: EndpointDefinition,
): Iterable<Complaint> {
  const authentication = authenticationAt(definition, endpoint);
  const { methods, scheme } = authentication;
  const served = grantsAt(definition, name);
  const all = definition.client.authentication.methods;
  for (const [index, method] of (endpoint.authentication ?? []).entries()) {
    if (all.includes(method)) continue;
    yield [
      ['token_endpoints', name, 'authentication', index],
      `no client of the dialect proves itself by ${method}`,
      `add ${method} to client.authentication.methods; endpoints that are not to take it list their own`,
    ];
  }
  if (endpoint.authentication !== undefined) {
    const at = ['token_endpoints', name, 'authentication'];
    yield* idleTokenComplaints(at, methods, served);
    const others = served.filter((type) => grantRows[type].isPublic !== true);
    yield* wrong([
      methods.every(isByNothing) && others.length > 0,
      at,
      `the grant ${others.join(' and ')} needs clients that prove themselves, and all are public here`,
      'add another method, or serve the grant elsewhere',
    ]);
  }
  // One header cannot hold the client's credentials and another value (RFC 9110 11.6.2).
  for (const [role, input] of readsHeader(authentication) ? Object.entries(endpoint.inputs) : []) {
    if (input.in !== 'header' || (input.name ?? role).toLowerCase() !== 'authorization') continue;
    // Its own scheme tells a secret from the credentials.
    const isTold = input.scheme?.toLowerCase() !== scheme.toLowerCase();
    const isBare = input.scheme === undefined || methods.includes('bare_basic');
    const isToken = methods.includes('token') && tokensOfGrants.includes(role);
    const isProof = role === 'client_secret' || role === 'client_token' || isToken;
    if (isProof && isTold && !isBare) continue;
    yield [
      ['token_endpoints', name, 'inputs', role],
      'the header Authorization holds the credentials of the client already',
      'read this from another header, or set client.authentication.methods to [parameters]',
    ];
  }
  const ways = new Map(
    methods.flatMap((method) => {
      const isAlone = method === 'secret' && authentication.secret_half !== undefined;
      // Those of assertions are checked with them (assertions.ts).
      const isOther = isAlone || method === privateKeyJwt;
      return isOther ? [] : methodRows[method].inputs.map((role) => [role, wayOf(method)] as const);
    }),
  );
  const message = (role: string): string =>
    `authentication by ${ways.get(role)} needs an input "${role}" here`;
  // There the token that the grant takes proves the client.
  const isByToken =
    (methods.includes('token') && served.every((type) => grantRows[type].token !== undefined)) ||
    (methods.includes('own_token') && served.every((type) => type === 'token_exchange'));
  if (isByToken) return;
  const place: Path = ['token_endpoints', name];
  const isOfTokens =
    served.length > 0 && served.every((type) => grantRows[type].token !== undefined);
  const hint = (role: string): string =>
    `add ${role}: {}; or add token to client.authentication.methods, so that the token alone proves the client, of which check warns`;
  yield* lackingInputs(place, endpoint, [...ways.keys()], message, isOfTokens ? hint : undefined);
}

/** Methods by a token at an endpoint that could never use it. */
function* idleTokenComplaints(
  at: Path,
  methods: readonly AuthenticationMethod[],
  served: readonly GrantType[],
): Iterable<Complaint> {
  const others = served.filter((type) => grantRows[type].token === undefined);
  const ownOnly = served.filter((type) => !isByOwnToken(type));
  const isOnly = (...some: readonly AuthenticationMethod[]): boolean =>
    methods.every((method) => some.includes(method));
  yield* wrong(
    [
      isOnly('token') && others.length > 0,
      at,
      `a token alone proves nobody for the grant ${others.join(' and ')}`,
      'add a method by which clients prove themselves for it',
    ],
    [
      isOnly('token', 'own_token') && !(isOnly('token') && others.length > 0) && ownOnly.length > 0,
      at,
      `a token of a client's own does not give it another by the grant ${ownOnly.join(' and ')}`,
      'add a method by which clients prove themselves for it',
    ],
  );
}

function wayOf(method: AuthenticationMethod): string {
  return isByCertificate(method) ? 'certificate' : method;
}

const at: Path = ['client', 'authentication'];

/** Methods that exclude each other, or need more than themselves. */
function* methodComplaints(definition: Definition): Iterable<Complaint> {
  const { client, authorize, cors, grants, tokens } = definition;
  const { methods, secret_half: half } = client.authentication;
  const isPair = methods.some(isHeaderMethod);
  const takesPublic = methods.some(isByNothing);
  const onlyPublic = methods.every(isByNothing);
  const taken = methods.filter(isByNothing).join(' and ');
  const others = grantTypes.filter((type) => grants[type] && grantRows[type].isPublic !== true);
  yield* wrong(
    [
      half !== undefined && !methods.includes('secret'),
      [...at, 'secret_half'],
      'no secret is read without an identifier: methods has no secret',
      'add secret to client.authentication.methods, or take this out',
    ],
    [
      isPair && (half === 'first' || half === 'second'),
      [...at, 'secret_half'],
      `a header with identifier and secret looks like one with a secret in the ${half} half`,
      'take basic and bare_basic out of client.authentication.methods, or say either',
    ],
    [
      takesPublic && grants.authorization_code !== undefined && authorize.pkce !== 'required',
      [...at, 'methods'],
      'public clients prove nothing, so their codes need proof keys (RFC 9700 2.1.1)',
      `set authorize.pkce to required, or take ${taken} out`,
    ],
    [
      takesPublic && grants.refresh_token !== undefined && tokens.refresh.rotation === 'off',
      ['tokens', 'refresh', 'rotation'],
      'refresh tokens of public clients must change at each use (RFC 9700 4.14.2)',
      `set it to on, or take ${taken} out of client.authentication.methods`,
    ],
    [
      takesPublic && !grants.authorization_code && !grants.password,
      [...at, 'methods'],
      'public clients get tokens only for members, and no grant here logs a member in',
      `add grants.authorization_code or grants.password, or take ${taken} out`,
    ],
    [
      cors === 'on' && !takesPublic,
      ['cors'],
      'no page can read anything: origins are for public clients, and there are none here',
      'add none to client.authentication.methods, or set cors to off',
    ],
    [
      methods.includes('token') &&
        !grantTypes.some((type) => grants[type] && grantRows[type].token),
      [...at, 'methods'],
      `no grant here takes a token, as ${grantTypes.filter((type) => grantRows[type].token).join(' and ')} do`,
      'take token out of client.authentication.methods',
    ],
    [
      methods.every((method) => method === 'token' || method === 'own_token'),
      [...at, 'methods'],
      `if ${methods.join(' and ')} is all there is, no client gets a first token`,
      'add the method by which clients prove themselves',
    ],
    [
      onlyPublic && others.length > 0,
      [...at, 'methods'],
      `the grant ${others.join(' and ')} needs clients that prove themselves, and all are public here`,
      `add another method, or set ${others.map((type) => `grants.${type}`).join(' and ')} to null`,
    ],
  );
}

/** The client that stands for requests without credentials. */
function* unnamedComplaints(definition: Definition): Iterable<Complaint> {
  const { identifier, authentication } = definition.client;
  const { methods, unnamed_client: id } = authentication;
  const isTaken = methods.includes('unnamed');
  const misfit = id === undefined ? undefined : compileMisfit(identifier)(id);
  yield* wrong(
    [
      isTaken && id === undefined,
      [...at, 'methods'],
      'no client stands for requests without credentials',
      'add client.authentication.unnamed_client with the identifier of a public client, or take unnamed out',
    ],
    [
      !isTaken && id !== undefined,
      [...at, 'unnamed_client'],
      'a request without credentials is refused: methods has no unnamed',
      'add unnamed to client.authentication.methods, or take this out',
    ],
    [
      misfit !== undefined,
      [...at, 'unnamed_client'],
      `no client has this identifier: client.identifier wants ${misfit?.expected}`,
      'write the identifier of a client that you register as public',
    ],
  );
  for (const [place, endpoint, name] of isTaken ? endpointsIn(definition) : []) {
    const { methods: here } = authenticationAt(definition, endpoint);
    yield* wrong([
      (name === undefined || here.includes('unnamed')) &&
        endpoint.inputs['client_id']?.required === true &&
        (name !== undefined || definition.grants.authorization_code !== undefined),
      [...place, 'inputs', 'client_id', 'required'],
      'this refuses every request that names no client, for which unnamed_client stands',
      'set it to false, or take unnamed out of client.authentication.methods',
    ]);
  }
}

/**
 * Many clients send their credentials twice. Warns where a dialect of its own refuses them and does not
 * say so; a file that keeps how its variant authenticates wants what the variant does.
 */
export function* bothWarnings(definition: Definition, document: YamlNode): Iterable<Complaint> {
  const isSaid = nodeAt(document, [...at, 'when_both']) !== undefined;
  const own = [[...at, 'methods'], ['token_endpoints']].find(
    (path) => positionAt(document, path).file === document.at.file,
  );
  const endpoints = Object.values(definition.token_endpoints);
  yield* wrong([
    !isSaid &&
      own !== undefined &&
      endpoints.some(
        (endpoint) =>
          readsHeader(authenticationAt(definition, endpoint)) &&
          endpoint.inputs['client_secret'] !== undefined,
      ),
    own ?? at,
    'many clients send client_secret beside the header, and are refused here (RFC 6749 2.3)',
    'set client.authentication.when_both to header to let the header alone count, or to refuse',
  ]);
}

export function* assertionComplaints(definition: Definition): Iterable<Complaint> {
  const { grants, members, token_endpoints: endpoints } = definition;
  const { methods, assertion } = definition.client.authentication;
  if (methods.includes(privateKeyJwt)) {
    const message = (role: string): string =>
      role === 'client_id'
        ? `an assertion whose iss is ${assertion.issuer} and whose sub is ${assertion.sub} does not name its client: that needs an input "client_id" here`
        : `authentication by ${privateKeyJwt} needs an input "${role}" here`;
    for (const [name, endpoint] of Object.entries(endpoints)) {
      if (!authenticationAt(definition, endpoint).methods.includes(privateKeyJwt)) continue;
      // There the assertion of the grant proves the client.
      if (grantsAt(definition, name).every((type) => type === 'jwt_bearer')) continue;
      const isNamed = assertion.issuer === 'client.id' || !isProperty(assertion.sub);
      const needed = isNamed ? ['client_assertion'] : ['client_assertion', 'client_id'];
      yield* lackingInputs(['token_endpoints', name], endpoint, needed, message);
    }
  }
  const isNamed = assertion.issuer === 'client.id' || methods.some(isHeaderMethod);
  for (const [name, { inputs }] of isNamed ? [] : endpointsOf(definition, 'jwt_bearer')) {
    if (inputs['client_id'] !== undefined) continue;
    yield [
      ['token_endpoints', name, 'inputs'],
      `an assertion whose iss is ${assertion.issuer} does not name its client`,
      'declare an input client_id here, or set client.authentication.assertion.issuer to client.id',
    ];
  }
  const ways = grants.jwt_bearer?.subject ?? [assertion.sub];
  yield* wrong([
    isProperty(assertion.sub) &&
      methods.every((method) => method === privateKeyJwt) &&
      !ways.includes(assertion.sub),
    ['grants', 'jwt_bearer', 'subject'],
    `the assertion alone proves the client here, so that its sub is ${assertion.sub}, and finds nobody by ${ways.join(' or ')}`,
    `write ${assertion.sub}, or let clients have credentials beside the assertion (client.authentication.methods)`,
  ]);
  for (const [index, way] of (grants.jwt_bearer?.subject ?? []).entries()) {
    if (way !== 'username' || members.directory === 'store') continue;
    yield [
      ['grants', 'jwt_bearer', 'subject', index],
      'Jetway cannot ask a directory behind a hook for a member by username',
      'write subject, or set members.directory to store',
    ];
  }
}

/** Which types there are, the dialect says: an answer repeats the one that was asked for. */
export function* exchangeComplaints(definition: Definition): Iterable<Complaint> {
  for (const [name, { inputs }] of endpointsOf(definition, 'token_exchange')) {
    const types = {
      subject_token_type: inputs['subject_token_type'],
      requested_token_type: inputs['requested_token_type'],
    };
    for (const [role, input] of Object.entries(types)) {
      if (input === undefined || input.allowed !== undefined) continue;
      yield [
        ['token_endpoints', name, 'inputs', role],
        'without allowed, a token of any type is accepted here (RFC 8693 2.1)',
        'add allowed: [urn:ietf:params:oauth:token-type:access_token]',
      ];
    }
  }
}
