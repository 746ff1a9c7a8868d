// Owns the checks of a Definition that look at more than one key: what each part promises another.

import { positionAt } from '../../lib/document.ts';
import { errorAt, type Fault, type Path } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/yaml.ts';
import { grantInputs, type GrantType, grantTypes } from '../../oauth/grant.ts';
import { programmePaths } from '../../oauth/own_paths.ts';
import { memberPath } from '../../oauth/parameters.ts';
import type { Complaint } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import {
  type EndpointDefinition,
  type InputDefinition,
  placesOf,
} from '../language/input_schema.ts';
import { memberComplaints } from '../language/members_schema.ts';
import { type ValueShape, alphabetOf } from '../language/value_shape.ts';
import { endpointsOf, grantsAt } from '../requests/grant_places.ts';
import { verifyComplaints } from '../requests/verify_headers.ts';
import { answerComplaints } from './answer_consistency.ts';
import { authenticationComplaints } from './authentication_consistency.ts';
import { loginPageComplaints } from './login_consistency.ts';
import { memberNumberComplaints } from './member_number.ts';
import { reachComplaints } from './reach_consistency.ts';
import { scopeComplaints } from './scope_consistency.ts';

/** RFC 6749 10.10: the chance of guessing a code must be at most 2^-128. */
const leastCodeBits = 128;

/** Faults of a definition whose every key is well-formed by itself. */
export function consistencyFaults(definition: Definition, document: YamlNode): readonly Fault[] {
  return [
    ...grantComplaints(definition),
    ...endpointComplaints(definition),
    ...authenticationComplaints(definition),
    ...loginComplaints(definition),
    ...memberComplaints(definition.members),
    ...memberNumberComplaints(definition),
    ...loginPageComplaints(definition, document),
    ...selectorComplaints(definition),
    ...scopeComplaints(definition),
    ...codeComplaints(definition),
    ...lifetimeComplaints(definition),
    ...answerComplaints(definition),
    ...reachComplaints(definition),
    ...verifyComplaints(definition),
  ].map(([path, message, hint]) => errorAt(positionAt(document, path), path, message, hint));
}

function* grantComplaints(definition: Definition): Iterable<Complaint> {
  const endpoints = Object.keys(definition.token_endpoints);
  if (grantTypes.every((type) => definition.grants[type] === undefined)) {
    yield [['grants'], 'a programme needs at least one grant'];
  }
  for (const type of grantTypes) {
    const grant = definition.grants[type];
    if (grant === undefined) continue;
    for (const [index, name] of grant.endpoint.entries()) {
      if (Object.hasOwn(definition.token_endpoints, name)) continue;
      yield [
        ['grants', type, 'endpoint', ...(grant.endpoint.length > 1 ? [index] : [])],
        `there is no token endpoint "${name}"`,
        `token_endpoints has ${endpoints.join(', ')}`,
      ];
    }
    for (const [name, endpoint] of endpointsOf(definition, type)) {
      for (const role of grantInputs[type].needs) {
        if (endpoint.inputs[role] !== undefined) continue;
        yield [
          ['token_endpoints', name, 'inputs'],
          `the grant ${type} needs an input "${role}" here`,
        ];
      }
    }
  }
}

function* endpointComplaints(definition: Definition): Iterable<Complaint> {
  const paths = new Map<string, string>([
    [programmePaths.login, 'the login page'],
    [programmePaths.keySet, 'the key set'],
  ]);
  const { path: loginPath } = definition.authorize.endpoint;
  const holder = paths.get(loginPath);
  if (holder !== undefined) {
    yield [['authorize', 'endpoint', 'path'], `${loginPath} is the path of ${holder} already`];
  }
  yield* reservedComplaints(['authorize', 'endpoint', 'path'], loginPath);
  paths.set(loginPath, 'the login request');
  for (const [name, endpoint] of Object.entries(definition.token_endpoints)) {
    const other = paths.get(endpoint.path);
    const at: Path = ['token_endpoints', name, 'path'];
    if (other !== undefined) yield [at, `${endpoint.path} is the path of ${other} already`];
    yield* reservedComplaints(at, endpoint.path);
    paths.set(endpoint.path, `the token endpoint ${name}`);
    yield* grantTypeComplaints(definition, name);
    yield* nameComplaints(['token_endpoints', name], endpoint);
  }
  yield* nameComplaints(['authorize', 'endpoint'], definition.authorize.endpoint);
  for (const key of ['introspection', 'revocation'] as const) {
    const path = definition[key]?.path;
    if (path === undefined) continue;
    const other = paths.get(path);
    if (other !== undefined) yield [[key, 'path'], `${path} is the path of ${other} already`];
    yield* reservedComplaints([key, 'path'], path);
    paths.set(path, key);
  }
}

/** Every path below `/verify/` is the gateway's, whatever follows (C-4); others are the login page's. */
function* reservedComplaints(at: Path, path: string): Iterable<Complaint> {
  if (path.startsWith(programmePaths.verify))
    yield [at, `${path} lies below /verify, where gateways ask`];
  if (path.startsWith(programmePaths.pictures)) {
    yield [at, `${path} lies below /login/assets, where the login page has its pictures`];
  }
}

/** Without a grant_type to tell them apart, an endpoint serves one grant. */
function* grantTypeComplaints(definition: Definition, name: string): Iterable<Complaint> {
  const endpoint = definition.token_endpoints[name];
  const served = grantsAt(definition, name);
  const at: Path = ['token_endpoints', name];
  if (served.length === 0) yield [at, `no grant is served at the token endpoint "${name}"`];
  if (served.length > 1 && endpoint?.inputs['grant_type'] === undefined) {
    yield [
      [...at, 'inputs'],
      `${served.join(' and ')} need an input "grant_type" to be told apart`,
    ];
  }
  const wireValue = (type: GrantType): string => definition.grants[type]?.grant_type ?? type;
  for (const type of served) {
    const twin = served.find((other) => other < type && wireValue(other) === wireValue(type));
    if (twin !== undefined && endpoint?.inputs['grant_type'] !== undefined) {
      yield [['grants', type], `${twin} has the grant_type "${wireValue(type)}" already`];
    }
  }
}

function* nameComplaints(
  at: Path,
  endpoint: Definition['authorize']['endpoint'],
): Iterable<Complaint> {
  const seen = new Map<string, string>();
  for (const [role, input] of Object.entries(endpoint.inputs)) {
    const name = [...(input.within ?? []), input.name ?? role].join('.');
    for (const place of placesOf(input, endpoint)) {
      const key = place === 'header' ? `header ${name.toLowerCase()}` : `${place} ${name}`;
      const other = seen.get(key);
      if (other !== undefined && other !== role) {
        yield [[...at, 'inputs', role], `"${other}" is read from the ${place} "${name}" already`];
      }
      seen.set(key, role);
    }
    yield* placeComplaints([...at, 'inputs', role], input, endpoint);
  }
}

function* placeComplaints(
  at: Path,
  input: InputDefinition,
  endpoint: EndpointDefinition,
): Iterable<Complaint> {
  const { in: place } = input;
  if ((place === 'form' || place === 'json') && !endpoint.read.includes(place)) {
    const bodies = endpoint.read.filter((one) => one !== 'query');
    yield [
      [...at, 'in'],
      bodies.length === 0
        ? `this endpoint reads no body, so no input can be read as ${place}`
        : `this endpoint reads its body as ${bodies.join(' or ')}, so no input can be read as ${place}`,
    ];
  }
  if (input.within === undefined) return;
  if (placesOf(input, endpoint).some((one) => one !== 'json')) {
    yield [[...at, 'within'], 'only members of a JSON body lie in objects', 'add in: json'];
  }
  const outer = memberPath(input.within);
  const inner = Object.entries(endpoint.inputs).find(([role, other]) => {
    const path = memberPath([...(other.within ?? []), other.name ?? role]);
    return placesOf(other, endpoint).includes('json') && `${outer}\0`.startsWith(`${path}\0`);
  });
  if (inner !== undefined) {
    yield [[...at, 'within'], `what is an object here is the text "${inner[0]}" already`];
  }
}

function* loginComplaints(definition: Definition): Iterable<Complaint> {
  const { endpoint, pkce } = definition.authorize;
  const needed = ['client_id', 'response_type', 'redirect_uri'];
  if (pkce !== 'off') needed.push('code_challenge', 'code_challenge_method');
  for (const role of needed) {
    if (endpoint.inputs[role] !== undefined) continue;
    yield [['authorize', 'endpoint', 'inputs'], `the login request needs an input "${role}"`];
  }
  if (endpoint.read.some((place) => place !== 'query')) {
    yield [['authorize', 'endpoint', 'read'], 'a login request is read from the query'];
  }
  for (const [name, { inputs }] of endpointsOf(definition, 'authorization_code')) {
    if (pkce === 'off' || inputs['code_verifier'] !== undefined) continue;
    yield [
      ['authorize', 'pkce'],
      `a challenge is accepted here, but the token endpoint ${name} reads no code_verifier`,
      'declare an input code_verifier there, or set pkce to off',
    ];
  }
}

/** Every documented endpoint must read the selector where it can be seen before the body is. */
function* selectorComplaints(definition: Definition): Iterable<Complaint> {
  const { selector, authorize, token_endpoints: endpoints } = definition;
  if (selector === undefined) return;
  const places: [Path, Definition['authorize']['endpoint']][] = [
    [['authorize', 'endpoint'], authorize.endpoint],
    ...Object.entries(endpoints).map(([name, endpoint]): [Path, typeof endpoint] => [
      ['token_endpoints', name],
      endpoint,
    ]),
  ];
  for (const [at, endpoint] of places) {
    const input = own(endpoint.inputs, selector.input);
    if (input === undefined) {
      yield [[...at, 'inputs'], `the selector "${selector.input}" is not an input here`];
      continue;
    }
    if (input.must_equal !== 'programme.identifier') {
      yield [
        [...at, 'inputs', selector.input],
        'the selector must be held against programme.identifier',
        'add must_equal: programme.identifier',
      ];
    }
    const [place, ...others] = placesOf(input, endpoint);
    if (others.length > 0 || (place !== 'header' && place !== 'query')) {
      yield [[...at, 'inputs', selector.input], 'a selector is read from a header or the query'];
    }
    if (place === 'query' && endpoint.repeated !== 'refuse') {
      yield [
        [...at, 'repeated'],
        'a selector that comes twice in the query chooses no programme',
        'set repeated to refuse',
      ];
    }
  }
}

function* codeComplaints({ code, client }: Definition): Iterable<Complaint> {
  if (shapeBits(code) < leastCodeBits) {
    yield [
      ['code'],
      `a code of this shape has ${Math.floor(shapeBits(code))} random bits; RFC 6749 10.10 asks for ${leastCodeBits}`,
      'make it longer',
    ];
  }
  if (shapeBits(client.identifier) < 13) {
    yield [['client', 'identifier'], 'there are too few identifiers of this shape to give out'];
  }
}

/** What a file declares by a name; `constructor` and the like are nobody's declaration. */
function own<Value>(declared: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(declared, name) ? declared[name] : undefined;
}

/** Random bits of a generated value, which is as long as its range allows up to 64 characters. */
function shapeBits(shape: ValueShape): number {
  const length = Math.max(shape.length?.min ?? 0, Math.min(shape.length?.max ?? 64, 64));
  return length * Math.log2(alphabetOf(shape.characters ?? 'alphanumeric').length);
}

function* lifetimeComplaints({ code, tokens }: Definition): Iterable<Complaint> {
  if (tokens.refresh.lifetime > tokens.refresh.longest) {
    yield [
      ['tokens', 'refresh', 'lifetime'],
      'a refresh token cannot live longer than tokens.refresh.longest',
    ];
  }
  if (code.lifetime > 600_000) {
    yield [['code', 'lifetime'], 'a code may live 10m at most (RFC 6749 4.1.2)'];
  }
  if (tokens.refresh.grace > 300_000) {
    yield [['tokens', 'refresh', 'grace'], 'a grace window may be 5m at most'];
  }
}
