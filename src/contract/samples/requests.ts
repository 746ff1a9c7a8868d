// Owns sample requests of a programme's client, built from what is compiled of its file.

import { elementText, escapeXml } from '../../language/encoding.ts';
import { formatRows } from '../../language/input_formats.ts';
import type { InputDefinition, ParameterPlace } from '../../language/input_schema.ts';
import { compileDeriver, compileShape } from '../../language/value_shape.ts';
import { present } from '../../lib/present.ts';
import type { CredentialEncoding } from '../../oauth/basic.ts';
import { attributeMark } from '../../oauth/bodies/xml_parameters.ts';
import type { Client } from '../../oauth/client.ts';
import { grantRows, type GrantType } from '../../oauth/grant.ts';
import { withPathValues } from '../../programme/path_index.ts';
import { endpointsFor, type Programme } from '../../programme/programme.ts';
import { heldValues } from '../../programme/requests/client_values.ts';
import type { Input } from '../../programme/requests/inputs.ts';
import type { Reading } from '../../programme/requests/reading.ts';
import type { TokenEndpoint } from '../../programme/requests/token_endpoint.ts';
import {
  type SampleClient,
  type SampleCredentials,
  sampleProof,
  type SampleValues,
} from './proof.ts';

export interface SampleRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  readonly credentials?: SampleCredentials;
  /** The client shows a certificate in the TLS handshake instead. */
  readonly certificate?: true;
  readonly form?: readonly (readonly [string, string])[];
  /** The form is sent as multipart/form-data. */
  readonly multipart?: true;
  readonly json?: JsonMembers;
  /** A body of XML or a malformed one, in place of `form` and `json`. */
  readonly raw?: { readonly type: string; readonly text: string };
}

/**
 * A token request by a grant; `values` holds what the grant needs, and may override the rest.
 *
 * @param at which of the endpoints that serve it, where it is not the first
 */
export function sampleTokenRequest(
  programme: Programme,
  grant: GrantType,
  by: SampleClient,
  values: SampleValues,
  at?: string,
): SampleRequest {
  const all = endpointsFor(programme, grant);
  const endpoint = at === undefined ? all[0] : all.find(({ name }) => name === at);
  const asked = endpoint?.grants.find(({ type }) => type === grant);
  if (endpoint === undefined) throw new Error(`${programme.name} has no grant ${grant}`);
  const { inputs: proof, ...shown } = sampleProof(endpoint.authentication, by, grant);
  const known = {
    assertion: grant === 'jwt_bearer' ? by.assertion?.('grant') : undefined,
    grant_type: asked?.wireValue ?? grant,
    scope: usualScope(programme, grant),
    ...proof,
    ...values,
  };
  const needed = ['grant_type', ...grantRows[grant].needs, ...Object.keys({ ...proof, ...values })];
  // Inputs of two grants can have one name.
  const inputs = endpoint.reading.inputs.filter(
    ({ isOfGrants, readBy }) => !isOfGrants || readBy.includes(grant),
  );
  const reading = { ...endpoint.reading, inputs };
  const signed = { ...known, ...signatureAmong(endpoint, programme, by, known) };
  const request = fillInputs(reading, programme, by, signed, new Set(needed));
  return { ...request, ...shown };
}

/** The signature of a request with these values, unless another one is among them. */
function signatureAmong(
  { authentication: { signature: recipe }, reading }: TokenEndpoint,
  programme: Programme,
  by: SampleClient,
  known: SampleValues,
): SampleValues {
  if (recipe === undefined || known['client_signature'] !== 'SIGNATURE') return {};
  const valueOf = (role: string): string => {
    const input = reading.inputs.find((one) => one.role === role);
    return known[role] ?? (input && usualValue(input, programme, by)) ?? '';
  };
  return present({ client_signature: by.sign?.(recipe, valueOf) });
}

/** The Authorization header of these credentials. */
export function authorizationOf({ id, secret, scheme, encoding }: SampleCredentials): string {
  const encode = credentialEncoders[encoding];
  const token = Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64');
  return scheme === undefined ? token : `${scheme} ${token}`;
}

const credentialEncoders: Readonly<Record<CredentialEncoding, (text: string) => string>> = {
  raw: String,
  either: String,
  form: encodeURIComponent,
  base64: (text) => Buffer.from(text).toString('base64'),
};

/** A login request; `values` holds redirect_uri, state and further parameters. */
export function sampleLoginRequest(
  programme: Programme,
  client: Client,
  values: SampleValues,
): SampleRequest {
  const scope = usualScope(programme, 'authorization_code');
  const known = { client_id: client.id, scope, ...values };
  const needed = new Set(['client_id', 'response_type', ...Object.keys(values)]);
  const { reading } = programme.login.endpoint;
  // A link before a form: browsers go there by themselves.
  const isLink = reading.read.includes('form') && reading.methods.includes('GET');
  const asLink = isLink ? { ...reading, methods: ['GET' as const] } : reading;
  return fillInputs(asLink, programme, { client }, known, needed);
}

/** The headers of a call through a gateway; `naming` adds those that name programme and client. */
export function callHeaders(
  { verification: { apiKeyHeader, toldHeaders } }: Pick<Programme, 'verification'>,
  client: Client,
  { apiKey, token }: { readonly apiKey?: string; readonly token?: string },
  naming: boolean,
): SampleRequest['headers'] {
  return [
    ...(naming ? toldHeaders : []).flatMap(({ name, role, valueFor }) =>
      role === undefined ? [] : [[name, valueFor(client) ?? ''] as const],
    ),
    ...(apiKey === undefined ? [] : [[apiKeyHeader, apiKey] as const]),
    ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
  ];
}

export function fillInputs(
  reading: Reading<unknown>,
  programme: Programme,
  by: Omit<SampleClient, 'secret'>,
  known: SampleValues,
  needed: ReadonlySet<string>,
): SampleRequest {
  const sent: Record<'query' | 'form' | 'header' | 'path' | 'cookie', [string, string][]> = {
    path: [],
    query: [],
    form: [],
    header: [],
    cookie: [],
  };
  let json: JsonMembers = {};
  let xml: JsonMembers = {};
  const usual = usualPlace(reading);
  for (const input of reading.inputs) {
    const { role, writtenName: name, within, attribute, scheme, places, inPath } = input;
    // Without its selector, a shared path leads to the default programme.
    const isNeeded = input.required || inPath || needed.has(role);
    const isSent = isNeeded || role === programme.selectorInput;
    const value = known[role] === undefined ? usualValue(input, programme, by) : known[role];
    if (!isSent || value === undefined || value === null) continue;
    const [only, ...others] = places;
    const place = others.length > 0 || only === undefined ? usual : only;
    const text = scheme === undefined ? value : `${scheme} ${value}`;
    if (place === 'json') json = withMember(json, [...within, name], text);
    else if (place === 'xml') xml = withXml(xml, [...within, name], attribute, text);
    else sent[place === 'multipart' ? 'form' : place].push([name, text]);
  }
  if (sent.cookie.length > 0) {
    const cookies = sent.cookie.map((pair) => pair.join('='));
    sent.header.push(['Cookie', cookies.join('; ')]);
  }
  const [method = 'POST'] = reading.methods;
  const isMultipart = usual === 'multipart';
  const isForm = usual === 'form' || isMultipart;
  const empty = isMultipart && sent.form.length === 0 ? noParts : undefined;
  const inPath = new Map(sent.path);
  return present({
    method,
    // Of a client without the value, words to put it in for: no URL holds a pattern (HOSTILE 76).
    path:
      programme.basePath +
      withPathValues(reading.path, (name) => inPath.get(name) ?? `YOUR-${name.toUpperCase()}`),
    query: sent.query,
    headers: sent.header,
    form: isForm || sent.form.length > 0 ? sent.form : undefined,
    multipart: isMultipart ? true : undefined,
    json: usual === 'json' || Object.keys(json).length > 0 ? json : undefined,
    raw:
      usual === 'xml' || Object.keys(xml).length > 0
        ? { type: 'application/xml', text: xmlText(reading.root ?? 'request', xml) }
        : empty,
  });
}

/** A body without parts, which no library makes. */
const noParts = { type: 'multipart/form-data; boundary=end', text: '--end--' };

/** A body before the query: proxies and logs see the query. */
function usualPlace({ read, methods }: Reading<unknown>): ParameterPlace {
  const [method] = methods;
  const bodies = method === 'GET' ? [] : read.filter((place) => place !== 'query');
  return bodies[0] ?? 'query';
}

/** A scope for the grant, if the dialect requires one. */
function usualScope({ scopes: scope }: Programme, grant: GrantType): string | undefined {
  if (scope.kind === 'list') return scope.values[0];
  return grant === 'client_credentials' ? scope.client : scope.member_default;
}

/** The value of an input that is not given: the one it must equal, or the first that fits. */
export function usualValue(
  input: Input<unknown>,
  { identifier }: Programme,
  { client, apiKey }: Omit<SampleClient, 'secret'>,
): string | undefined {
  const { role, must_equal: comparison } = input;
  if (comparison === 'programme.identifier') return identifier;
  // The client stores only a digest of its API key.
  if (comparison === 'client.api_key') return apiKey;
  if (comparison !== undefined) return heldValues(comparison)(client)[0];
  if (role === 'response_type') return fittingValue(input, 'code');
  const [address] = role === 'redirect_uri' ? client.redirectUris : [];
  return fittingValue(input, address ?? client.businessContext);
}

/** A value that an input accepts; `wanted` if it does. */
export function fittingValue(
  input: Pick<InputDefinition, 'prefix' | 'characters' | 'length' | 'format' | 'allowed'> &
    Pick<Input, 'sample'>,
  wanted = 'demo',
): string {
  if (input.sample !== undefined) return input.sample;
  const [first] = input.allowed ?? [];
  const fits = compileShape(input);
  if (first !== undefined) return input.allowed?.includes(wanted) === true ? wanted : first;
  if (input.format !== undefined) return formatRows[input.format].samples.find(fits) ?? wanted;
  return fits(wanted) ? wanted : compileDeriver(input, longestSample)(wanted);
}

const longestSample = 16;

/** Members of a JSON body; some are in objects. */
export interface JsonMembers {
  readonly [name: string]: string | JsonMembers;
}

/** The members with one more, in the objects that its path names. */
export function withMember(
  members: JsonMembers,
  [name = '', ...rest]: readonly string[],
  value: string,
): JsonMembers {
  if (rest.length === 0) return { ...members, [name]: value };
  const inner = members[name];
  return { ...members, [name]: withMember(typeof inner === 'object' ? inner : {}, rest, value) };
}

/** The same of elements, whose texts and attributes are members. */
export function withXml(
  members: JsonMembers,
  path: readonly string[],
  isAttribute: boolean,
  value: string,
): JsonMembers {
  const own = isAttribute
    ? [attributeMark + (path.at(-1) ?? '')]
    : [...path.slice(-1), elementText];
  return withMember(members, [...path.slice(0, -1), ...own], value);
}

/** An element of these members. */
export function xmlText(name: string, members: JsonMembers): string {
  const all = Object.entries(members);
  const written = all.map(([key, value]) => {
    if (typeof value !== 'string') return xmlText(key, value);
    return key === elementText ? escapeXml(value) : '';
  });
  const attributes = all.map(([key, value]) =>
    typeof value === 'string' && key.startsWith(attributeMark)
      ? ` ${key.slice(attributeMark.length)}="${escapeXml(value)}"`
      : '',
  );
  return `<${name}${attributes.join('')}>${written.join('')}</${name}>`;
}
