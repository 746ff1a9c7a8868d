// Owns requests with one thing wrong: each with the reason it is refused for and what is told of it.

import type { InputDefinition } from '../../../src/language/input_schema.ts';
import { grantRows, type GrantType } from '../../../src/oauth/grant.ts';
import type { FailureReason } from '../../../src/oauth/reasons.ts';
import { endpointsOf, grantsAt } from '../../../src/programme/requests/grant_places.ts';
import type { Facts } from './oracle.ts';
import { type Draft, withParameters } from './requests.ts';
import type { Served } from './served.ts';

export interface Provocation {
  readonly draft: Draft;
  /** A body that no sender of parameters would write. */
  readonly raw?: string;
  readonly reason: FailureReason;
  readonly facts?: Facts;
}

/** Everything that can be wrong with a request by a grant, as the dialect's endpoint has it. */
export function* provocations(served: Served, grant: GrantType): Iterable<Provocation> {
  const { definition } = served;
  for (const place of endpointsOf(definition, grant)) yield* provoking(served, grant, place);
}

function* provoking(
  served: Served,
  grant: GrantType,
  [name, endpoint]: ReturnType<typeof endpointsOf>[number],
): Iterable<Provocation> {
  const here: Served = {
    ...served,
    request: (type, values) => served.request(type, values, name),
  };
  const { inputs } = endpoint;
  const good = here.request(grant, tokensOf(grant));
  // Where parameters can come in the query, no body is none of any type.
  if (good.body?.fields.length !== 0 || !endpoint.read.includes('query')) {
    yield* wrongBodies(good);
  }
  if (endpoint.unknown === 'refuse') {
    const draft = withParameters(good, (pairs) => [...pairs, ['zzz', '1']]);
    yield { draft, reason: 'unknown_parameter', facts: { parameter: 'zzz' } };
  }
  const [pair] = good.body?.fields ?? good.query;
  if (endpoint.repeated === 'refuse' && pair !== undefined) {
    const draft = withParameters(good, (pairs) => [...pairs, pair]);
    yield { draft, reason: 'repeated_parameter', facts: { parameter: pair[0] } };
  }
  const isAlone = grantsAt(served.definition, name).length === 1;
  yield* wrongCredentials(here, grant, good, inputs);
  yield* wrongInputs(here, grant, good, inputs, isAlone);
}

function tokensOf(grant: GrantType): Record<string, string> {
  return Object.fromEntries(grantRows[grant].needs.map((role) => [role, 'nope']));
}

function* wrongBodies(good: Draft): Iterable<Provocation> {
  if (good.body === undefined) return;
  const headers = { ...good.headers, 'content-type': 'text/plain' };
  const facts = { parameter: 'content-type' };
  yield { draft: { ...good, headers }, reason: 'unsupported_media_type', facts };
  yield { draft: good, raw: 'x'.repeat(70_000), reason: 'body_too_large' };
  yield {
    draft: good,
    raw: good.body.type === 'json' ? '{"a":' : 'a=%zz',
    reason: 'malformed_body',
  };
}

type Inputs = Readonly<Record<string, InputDefinition>>;

function* wrongCredentials(
  { definition, request }: Served,
  grant: GrantType,
  good: Draft,
  inputs: Inputs,
): Iterable<Provocation> {
  const { methods } = definition.client.authentication;
  const wrong = { reason: 'client_authentication_failed' } as const;
  const readsHeader = methods.some((method) => method !== 'parameters');
  const parameter = readsHeader ? 'authorization' : wireName('client_secret', inputs);
  const missing = { reason: 'authentication_missing', facts: { parameter } } as const;
  if (methods[0] === 'parameters') {
    const values = tokensOf(grant);
    yield { draft: request(grant, { ...values, client_secret: 'guess' }), ...wrong };
    yield { draft: without(good, 'client_secret', inputs), ...missing };
    return;
  }
  const { authorization = '', ...headers } = good.headers;
  const [token = '', scheme] = authorization.split(' ').toReversed();
  const id = Buffer.from(token, 'base64').toString().split(':')[0] ?? '';
  const guess = Buffer.from(`${id}:guess`).toString('base64');
  const value = scheme === undefined ? guess : `${scheme} ${guess}`;
  yield { draft: { ...good, headers: { ...headers, authorization: value } }, ...wrong };
  yield { draft: { ...good, headers }, ...missing };
}

function* wrongInputs(
  { request }: Served,
  grant: GrantType,
  good: Draft,
  inputs: Inputs,
  isAlone: boolean,
): Iterable<Provocation> {
  const values = tokensOf(grant);
  const [needed] = grantRows[grant].needs;
  if (needed !== undefined) {
    yield { draft: good, reason: `invalid_${needed}` as FailureReason };
    yield missing(needed, good, inputs);
  }
  if (inputs['grant_type'] !== undefined) {
    const facts = { parameter: wireName('grant_type', inputs) };
    const draft = request(grant, { ...values, grant_type: 'nope' });
    yield { draft, reason: 'unsupported_grant_type', facts };
    if (inputs['grant_type'].required || !isAlone) yield missing('grant_type', good, inputs);
  }
  if (inputs['api_key'] !== undefined) {
    const facts = { parameter: wireName('api_key', inputs) };
    const draft = request(grant, { ...values, api_key: 'another-key-0123456789' });
    yield { draft, reason: 'context_mismatch', facts };
    yield missing('api_key', good, inputs);
  }
  if (inputs['scope'] !== undefined) {
    const facts = { parameter: wireName('scope', inputs), scope: 'nope' };
    yield { draft: request(grant, { ...values, scope: 'nope' }), reason: 'invalid_scope', facts };
  }
}

function missing(role: string, good: Draft, inputs: Inputs): Provocation {
  const input = inputs[role];
  const usual = role === 'grant_type' ? 'missing_grant_type' : 'missing_parameter';
  const reason = input?.when_missing ?? (input?.in === 'header' ? 'missing_header' : usual);
  const facts = { parameter: wireName(role, inputs) };
  return { draft: without(good, role, inputs), reason, facts };
}

/** Header names are told in lower case, as HTTP/2 has them. */
function wireName(role: string, inputs: Inputs): string {
  const name = inputs[role]?.name ?? role;
  return inputs[role]?.in === 'header' ? name.toLowerCase() : name;
}

function without(draft: Draft, role: string, inputs: Inputs): Draft {
  const name = inputs[role]?.name ?? role;
  if (inputs[role]?.in !== 'header') {
    return withParameters(draft, (pairs) => pairs.filter(([one]) => one !== name));
  }
  const headers = Object.entries(draft.headers).filter(([one]) => one !== name);
  return { ...draft, headers: Object.fromEntries(headers) };
}
