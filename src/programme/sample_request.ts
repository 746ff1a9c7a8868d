// Owns sample requests: how a client of a programme would ask, built from the programme's own file.

import type { CredentialEncoding } from '../oauth/basic.ts';
import type { Client } from '../oauth/client.ts';
import { grantInputs, type GrantType } from '../oauth/grant.ts';
import type { Definition } from './definition.ts';
import { endpointsOf } from './grant_places.ts';
import type { EndpointDefinition, InputDefinition, ParameterPlace } from './input_schema.ts';

/** A client, with the secret that only its owner knows. */
export interface SampleClient {
  readonly client: Client;
  readonly secret: string;
}

export interface SampleRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  /** Identifier and secret, encoded as the dialect decodes them, where the Authorization header has them. */
  readonly credentials?: { readonly id: string; readonly secret: string; readonly bare: boolean };
  readonly form?: readonly (readonly [string, string])[];
  readonly json?: JsonMembers;
}

/** Members of a JSON body; some lie in objects. */
export interface JsonMembers {
  readonly [name: string]: string | JsonMembers;
}

/** Values by the engine's names; what is left out is filled from client and programme. */
export type SampleValues = Readonly<Record<string, string>>;

/**
 * A token request by a grant; `values` holds what the grant needs, and may override the rest.
 *
 * @param at which of the endpoints that serve it, where it is not the first
 */
export function sampleTokenRequest(
  definition: Definition,
  grant: GrantType,
  by: SampleClient,
  values: SampleValues,
  at?: string,
): SampleRequest {
  const [first] = endpointsOf(definition, grant);
  const [, endpoint] = at === undefined ? (first ?? []) : [at, definition.token_endpoints[at]];
  if (endpoint === undefined) throw new Error(`${definition.name} has no grant ${grant}`);
  const method = definition.client.authentication.methods[0] ?? 'basic';
  const known = {
    grant_type: definition.grants[grant]?.grant_type ?? grant,
    ...(method === 'parameters' ? { client_id: by.client.id, client_secret: by.secret } : {}),
    ...values,
  };
  const needed = new Set<string>([
    'grant_type',
    ...grantInputs[grant].needs,
    ...(method === 'parameters' ? ['client_id', 'client_secret'] : []),
    ...Object.keys(values),
  ]);
  const request = fillInputs(endpoint, definition, by.client, known, needed);
  if (method === 'parameters') return request;
  const encode = credentialEncoders[definition.client.authentication.credentials];
  const credentials = {
    id: encode(by.client.id),
    secret: encode(by.secret),
    bare: method === 'bare_basic',
  };
  return { ...request, credentials };
}

const credentialEncoders: Readonly<Record<CredentialEncoding, (text: string) => string>> = {
  raw: String,
  either: String,
  form: encodeURIComponent,
  base64: (text) => Buffer.from(text).toString('base64'),
};

/** A login request; `values` holds redirect_uri, state and whatever else is to be sent. */
export function sampleLoginRequest(
  definition: Definition,
  client: Client,
  values: SampleValues,
): SampleRequest {
  const known = { client_id: client.id, response_type: 'code', ...values };
  const needed = new Set(['client_id', 'response_type', ...Object.keys(values)]);
  return fillInputs(definition.authorize.endpoint, definition, client, known, needed);
}

function fillInputs(
  endpoint: EndpointDefinition,
  definition: Definition,
  client: Client,
  known: SampleValues,
  needed: ReadonlySet<string>,
): SampleRequest {
  const places = {
    query: [] as [string, string][],
    form: [] as [string, string][],
    header: [] as [string, string][],
  };
  let json: JsonMembers = {};
  const usual = usualPlace(endpoint);
  for (const [role, input] of Object.entries(endpoint.inputs)) {
    if (!input.required && !needed.has(role)) continue;
    const value = known[role] ?? usualValue(input, definition, client);
    if (value === undefined) continue;
    const sent = input.scheme === undefined ? value : `${input.scheme} ${value}`;
    const place = input.in ?? usual;
    const name = input.name ?? role;
    if (place === 'json') json = withMember(json, [...(input.within ?? []), name], sent);
    else places[place].push([name, sent]);
  }
  const [method = 'POST'] = endpoint.methods;
  return {
    method,
    path: definition.base_path + endpoint.path,
    query: places.query,
    headers: places.header,
    ...(usual === 'form' || places.form.length > 0 ? { form: places.form } : {}),
    ...(usual === 'json' || Object.keys(json).length > 0 ? { json } : {}),
  };
}

/** Of the places an endpoint reads, a body goes before the query, which others can see. */
function usualPlace({ read, methods }: EndpointDefinition): ParameterPlace {
  const [method] = methods;
  const bodies = method === 'GET' ? [] : read.filter((place) => place !== 'query');
  return bodies[0] ?? 'query';
}

function withMember(
  members: JsonMembers,
  [name = '', ...rest]: readonly string[],
  value: string,
): JsonMembers {
  if (rest.length === 0) return { ...members, [name]: value };
  const inner = members[name];
  return { ...members, [name]: withMember(typeof inner === 'object' ? inner : {}, rest, value) };
}

/** What a required input holds when nobody says: what it must equal, or the first allowed value. */
function usualValue(
  input: InputDefinition,
  definition: Definition,
  client: Client,
): string | undefined {
  switch (input.must_equal) {
    case 'programme.identifier':
      return definition.programme_identifier;
    case 'client.id':
      return client.id;
    case 'client.business_context':
      return client.businessContext;
    case 'client.partner_id':
      return client.partnerId;
    // Kept as a digest: whoever has the key gives it.
    case 'client.api_key':
      return undefined;
    default:
      return input.allowed?.[0] ?? client.businessContext;
  }
}
