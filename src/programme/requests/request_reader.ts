// Owns reading an endpoint's declared inputs out of a raw request: media type, size, places,
// repeated, unknown, misplaced and empty parameters (C-8, first steps).

import { Refusal } from '../../oauth/failure.ts';
import {
  MalformedParameters,
  memberPath,
  noParameters,
  type Parameters,
  parseForm,
  parseJsonObject,
} from '../../oauth/parameters.ts';
import { headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import {
  type EndpointDefinition,
  type ParameterPlace,
  placesOf,
} from '../language/input_schema.ts';
import type { Inputs, InputRule } from './input_rules.ts';
import {
  type BodyForm,
  compileMediaTypes,
  type MediaType,
  type MediaTypeReader,
  plainForm,
  usualTypes,
} from './media_types.ts';

interface PlacedRule extends InputRule {
  readonly inHeader: boolean;
  readonly inQuery: boolean;
  /** Forms of the body in which it is looked for. */
  readonly inBody: ReadonlySet<BodyForm>;
}

interface ReadingRules {
  readonly inputs: readonly PlacedRule[];
  /** Keys of the inputs in each place. */
  readonly keys: Readonly<Record<ParameterPlace, ReadonlySet<string>>>;
  readonly bodyKeys: ReadonlySet<string>;
  readonly endpoint: EndpointDefinition;
  /** What a body is, by its media type; undefined where none is read. */
  readonly mediaType: MediaTypeReader | undefined;
  /** Whether parameters can come without any body. */
  readonly bodiless: boolean;
  /** Objects of a JSON body in which inputs lie. */
  readonly objects: ReadonlySet<string>;
}

/** A function from a raw request to the endpoint's inputs; it throws `Refusal`. */
export function compileReader(
  endpoint: EndpointDefinition,
  rules: readonly InputRule[],
): (request: WireRequest) => Inputs {
  const inputs = rules.map((rule): PlacedRule => {
    const places = placesOf(endpoint.inputs[rule.role] ?? { required: false }, endpoint);
    return {
      ...rule,
      inHeader: places.includes('header'),
      inQuery: places.includes('query'),
      inBody: new Set(places.filter((place) => place === 'form' || place === 'json')),
    };
  });
  const keysIn = (isThere: (input: PlacedRule) => boolean): Set<string> =>
    new Set(inputs.filter(isThere).map((input) => input.key));
  const reading: ReadingRules = {
    inputs,
    keys: {
      query: keysIn((input) => input.inQuery),
      form: keysIn((input) => input.inBody.has('form')),
      json: keysIn((input) => input.inBody.has('json')),
    },
    bodyKeys: keysIn((input) => input.inBody.size > 0),
    endpoint,
    mediaType: endpoint.read.every((place) => place === 'query')
      ? undefined
      : compileMediaTypes(endpoint),
    bodiless: endpoint.read.includes('query'),
    objects: objectsOf(endpoint),
  };
  return (request) => readInputs(reading, request);
}

function objectsOf({ inputs }: EndpointDefinition): ReadonlySet<string> {
  const paths = Object.values(inputs).flatMap(({ within = [] }) =>
    within.map((_, index) => memberPath(within.slice(0, index + 1))),
  );
  return new Set(paths);
}

/** A body as it came: its form, where it has one that is read, and its parameters. */
interface ReadBody {
  readonly form: BodyForm | undefined;
  readonly parameters: Parameters;
}

function readInputs(rules: ReadingRules, request: WireRequest): Inputs {
  const body = readBody(rules, request);
  const inQuery = request.query === '' ? noParameters : readForm(request.query);
  refuseStrays(rules, inQuery, body);
  const values = new Map<string, string>();
  for (const input of rules.inputs) {
    const found = single(input, sentFor(input, request, inQuery, body), rules.endpoint);
    const value = found === undefined ? undefined : input.unwrap(found);
    if (value !== undefined && (value !== '' || rules.endpoint.empty === 'value')) {
      values.set(input.role, value);
    }
  }
  return values;
}

const nothingSent: readonly string[] = [];

/** Every value that was sent for an input, wherever it is read. */
function sentFor(
  input: PlacedRule,
  request: WireRequest,
  inQuery: Parameters,
  { form, parameters }: ReadBody,
): readonly string[] {
  if (input.inHeader) return headerValues(request, input.wireName);
  const one = input.inQuery ? inQuery.get(input.key) : undefined;
  const isInBody = form !== undefined && input.inBody.has(form);
  const other = isInBody ? parameters.get(input.key) : undefined;
  if (one === undefined || other === undefined) return one ?? other ?? nothingSent;
  return [...one, ...other];
}

/** Parameters that are unknown, or in a place where the dialect does not read them (HOSTILE 41, 43). */
function refuseStrays(rules: ReadingRules, inQuery: Parameters, body: ReadBody): void {
  const { keys, objects } = rules;
  const readInBody = body.form === undefined ? noNames : keys[body.form];
  for (const [name, values] of inQuery) {
    if (!keys.query.has(name)) refuseStray(rules, name, values, rules.bodyKeys);
  }
  for (const [name, values] of body.parameters) {
    if (readInBody.has(name) || (objects.has(name) && values.length === 1)) continue;
    refuseStray(rules, name, values, keys.query);
  }
}

const noNames: ReadonlySet<string> = new Set();

function refuseStray(
  rules: ReadingRules,
  name: string,
  values: readonly string[],
  elsewhere: ReadonlySet<string>,
): void {
  const parameter = name.replaceAll('\0', '.');
  // RFC 6749 3.2 lets no parameter come twice, known or not.
  if (values.length > 1 && rules.endpoint.repeated === 'refuse') {
    throw new Refusal('repeated_parameter', { parameter });
  }
  if (elsewhere.has(name)) throw new Refusal('misplaced_parameter', { parameter });
  if (rules.endpoint.unknown === 'refuse') throw new Refusal('unknown_parameter', { parameter });
}

function single(
  input: PlacedRule,
  sent: readonly string[],
  endpoint: EndpointDefinition,
): string | undefined {
  if (sent.length <= 1) return sent[0];
  // A list header sent in several lines is one list (RFC 9110 5.3).
  if (input.list) return sent.join(', ');
  if (input.inHeader) throw new Refusal(input.whenInvalid, { parameter: input.wireName });
  if (endpoint.repeated === 'first') return sent[0];
  if (endpoint.repeated === 'last') return sent.at(-1);
  throw new Refusal('repeated_parameter', { parameter: input.told });
}

function readBody(rules: ReadingRules, request: WireRequest): ReadBody {
  const { mediaType, bodiless, objects } = rules;
  if (mediaType === undefined) return { form: undefined, parameters: readStrayForm(request) };
  const { body } = request;
  const sent = headerValues(request, 'content-type');
  if (bodiless && sent.length === 0 && body.length === 0) return noBody;
  const said = mediaType(sent);
  // A GET of some clients says what its body would be, had it one.
  if (said === undefined && bodiless && body.length === 0) return noBody;
  if (said === undefined)
    throw new Refusal('unsupported_media_type', { parameter: 'content-type' });
  if (body === 'too_large') throw new Refusal('body_too_large');
  if (bodiless && body.length === 0) return noBody;
  return { form: said.form, parameters: decodeBody(said, body, objects) };
}

const noBody: ReadBody = { form: undefined, parameters: noParameters };

/**
 * The form that came with a request whose endpoint has no payload: a secret or code that was
 * overlooked in there would pass for accepted (HOSTILE 41, 43). Other bodies hold no parameters.
 */
function readStrayForm({ body, rawHeaders }: WireRequest): Parameters {
  if (body === 'too_large') throw new Refusal('body_too_large');
  const [type = ''] = headerValues({ rawHeaders }, 'content-type');
  const isForm = type.split(';')[0]?.trim().toLowerCase() === usualTypes.form;
  if (!isForm || body.length === 0) return noParameters;
  return decodeBody(plainForm, body, noNames);
}

function decodeBody(
  { form, charset }: MediaType,
  body: Uint8Array,
  objects: ReadonlySet<string>,
): Parameters {
  try {
    return form === 'json' ? parseJsonObject(charset.text(body), objects) : charset.form(body);
  } catch (error) {
    if (!(error instanceof MalformedParameters)) throw error;
    throw new Refusal('malformed_body', { detail: error.message });
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
