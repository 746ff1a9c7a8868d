// Owns sample requests with one thing wrong: each with the reason for which the dialect refuses it.

import {
  type FailureReason,
  failureReasons,
  type LoginFailureReason,
} from '../../oauth/failure.ts';
import { grantInputs, type GrantType } from '../../oauth/grant.ts';
import { proofInputs } from '../../oauth/pkce.ts';
import type { Definition } from '../language/definition.ts';
import {
  type EndpointDefinition,
  type InputDefinition,
  placesOf,
} from '../language/input_schema.ts';
import type { Programme } from '../programme.ts';
import { endpointsOf, grantsAt } from './grant_places.ts';
import { compileInput, type InputRule } from './input_rules.ts';
import {
  fittingValue,
  type SampleClient,
  sampleLoginRequest,
  type SampleRequest,
  sampleTokenRequest,
  type SampleValues,
} from './sample_request.ts';

/** A request that is right but for one thing. */
export interface SampleFault<Reason = FailureReason> {
  readonly reason: Reason;
  /** What is wrong, in words; an input at fault by its name on the wire. */
  readonly what: string;
  readonly request: SampleRequest;
}

/** What is tried in place of a value that would be right. */
const unheardOf = 'unheard_of';

/** One token request for each reason that a request alone can provoke, in the order of C-8. */
export function tokenFaults(
  programme: Programme,
  definition: Definition,
  by: SampleClient,
): readonly SampleFault[] {
  const found = new Map<FailureReason, SampleFault>();
  const places = [...programme.grants].flatMap((grant) =>
    endpointsOf(definition, grant).map(([name, endpoint]) => ({ grant, name, endpoint })),
  );
  for (const { grant, name, endpoint } of places) {
    const values = wrongValues(programme, grant, endpoint);
    const request = (changes: SampleValues = {}, sender = by): SampleRequest =>
      sampleTokenRequest(definition, grant, sender, { ...values, ...changes }, name);
    const scene = { programme, definition, grant, name, endpoint, by, request };
    for (const fault of [
      ...bodyFaults(scene),
      ...credentialFaults(scene),
      ...inputFaults(scene),
      ...grantFaults(scene),
    ]) {
      if (!found.has(fault.reason)) found.set(fault.reason, fault);
    }
  }
  return failureReasons.flatMap((reason) => found.get(reason) ?? []);
}

/** A grant at its endpoint, and requests by it that only lack what a login would give. */
interface Scene {
  readonly programme: Programme;
  readonly definition: Definition;
  readonly grant: GrantType;
  readonly name: string;
  readonly endpoint: EndpointDefinition;
  readonly by: SampleClient;
  readonly request: (changes?: SampleValues, sender?: SampleClient) => SampleRequest;
}

/** What the grant needs, of the right shape and known to nobody. */
function wrongValues(
  { code }: Programme,
  grant: GrantType,
  { inputs }: EndpointDefinition,
): Readonly<Record<string, string>> {
  const wanted: Readonly<Record<string, string>> = { code: code.generate(), username: 'nobody' };
  return Object.fromEntries(
    grantInputs[grant].needs.map((role) => [
      role,
      fittingValue(inputs[role] ?? { required: false }, wanted[role] ?? 'wrong'),
    ]),
  );
}

function* bodyFaults({ endpoint, request }: Scene): Iterable<SampleFault> {
  const good = request();
  const { method, form, json, query } = good;
  yield { reason: 'method_not_allowed', what: 'PUT', request: { ...good, method: 'PUT' } };
  const { form: _form, json: _json, ...bodiless } = good;
  if (form !== undefined || json !== undefined) {
    const raw = { type: 'application/x-unheard-of', text: 'x' };
    const what = 'content-type of another kind';
    yield { reason: 'unsupported_media_type', what, request: { ...bodiless, raw } };
    const broken =
      form === undefined
        ? { type: 'application/json', text: '{' }
        : { type: 'application/x-www-form-urlencoded', text: 'a=%zz' };
    const told = 'a body that cannot be decoded';
    yield { reason: 'malformed_body', what: told, request: { ...bodiless, raw: broken } };
  }
  // RFC 6749 3.2 lets no parameter come twice, known or not.
  const [twice = [unheardOf, '1'] as const] = form ?? query;
  if (endpoint.repeated === 'refuse') {
    const inForm = form?.[0] !== undefined;
    const again = inForm
      ? { ...good, form: [...form, twice] }
      : { ...good, query: [...query, twice, ...(query[0] === undefined ? [twice] : [])] };
    yield { reason: 'repeated_parameter', what: `${twice[0]} twice`, request: again };
  }
  if (endpoint.unknown === 'refuse') {
    const more = { ...good, query: [...query, [unheardOf, '1'] as const] };
    yield { reason: 'unknown_parameter', what: unheardOf, request: more };
  }
  const parameter = Object.entries(endpoint.inputs).find(
    ([, one]) => one.within === undefined && !placesOf(one, endpoint).includes('header'),
  );
  if (parameter === undefined) return;
  const [role, input] = parameter;
  const name = input.name ?? role;
  const astray = [name, 'x'] as const;
  if (!placesOf(input, endpoint).includes('query')) {
    const inQuery = { ...good, query: [...query, astray] };
    yield { reason: 'misplaced_parameter', what: `${name} in the query`, request: inQuery };
  } else if (endpoint.read.length === 1 && method !== 'GET') {
    const inBody = { ...good, form: [astray] };
    yield { reason: 'misplaced_parameter', what: `${name} in the body`, request: inBody };
  }
}

function* credentialFaults({ definition, endpoint, by, request }: Scene): Iterable<SampleFault> {
  const { credentials, ...anonymous } = request({ client_secret: null });
  const { client_secret: secret = { required: false } } = endpoint.inputs;
  const secretName = compileInput('client_secret', secret, definition.programme_identifier).told;
  const absent = credentials === undefined ? secretName : 'authorization';
  yield { reason: 'authentication_missing', what: `no ${absent}`, request: anonymous };
  if (credentials !== undefined) {
    const headers = [...anonymous.headers, ['Authorization', 'Basic ???'] as const];
    const what = 'an authorization header that cannot be decoded';
    yield { reason: 'authentication_malformed', what, request: { ...anonymous, headers } };
    if (endpoint.inputs['client_secret'] !== undefined) {
      const both = request({ client_secret: by.secret });
      const beside = `${secretName} beside the authorization header`;
      yield { reason: 'authentication_ambiguous', what: beside, request: both };
    }
  }
  // As long as the right one, for dialects that look at its shape first.
  const wrong = { ...by, secret: `wrong${by.secret.slice('wrong'.length)}` };
  const what = 'a wrong secret';
  yield { reason: 'client_authentication_failed', what, request: request({}, wrong) };
}

function* inputFaults(scene: Scene): Iterable<SampleFault> {
  const { definition, grant, request } = scene;
  const needed = new Set<string>(grantInputs[grant].needs);
  for (const [role, input] of ownInputs(scene)) {
    const rule = compileInput(role, input, definition.programme_identifier);
    if (input.required || needed.has(role)) {
      yield {
        reason: rule.whenMissing,
        what: `no ${rule.told}`,
        request: request({ [role]: null }),
      };
    }
    const invalid = misfit(rule);
    // Other inputs are held against the client before their shape is looked at.
    if (invalid !== undefined && (input.in === 'header' || input.must_equal === undefined)) {
      const what = `a malformed ${rule.told}`;
      yield { reason: rule.whenInvalid, what, request: request({ [role]: invalid }) };
    }
    const other = another(scene, input);
    if (other !== undefined && rule.fits(other)) {
      const what = `another ${rule.told}`;
      yield { reason: rule.whenUnequal, what, request: request({ [role]: other }) };
    }
  }
}

/** Inputs of the endpoint that the grant reads, but for those with faults of their own kind. */
function ownInputs({ definition, grant, endpoint }: Scene): readonly [string, InputDefinition][] {
  const { needs, takes } = grantInputs[grant];
  const others = new Set(
    Object.values(grantInputs).flatMap((inputs) => [...inputs.needs, ...inputs.takes]),
  );
  const parameters = definition.client.authentication.methods[0] === 'parameters';
  return Object.entries(endpoint.inputs).filter(([role]) => {
    if (role === 'grant_type' || role === 'client_secret' || proofInputs.has(role)) return false;
    if (role === 'client_id' && parameters) return false;
    // With another selector, it is another programme that answers.
    if (role === definition.selector?.input) return false;
    return !others.has(role) || needs.includes(role) || takes.includes(role);
  });
}

/** A text that is not of the input's form; undefined where every one is. */
function misfit({ fits }: InputRule): string | undefined {
  return ['text/plain', '?', 'x', 'x'.repeat(200)].find((text) => !fits(text));
}

/** What an input is not to equal. */
function another({ programme, by }: Scene, input: InputDefinition): string | undefined {
  if (input.must_equal === undefined) return undefined;
  if (input.must_equal === 'client.id') return programme.clients.newIdentifier();
  const { allowed: _allowed, ...shape } = input;
  const right = fittingValue(shape, by.client.businessContext);
  const [one, other] = ['Another', 'Other12345'].map((text) => fittingValue(shape, text));
  return one === right ? other : one;
}

function* grantFaults(scene: Scene): Iterable<SampleFault> {
  const { definition, grant, name, endpoint, request } = scene;
  const { grant_type: input, scope } = endpoint.inputs;
  if (input !== undefined) {
    const rule = compileInput('grant_type', input, definition.programme_identifier);
    if (input.required || grantsAt(definition, name).length > 1) {
      const nothing = request({ grant_type: null });
      yield { reason: rule.whenMissing, what: `no ${rule.told}`, request: nothing };
    }
    if (input.in !== 'header' || rule.fits(unheardOf)) {
      const wrong = request({ grant_type: unheardOf });
      const what = `a ${rule.told} that there is not`;
      yield { reason: 'unsupported_grant_type', what, request: wrong };
    }
  }
  if (scope !== undefined && compileInput('scope', scope, '').fits(unheardOf)) {
    const what = 'a scope that there is not';
    yield { reason: 'invalid_scope', what, request: request({ scope: unheardOf }) };
  }
  const wrongs = {
    authorization_code: ['invalid_code', 'a code that was never issued'],
    refresh_token: ['invalid_refresh_token', 'a refresh token that was never issued'],
    password: ['invalid_member_credentials', 'a wrong password'],
    client_credentials: undefined,
  } as const satisfies Record<GrantType, readonly [FailureReason, string] | undefined>;
  const wrong = wrongs[grant];
  if (wrong !== undefined) yield { reason: wrong[0], what: wrong[1], request: request() };
}

/**
 * Login requests, one for each reason; `values` are those of a good one. The first of them are
 * told on a page, the rest by redirect where the dialect says so.
 */
export function loginFaults(
  definition: Definition,
  { client }: SampleClient,
  values: SampleValues,
): readonly SampleFault<LoginFailureReason>[] {
  const { inputs } = definition.authorize.endpoint;
  const fault = (
    reason: LoginFailureReason,
    what: string,
    changes: SampleValues,
  ): SampleFault<LoginFailureReason>[] => [
    { reason, what, request: sampleLoginRequest(definition, client, { ...values, ...changes }) },
  ];
  const responseType = inputs['response_type'];
  const rule = responseType && compileInput('response_type', responseType, '');
  return [
    ...fault('missing_client_id', 'no client', { client_id: null }),
    ...fault('unknown_client', 'a client that there is not', { client_id: unheardOf }),
    ...fault('unregistered_redirect_uri', 'an address that is not registered', {
      redirect_uri: 'https://elsewhere.example/',
    }),
    ...(rule?.required === true
      ? fault('missing_response_type', `no ${rule.told}`, { response_type: null })
      : []),
    ...(rule?.fits('token') === false
      ? fault('unsupported_response_type', `a ${rule.told} that there is not`, {
          response_type: 'token',
        })
      : []),
    ...(inputs['scope'] === undefined
      ? []
      : fault('invalid_scope', 'a scope that there is not', { scope: unheardOf })),
  ];
}
