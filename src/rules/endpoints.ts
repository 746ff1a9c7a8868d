// Owns the checks that each endpoint reads what its grants and methods need, from places that can hold it.

import { isResponseMode, responseModes } from '../language/authorize_schema.ts';
import type { Definition } from '../language/definition.ts';
import { isXmlName } from '../language/encoding.ts';
import {
  type EndpointDefinition,
  placesOf,
  type InputDefinition,
} from '../language/input_schema.ts';
import { nodeAt } from '../lib/document.ts';
import type { Path } from '../lib/fault.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import { attributeMark } from '../oauth/bodies/xml_parameters.ts';
import { grantRows, type GrantType, grantTypes, inputsOfGrants } from '../oauth/grant.ts';
import { memberPath } from '../oauth/parameters.ts';
import { endpointsOf, grantsAt, readsInput } from '../programme/requests/grant_places.ts';
import { isBodyForm } from '../programme/requests/reading.ts';
import { type Complaint, wrong } from '../schema/faults.ts';
import { grantChoiceComplaints } from './grant_choice.ts';

/** An endpoint with its path in the file; the login request has no name. */
type PlacedEndpoint = readonly [at: Path, endpoint: EndpointDefinition, name?: string];

const loginPlace: Path = ['authorize', 'endpoint'];

/** The login request and the token endpoints, in the order of the file. */
export function endpointsIn({ authorize, token_endpoints }: Definition): PlacedEndpoint[] {
  const ofTokens = Object.entries(token_endpoints).map(([name, endpoint]): PlacedEndpoint => [
    ['token_endpoints', name],
    endpoint,
    name,
  ]);
  return [[loginPlace, authorize.endpoint], ...ofTokens];
}

/** A complaint for each needed role without an input. */
export function* lackingInputs(
  at: Path,
  { inputs }: EndpointDefinition,
  roles: readonly string[],
  message: (role: string) => string,
  hint?: (role: string) => string,
): Iterable<Complaint> {
  for (const role of roles) {
    if (inputs[role] !== undefined) continue;
    const place = [...at, 'inputs'];
    yield hint === undefined ? [place, message(role)] : [place, message(role), hint(role)];
  }
}

export function* grantComplaints(definition: Definition, document: YamlNode): Iterable<Complaint> {
  const { grants, token_endpoints: declared } = definition;
  const names = Object.keys(declared);
  yield* wrong([
    Object.keys(grants).length === 0,
    ['grants'],
    'a programme needs at least one grant',
  ]);
  for (const type of grantTypes) {
    const asked = grants[type]?.endpoint ?? [];
    for (const [index, name] of asked.entries()) {
      if (Object.hasOwn(declared, name)) continue;
      yield [
        ['grants', type, 'endpoint', ...(asked.length > 1 ? [index] : [])],
        `there is no token endpoint "${name}"`,
        `token_endpoints has ${names.join(', ')}`,
      ];
    }
    for (const [name, endpoint] of endpointsOf(definition, type)) {
      const at = ['token_endpoints', name];
      const isOwn = nodeAt(document, [...at, 'inputs'])?.at.file === document.at.file;
      const turnedOn = nodeAt(document, ['grants', type]);
      const missing = grantRows[type].needs.filter((role) => endpoint.inputs[role] === undefined);
      // A file that turns on a grant of an endpoint of the variant has no inputs to look at.
      if (isOwn || turnedOn?.at.file !== document.at.file || missing.length === 0) {
        const message = (role: string): string => `the grant ${type} needs an input "${role}" here`;
        yield* lackingInputs(at, endpoint, missing, message);
        continue;
      }
      const inputs = missing.map((role) => `${role}: {}`).join(', ');
      yield [
        ['grants', type],
        `the token endpoint "${name}" lacks the inputs of this grant: ${missing.join(', ')}`,
        `add token_endpoints: { ${name}: { inputs: { ${inputs} } } }`,
      ];
    }
  }
}

export function* endpointComplaints(definition: Definition): Iterable<Complaint> {
  for (const name of Object.keys(definition.token_endpoints)) {
    yield* grantChoiceComplaints(definition, name);
  }
  for (const [at, endpoint, name] of endpointsIn(definition)) {
    const served = name === undefined ? [] : grantsAt(definition, name);
    yield* inputPlaceComplaints(at, endpoint, served);
  }
}

/** A parameter of the redirect URI by which an answer comes back would be there twice (RFC 6749 3.1). */
function* variedComplaints({ authorize }: Definition): Iterable<Complaint> {
  const { code, error, state, issuer = 'iss', more, signature } = authorize.answer;
  const signed = signature === undefined ? [] : [signature.name];
  const names = [code, error, state, issuer, 'iss', ...signed, ...more.keys()];
  const answers = new Set(names.map((one) => one.toLowerCase()));
  const { varies } = authorize.redirect_uri;
  for (const [index, name] of varies.entries()) {
    yield* wrong([
      answers.has(name.toLowerCase()),
      ['authorize', 'redirect_uri', 'varies', index],
      `answers come back by the name "${name}", so that clients could take what they sent for it`,
      'let clients send another name',
    ]);
  }
}

export function* loginComplaints(definition: Definition, document: YamlNode): Iterable<Complaint> {
  const { endpoint, pkce } = definition.authorize;
  const proofs = pkce === 'off' ? [] : ['code_challenge', 'code_challenge_method'];
  const needed = ['client_id', 'response_type', 'redirect_uri', ...proofs];
  const message = (role: string): string => `the login request needs an input "${role}"`;
  yield* lackingInputs(loginPlace, endpoint, needed, message);
  const chosen = endpoint.inputs['response_mode'];
  yield* wrong([
    chosen !== undefined && chosen.allowed?.every(isResponseMode) !== true,
    [...loginPlace, 'inputs', 'response_mode'],
    `the input response_mode says under allowed which of ${responseModes.join(', ')} can be chosen`,
    `allowed: [${responseModes.join(', ')}]`,
  ]);
  const isPosted = endpoint.methods.includes('POST');
  yield* wrong(
    [
      endpoint.read.some((place) => place !== 'query' && place !== 'form'),
      [...loginPlace, 'read'],
      'a login request is read from the query, or from a form that a page posts',
      'set read to query, form or [query, form]',
    ],
    [
      endpoint.read.includes('form') && !isPosted,
      [...loginPlace, 'read'],
      'only a POST has a form, and the login request is answered by GET alone',
      'add POST to authorize.endpoint.methods, or take form out',
    ],
  );
  yield* variedComplaints(definition);
  yield* wrong([
    nodeAt(document, [...loginPlace, 'methods']) === undefined,
    [...loginPlace, 'methods'],
    '"methods" is missing',
    'browsers follow a link to the login page by GET: write methods: [GET]',
  ]);
  const isRepeated = definition.authorize.redirect_uri.token === 'if_sent';
  for (const [name, { inputs }] of endpointsOf(definition, 'authorization_code')) {
    yield* wrong([
      isRepeated && inputs['redirect_uri'] === undefined,
      ['authorize', 'redirect_uri', 'token'],
      `a code must come with its redirect URI, but the token endpoint ${name} reads none`,
      'declare an input redirect_uri there, or set this to optional',
    ]);
    if (pkce === 'off' || inputs['code_verifier'] !== undefined) continue;
    yield [
      ['authorize', 'pkce'],
      `a challenge is accepted here, but the token endpoint ${name} reads no code_verifier`,
      'add code_verifier: {} to its inputs, or authorize: { pkce: off }, of which check warns',
    ];
  }
}

/** Every documented endpoint must read the selector from a header or the query, before the body. */
export function* selectorComplaints(definition: Definition): Iterable<Complaint> {
  const { selector } = definition;
  if (selector === undefined) return;
  for (const [at, endpoint] of endpointsIn(definition)) {
    const { inputs, repeated } = endpoint;
    const input = Object.hasOwn(inputs, selector.input) ? inputs[selector.input] : undefined;
    if (input === undefined) {
      yield [[...at, 'inputs'], `the selector "${selector.input}" is not an input here`];
      continue;
    }
    const twins = endpointsIn(definition).filter(([, { path }]) => path === endpoint.path);
    const twin = twins.find(([, { inputs: others }]) => {
      const { [selector.input]: asked } = others;
      return asked?.in !== input.in || asked?.name !== input.name;
    });
    const [place, ...others] = placesOf(input, endpoint);
    const isEarly = others.length === 0 && (place === 'header' || place === 'query');
    const inputAt = [...at, 'inputs', selector.input];
    yield* wrong(
      [
        input.must_equal !== 'programme.identifier',
        inputAt,
        'the selector must be compared with programme.identifier',
        'add must_equal: programme.identifier',
      ],
      [!isEarly, inputAt, 'a selector is read from a header or the query'],
      [
        twin !== undefined,
        inputAt,
        `${twin?.[2] === undefined ? 'the login request' : `the token endpoint ${twin[2]}`} has this path too, and reads the selector elsewhere`,
      ],
      [
        place === 'query' && repeated !== 'refuse',
        [...at, 'repeated'],
        'if the selector comes twice in the query, it chooses no programme',
        'set repeated to refuse',
      ],
    );
  }
}

function* inputPlaceComplaints(
  at: Path,
  endpoint: EndpointDefinition,
  served: readonly GrantType[],
): Iterable<Complaint> {
  yield* nameComplaints(at, endpoint, served);
  const { read } = endpoint;
  yield* wrong(
    [
      endpoint.root !== undefined && !read.includes('xml'),
      [...at, 'root'],
      'this endpoint reads no XML',
      'add xml to read',
    ],
    [
      endpoint.media_types.length > 0 &&
        read.every((one) => one === 'query' || one === 'multipart'),
      [...at, 'media_types'],
      'no body of another type than multipart/form-data is read here',
      'add form, json or xml to read',
    ],
  );
  for (const [role, input] of Object.entries(endpoint.inputs)) {
    const inputAt = [...at, 'inputs', role];
    yield* placeComplaints(inputAt, input, endpoint);
    yield* memberComplaints(inputAt, role, input, endpoint);
  }
}

/** Inputs that one request reads from one place under one name: those of two grants are told apart by the grant. */
function* nameComplaints(
  at: Path,
  endpoint: EndpointDefinition,
  served: readonly GrantType[],
): Iterable<Complaint> {
  const seen = new Map<string, readonly string[]>();
  const isTogether = (one: string, other: string): boolean =>
    one !== other &&
    (!inputsOfGrants.has(one) ||
      !inputsOfGrants.has(other) ||
      served.some((type) => readsInput(type, one) && readsInput(type, other)));
  for (const [role, input] of Object.entries(endpoint.inputs)) {
    const path = wirePath(role, input);
    const name = path.join('.');
    for (const place of placesOf(input, endpoint)) {
      // Joined by dots, the member `a.b` would pass for `b` in `a`.
      const key = `${place} ${place === 'header' ? name.toLowerCase() : memberPath(path)}`;
      const others = seen.get(key) ?? [];
      const other = others.find((one) => isTogether(one, role));
      if (other !== undefined) {
        yield [[...at, 'inputs', role], `"${other}" is read from the ${place} "${name}" already`];
      }
      seen.set(key, [...others, role]);
    }
  }
}

function wirePath(
  role: string,
  { within = [], name = role, attribute }: InputDefinition,
): readonly string[] {
  return [...within, attribute === true ? attributeMark + name : name];
}

/** RFC 9110 7.2, 7.6.1, 8.6, 10.1.1. */
const connectionHeaders =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

function* placeComplaints(
  at: Path,
  input: InputDefinition,
  endpoint: EndpointDefinition,
): Iterable<Complaint> {
  const { in: place, name = at.at(-1) } = input;
  if (place !== undefined && isBodyForm(place) && !endpoint.read.includes(place)) {
    const bodies = endpoint.read.filter((one) => one !== 'query').join(' or ');
    const reads = bodies === '' ? 'no body' : `its body as ${bodies}`;
    yield [[...at, 'in'], `this endpoint reads ${reads}, so no input can be read as ${place}`];
  }
  const header = place === 'header' ? String(name) : '';
  yield* wrong(
    [
      /^cookie$/i.test(header),
      [...at, 'name'],
      "this header has all cookies, those of Jetway's login page too",
      'read one of them: in: cookie',
    ],
    [
      connectionHeaders.test(header),
      [...at, 'name'],
      `${header} is a header of the connection, which proxies set, change and remove`,
      'name another one',
    ],
  );
}

/** Of JSON members, elements and attributes. */
function* memberComplaints(
  at: Path,
  role: string,
  { within, attribute, ...input }: InputDefinition,
  endpoint: EndpointDefinition,
): Iterable<Complaint> {
  const places = placesOf(input, endpoint);
  const names = places.includes('xml') ? [...(within ?? []), input.name ?? role] : [];
  const odd = names.find((name) => !isXmlName(name) || name.includes(':'));
  yield* wrong(
    [
      odd !== undefined,
      [...at, ...(odd === (input.name ?? role) ? ['name'] : ['within'])],
      `"${odd}" cannot name an element or attribute of XML`,
      'prefixes are not compared: leave them out',
    ],
    [
      attribute === true && places.some((one) => one !== 'xml'),
      [...at, 'attribute'],
      'only XML has attributes',
      'add in: xml',
    ],
  );
  if (within === undefined) return;
  if (places.some((one) => one !== 'json' && one !== 'xml')) {
    yield [
      [...at, 'within'],
      'only members of a JSON body and elements of XML lie in others',
      'add in: json',
    ];
  }
  const outer = memberPath([...within, '']);
  const text = Object.entries(endpoint.inputs).find(([otherRole, other]) => {
    const isMember = placesOf(other, endpoint).some((one) => one === 'json' || one === 'xml');
    const otherPath = memberPath([...wirePath(otherRole, other), '']);
    // A text of XML can have attributes.
    return isMember && outer.startsWith(otherPath) && !(attribute === true && outer === otherPath);
  });
  if (text !== undefined) {
    yield [[...at, 'within'], `what is an object here is the text "${text[0]}" already`];
  }
}
