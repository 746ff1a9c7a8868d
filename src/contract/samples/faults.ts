// Owns sample requests with one fault each, and the dialect's reason to refuse each of them.

import type { ClientAuthentication } from '../../language/client_schema.ts';
import { present } from '../../lib/present.ts';
import { grantRows, type GrantType } from '../../oauth/grant.ts';
import type { LoginFailureReason } from '../../oauth/login_reasons.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import { type FailureReason, failureReasons, grantFailures } from '../../oauth/reasons.ts';
import { endpointsFor, type Programme } from '../../programme/programme.ts';
import { credentialNames, provingToken } from '../../programme/requests/credentials.ts';
import type { Input } from '../../programme/requests/inputs.ts';
import { assertionInputs, takesUnnamed } from '../../programme/requests/presented_credentials.ts';
import type { Reading } from '../../programme/requests/reading.ts';
import { unheardOf } from '../../programme/sandbox.ts';
import {
  isByOwnToken,
  isBySignature,
  isSigning,
  type SampleClient,
  sampleProof,
  type SampleValues,
} from './proof.ts';
import {
  fittingValue,
  type SampleRequest,
  sampleTokenRequest,
  sampleLoginRequest,
} from './requests.ts';

export interface SampleFault<Reason = FailureReason> {
  readonly reason: Reason;
  /** The fault in words; an input is named as on the wire. */
  readonly what: string;
  readonly request: SampleRequest;
}

const formType = 'application/x-www-form-urlencoded';

/** One token request for each reason that needs only a wrong request, in the order of C-8. */
export function tokenFaults(programme: Programme, by: SampleClient): readonly SampleFault[] {
  const found = new Map<FailureReason, SampleFault>();
  for (const grant of programme.grants) {
    for (const { name, reading, authentication } of endpointsFor(programme, grant)) {
      const values = wrongInputs(programme.code.generate(), grant, reading);
      const request: Scene['request'] = (changes, sender = by) =>
        sampleTokenRequest(programme, grant, sender, { ...values, ...changes }, name);
      const scene = { programme, grant, reading, authentication, by, request };
      for (const [reason, what, faulty] of [
        ...bodyFaults(scene),
        ...credentialFaults(scene, programme.clients.newIdentifier),
        // Without a key or a token of the client, no request gets past its authentication.
        ...((isSigning(authentication) && by.assertion === undefined) ||
        (isBySignature(authentication) && by.sign === undefined) ||
        (isByOwnToken(authentication) && by.ownToken === undefined)
          ? []
          : [...inputFaults(scene, programme.clients.newIdentifier), ...grantFaults(scene)]),
      ]) {
        if (!found.has(reason)) found.set(reason, { reason, what, request: faulty });
      }
    }
  }
  return failureReasons.flatMap((reason) => found.get(reason) ?? []);
}

type Found = readonly [reason: FailureReason, what: string, request: SampleRequest];

/** A grant and its endpoint, with requests that lack only the values from a login. */
interface Scene {
  readonly programme: Programme;
  readonly grant: GrantType;
  readonly reading: Reading;
  readonly authentication: ClientAuthentication;
  readonly by: SampleClient;
  /** A valid request, with the given changes. */
  readonly request: (changes?: SampleValues, sender?: SampleClient) => SampleRequest;
}

function inputOf({ reading: { inputs } }: Scene, role: string): Input | undefined {
  return inputs.find((input) => input.role === role);
}

/** Values of the right shape that do not exist, for the inputs of the grant. */
function wrongInputs(code: string, grant: GrantType, { inputs }: Reading): SampleValues {
  const wanted: SampleValues = { code, username: 'nobody' };
  const fitting = (role: string): string =>
    fittingValue(inputs.find((one) => one.role === role) ?? {}, wanted[role] ?? 'wrong');
  // A client that has a key signs another assertion for each request.
  const needs = grantRows[grant].needs.filter((role) => role !== 'assertion');
  return Object.fromEntries(needs.map((role) => [role, fitting(role)]));
}

function* bodyFaults(scene: Scene): Iterable<Found> {
  const { reading, request } = scene;
  const good = request();
  const { method, form: sent, json, raw: xml, query } = good;
  yield ['method_not_allowed', 'PUT', { ...good, method: 'PUT' }];
  const { form: _form, json: _json, raw: _raw, ...bodiless } = good;
  if (sent !== undefined || json !== undefined || xml !== undefined) {
    const raw = (type: string, text: string): SampleRequest => ({
      ...bodiless,
      raw: { type, text },
    });
    const other = xml === undefined ? raw('application/json', '{') : raw(xml.type, '<');
    const form = good.multipart === true ? raw('multipart/form-data', 'x') : raw(formType, 'a=%zz');
    const broken = sent === undefined ? other : form;
    const strange = raw('application/x-unheard-of', 'x');
    yield ['unsupported_media_type', 'content-type of another kind', strange];
    yield ['malformed_body', 'a body that cannot be decoded', broken];
  }
  // A parameter that is neither declared nor known may be repeated (HOSTILE 43).
  const target = inputOf(scene, 'resource')?.name;
  const other = (sent ?? query).find(([name]) => name !== target);
  const twice = other ?? (['grant_type', '1'] as const);
  if (reading.repeated === 'refuse') {
    const again =
      sent?.[0] === undefined
        ? { query: [...query, twice, ...(query.includes(twice) ? [] : [twice])] }
        : { form: [...sent, twice] };
    yield ['repeated_parameter', `${twice[0]} twice`, { ...good, ...again }];
  }
  if (reading.unknown === 'refuse') {
    yield ['unknown_parameter', unheardOf, { ...good, query: [...query, [unheardOf, '1']] }];
  }
  const parameter = reading.inputs.find(
    ({ within, attribute, places }) =>
      within.length === 0 && !attribute && !places.some((place) => otherPlaces.has(place)),
  );
  if (parameter === undefined) return;
  const { wireName, places } = parameter;
  if (!places.includes('query')) {
    const inQuery = { ...good, query: [...query, [wireName, 'x'] as const] };
    yield ['misplaced_parameter', `${wireName} in the query`, inQuery];
  } else if (reading.read.length === 1 && method !== 'GET') {
    const inBody = { ...good, form: [[wireName, 'x']] as const };
    yield ['misplaced_parameter', `${wireName} in the body`, inBody];
  }
}

/** What comes there is no parameter. */
const otherPlaces: ReadonlySet<string> = new Set(['header', 'path', 'cookie']);

function* credentialFaults(scene: Scene, newIdentifier: () => string): Iterable<Found> {
  const { grant, reading, authentication, by, request } = scene;
  // A token that comes alone is a proof; an endpoint of that grant alone reads no other.
  if (grantRows[grant].token !== undefined && authentication.methods.includes('token')) return;
  if (isByOwnToken(authentication)) {
    if (grant === 'token_exchange') return;
    const told = inputOf(scene, 'client_token')?.name ?? 'client_token';
    yield ['authentication_missing', `no ${told}`, request({ client_token: null })];
    const wrong = request({ client_token: 'wrong' });
    yield ['client_authentication_failed', `a ${told} that was never issued`, wrong];
    return;
  }
  if (isBySignature(authentication)) {
    const told = inputOf(scene, 'client_signature')?.name ?? 'client_signature';
    yield ['authentication_missing', `no ${told}`, request({ client_signature: null })];
    const wrong = request({ client_signature: 'wrong' });
    yield ['client_authentication_failed', `a ${told} of another request`, wrong];
    return;
  }
  if (isSigning(authentication)) {
    const role = grant === 'jwt_bearer' ? 'assertion' : 'client_assertion';
    const told = inputOf(scene, role)?.name ?? role;
    yield ['authentication_missing', `no ${told}`, request({ [role]: null })];
    const reason = grant === 'jwt_bearer' ? 'invalid_assertion' : 'authentication_malformed';
    yield [reason, `a ${told} that is no JWT`, request({ [role]: 'x' })];
    return;
  }
  // Where one client stands for all others, only a wrong proof is none.
  if (takesUnnamed(authentication)) {
    yield* strangerFaults(scene, newIdentifier);
    return;
  }
  // Where public clients are, an identifier alone is a proof.
  const isNamed = !authentication.methods.includes('none');
  const unnamed = isNamed ? {} : { client_id: null };
  const { credentials, ...anonymous } = request({ client_secret: null, ...unnamed });
  const { secretName, proof: absent } = credentialNames(authentication, reading.inputs);
  yield ['authentication_missing', `no ${absent}`, anonymous];
  if (credentials !== undefined) {
    const broken = `${authentication.scheme} ???`;
    const headers = [...anonymous.headers, ['Authorization', broken] as const];
    const malformed = { ...anonymous, headers };
    yield ['authentication_malformed', 'an authorization header that cannot be decoded', malformed];
    if (authentication.when_both === 'refuse' && inputOf(scene, 'client_secret') !== undefined) {
      const both = request({ client_secret: by.secret });
      yield ['authentication_ambiguous', `${secretName} beside the authorization header`, both];
    }
  }
  yield* strangerFaults(scene, newIdentifier);
}

function* strangerFaults(scene: Scene, newIdentifier: () => string): Iterable<Found> {
  const { authentication, by, request } = scene;
  if (by.client.isPublic === true) {
    if (!authentication.methods.includes('none')) return;
    const stranger = request({ client_id: newIdentifier() });
    yield ['client_authentication_failed', 'a client that there is not', stranger];
    return;
  }
  // As long as the right secret, for dialects that check its shape first.
  const secret = `wrong${by.secret.slice('wrong'.length)}`;
  yield ['client_authentication_failed', 'a wrong secret', request({}, { ...by, secret })];
}

function* inputFaults(scene: Scene, newIdentifier: () => string): Iterable<Found> {
  const { grant, authentication, by, request } = scene;
  // A request without what is signed has no signature.
  const signed = isBySignature(authentication) ? authentication.signature?.of : undefined;
  for (const input of ownInputs(scene)) {
    const { role, name, fits, inPath, inHeader, must_equal: comparison } = input;
    if (input.missedBy.includes(grant) && signed?.includes(role) !== true) {
      yield [input.whenMissing, `no ${name}`, request({ [role]: null })];
    }
    const texts = [...(inPath ? [] : ['text/plain', '?']), 'x', 'x'.repeat(200)];
    const invalid = texts.find((text) => !fits(text));
    // Other inputs are compared with the client before their shape is checked.
    if (invalid !== undefined && (inHeader || comparison === undefined)) {
      yield [input.whenInvalid, `a malformed ${name}`, request({ [role]: invalid })];
    }
    const other = comparison === 'client.id' ? newIdentifier() : another(by, input);
    if (other !== undefined && fits(other)) {
      yield [input.whenUnequal, `another ${name}`, request({ [role]: other })];
    }
  }
}

/** The grant's inputs at the endpoint, without those that have faults of their own. */
function ownInputs({ programme, grant, reading, authentication, by }: Scene): readonly Input[] {
  const others = new Set([
    'grant_type',
    'client_secret',
    'client_signature',
    'client_token',
    ...proofInputs,
    ...assertionInputs,
  ]);
  const proving = provingToken(authentication, reading.inputs);
  if (proving !== undefined) others.add(proving.role);
  if (grant === 'jwt_bearer') others.add('assertion');
  if (isSigning(authentication)) others.add('client_id');
  if (sampleProof(authentication, by).inputs['client_id'] !== undefined) others.add('client_id');
  // With another selector, another programme would answer.
  if (programme.selectorInput !== undefined) others.add(programme.selectorInput);
  return reading.inputs.filter(({ role, readBy }) => readBy.includes(grant) && !others.has(role));
}

/** A value that differs from the one the input must equal. */
function another({ client }: SampleClient, input: Input): string | undefined {
  if (input.must_equal === undefined) return undefined;
  const { prefix, characters, length, format } = input;
  const shape = present({ prefix, characters, length, format });
  const right = fittingValue(shape, client.businessContext);
  const [one, other] = ['Another', 'Other12345'].map((text) => fittingValue(shape, text));
  return one === right ? other : one;
}

function* grantFaults(scene: Scene): Iterable<Found> {
  const { programme, grant, request } = scene;
  const type = inputOf(scene, 'grant_type');
  if (type !== undefined) {
    const { name, fits, inHeader, whenMissing, missedBy } = type;
    if (missedBy.length > 0) yield [whenMissing, `no ${name}`, request({ grant_type: null })];
    if (!inHeader || fits(unheardOf)) {
      const wrong = request({ grant_type: unheardOf });
      yield ['unsupported_grant_type', `a ${name} that there is not`, wrong];
    }
  }
  const { refusesUnknown } = programme.scope;
  if (refusesUnknown && inputOf(scene, 'scope')?.fits(unheardOf) === true) {
    yield ['invalid_scope', 'a scope that there is not', request({ scope: unheardOf })];
  }
  const target = inputOf(scene, 'resource');
  if (target !== undefined) {
    const { name, clientTest, whenInvalid, whenUnequal } = target;
    const met = clientTest === undefined ? whenInvalid : whenUnequal;
    yield [met, `a ${name} that there is not`, request({ resource: unheardOf })];
  }
  const { [grant]: reason } = grantFailures;
  const { wrong } = grantRows[grant];
  if (reason === undefined || wrong === undefined) return;
  yield [reason, wrong, request(grant === 'jwt_bearer' ? { assertion: 'x' } : {})];
}

/**
 * Login requests, one for each reason; `values` are those of a good request. The first requests are
 * answered by a page, the others by redirect where the dialect says so.
 */
export function loginFaults(
  programme: Programme,
  { client }: SampleClient,
  values: SampleValues,
): readonly SampleFault<LoginFailureReason>[] {
  const { inputs } = programme.login.endpoint.reading;
  const rule = inputs.find(({ role }) => role === 'response_type');
  const isNamed = !takesUnnamed(programme.clients.authentication);
  const isScoped = programme.scope.refusesUnknown && inputs.some(({ role }) => role === 'scope');
  const isTargeted = inputs.some(({ role }) => role === 'resource');
  const told = rule?.name;
  const isChecked = rule?.fits('token') === false;
  const wrong = { response_type: 'token' };
  const elsewhere = { redirect_uri: 'https://elsewhere.example/' };
  const rows: readonly (readonly [LoginFailureReason, string, SampleValues, boolean?])[] = [
    ['missing_client_id', 'no client', { client_id: null }, isNamed],
    ['unknown_client', 'a client that there is not', { client_id: unheardOf }],
    ['unregistered_redirect_uri', 'an address that is not registered', elsewhere],
    ['missing_response_type', `no ${told}`, { response_type: null }, rule?.required === true],
    ['unsupported_response_type', `a ${told} that there is not`, wrong, isChecked],
    ['invalid_scope', 'a scope that there is not', { scope: unheardOf }, isScoped],
    ['invalid_target', 'a resource that there is not', { resource: unheardOf }, isTargeted],
  ];
  return rows.flatMap(([reason, what, changes, applies = true]) => {
    if (!applies) return [];
    const request = sampleLoginRequest(programme, client, { ...values, ...changes });
    return [{ reason, what, request }];
  });
}
