// Owns reading an endpoint's declared inputs out of a raw request: media type, size, places,
// repeated, unknown, misplaced and empty parameters (C-8, first steps).

import { Refusal } from '../oauth/failure.ts';
import {
  MalformedParameters,
  noParameters,
  type Parameters,
  parseForm,
  parseJsonObject,
} from '../oauth/parameters.ts';
import { headerValues, type WireRequest } from '../oauth/wire_request.ts';
import type { Inputs, InputRule } from './input_rules.ts';
import type { BodyPlace, EndpointDefinition, Place } from './input_schema.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type PlacedRule = InputRule & { readonly place: Place };

interface ReadingRules {
  readonly inputs: readonly PlacedRule[];
  readonly names: Readonly<Record<BodyPlace, ReadonlySet<string>>>;
  readonly endpoint: EndpointDefinition;
  readonly body: 'form' | 'json' | undefined;
}

const bodyTypes: Readonly<Record<'form' | 'json', string>> = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
};

/** A function from a raw request to the endpoint's inputs; it throws `Refusal`. */
export function compileReader(
  endpoint: EndpointDefinition,
  rules: readonly InputRule[],
): (request: WireRequest) => Inputs {
  const inputs = rules.map((rule) => ({
    ...rule,
    place: endpoint.inputs[rule.role]?.in ?? endpoint.read,
  }));
  const namesIn = (place: BodyPlace): Set<string> =>
    new Set(inputs.filter((input) => input.place === place).map((input) => input.wireName));
  const names = { query: namesIn('query'), form: namesIn('form'), json: namesIn('json') };
  const body = endpoint.read === 'query' ? undefined : endpoint.read;
  const reading = { inputs, names, endpoint, body };
  return (request) => readInputs(reading, request);
}

function readInputs(rules: ReadingRules, request: WireRequest): Inputs {
  const inBody = rules.body === undefined ? readStrayForm(request) : readBody(rules.body, request);
  const inQuery = request.query === '' ? noParameters : readForm(request.query);
  refuseStrays(rules, inQuery, inBody);
  const values = new Map<string, string>();
  for (const input of rules.inputs) {
    const sent =
      input.place === 'header'
        ? headerValues(request, input.wireName)
        : ((input.place === 'query' ? inQuery : inBody).get(input.wireName) ?? []);
    const found = single(input, sent, rules.endpoint);
    const value = found === undefined ? undefined : input.unwrap(found);
    if (value !== undefined && (value !== '' || rules.endpoint.empty === 'value')) {
      values.set(input.role, value);
    }
  }
  return values;
}

/** Parameters that are unknown, or in a place where the dialect does not read them (HOSTILE 41, 43). */
function refuseStrays(rules: ReadingRules, inQuery: Parameters, inBody: Parameters): void {
  const { names, body } = rules;
  const readInBody = body === undefined ? noNames : names[body];
  for (const [name, values] of inQuery) {
    if (!names.query.has(name)) refuseStray(rules, name, values, readInBody);
  }
  for (const [name, values] of inBody) {
    if (!readInBody.has(name)) refuseStray(rules, name, values, names.query);
  }
}

const noNames: ReadonlySet<string> = new Set();

function refuseStray(
  rules: ReadingRules,
  name: string,
  values: readonly string[],
  elsewhere: ReadonlySet<string>,
): void {
  // RFC 6749 3.2 lets no parameter come twice, known or not.
  if (values.length > 1 && rules.endpoint.repeated === 'refuse') {
    throw new Refusal('repeated_parameter', { parameter: name });
  }
  if (elsewhere.has(name)) throw new Refusal('misplaced_parameter', { parameter: name });
  if (rules.endpoint.unknown === 'refuse') {
    throw new Refusal('unknown_parameter', { parameter: name });
  }
}

function single(
  input: PlacedRule,
  sent: readonly string[],
  endpoint: EndpointDefinition,
): string | undefined {
  if (sent.length <= 1) return sent[0];
  // A list header sent in several lines is one list (RFC 9110 5.3).
  if (input.list) return sent.join(', ');
  if (input.place === 'header') {
    throw new Refusal(input.whenInvalid, { parameter: input.wireName });
  }
  if (endpoint.repeated === 'first') return sent[0];
  if (endpoint.repeated === 'last') return sent.at(-1);
  throw new Refusal('repeated_parameter', { parameter: input.wireName });
}

function readBody(kind: 'form' | 'json', request: WireRequest): Parameters {
  requireMediaType(kind, headerValues(request, 'content-type'));
  if (request.body === 'too_large') throw new Refusal('body_too_large');
  return decodeBody(kind, request.body);
}

/**
 * The form that came with a request whose endpoint has no payload: a secret or code that was
 * overlooked in there would pass for accepted (HOSTILE 41, 43). Other bodies hold no parameters.
 */
function readStrayForm({ body, rawHeaders }: WireRequest): Parameters {
  if (body === 'too_large') throw new Refusal('body_too_large');
  const [type = ''] = headerValues({ rawHeaders }, 'content-type');
  const isForm = type.split(';')[0]?.trim().toLowerCase() === bodyTypes.form;
  return isForm && body.length > 0 ? decodeBody('form', body) : noParameters;
}

function decodeBody(kind: 'form' | 'json', body: Uint8Array): Parameters {
  try {
    const text = utf8.decode(body);
    return kind === 'json' ? parseJsonObject(text) : parseForm(text);
  } catch (error) {
    if (error instanceof MalformedParameters || error instanceof TypeError) {
      throw new Refusal('malformed_body', { detail: error.message });
    }
    throw error;
  }
}

function readForm(query: string): Parameters {
  try {
    return parseForm(query);
  } catch (error) {
    if (!(error instanceof MalformedParameters)) throw error;
    throw new Refusal('malformed_body', { detail: error.message });
  }
}

/**
 * G-9: the one media type, in any case, with UTF-8 as its only charset. Text in another charset
 * would be decoded into something its sender did not mean (HOSTILE 44).
 */
function requireMediaType(kind: 'form' | 'json', sent: readonly string[]): void {
  const [header = ''] = sent;
  if (sent.length === 1 && header === bodyTypes[kind]) return;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charsetsFit = parameters.every(
    (parameter) =>
      !parameter.startsWith('charset=') || /^charset="?(?:utf-8|us-ascii)"?$/.test(parameter),
  );
  if (sent.length !== 1 || type !== bodyTypes[kind] || !charsetsFit) {
    throw new Refusal('unsupported_media_type', { parameter: 'content-type' });
  }
}
