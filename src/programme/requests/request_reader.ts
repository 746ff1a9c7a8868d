// Owns reading an endpoint's inputs from a raw request: places, repeated, unknown, misplaced and
// empty parameters (C-8, first steps).

import type { EndpointDefinition, ParameterPlace } from '../../language/input_schema.ts';
import { knownInput, singleInputs } from '../../language/known_inputs.ts';
import { type Cause, countOf, describeName, endpointRule, ownCause } from '../../oauth/cause.ts';
import { type FailureFacts, Refusal } from '../../oauth/failure.ts';
import {
  MalformedParameters,
  noParameters,
  type Parameters,
  parseForm,
  separator,
} from '../../oauth/parameters.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import { cookiesOf, headerValues, type WireRequest } from '../../oauth/wire_request.ts';
import { valuePlace } from '../path_index.ts';
import type { Input, Inputs } from './inputs.ts';
import {
  type BodyForm,
  type BodyReader,
  compileBodyReader,
  isBodyForm,
  objectsOf,
  type ReadBody,
} from './reading.ts';

/**
 * Receives each fault of a request, in the order of the checks. If it returns, reading continues
 * without the value. `role` is the input at fault, if it is known.
 */
export type Report = (reason: FailureReason, facts: FailureFacts, role?: string) => void;

export const refuse: Report = (reason, facts) => {
  throw new Refusal(reason, facts);
};

/** An input with its places, ready for reading. */
interface PlacedInput {
  readonly input: Input<unknown>;
  readonly inQuery: boolean;
  /** Forms of the body that may contain it. */
  readonly inBody: ReadonlySet<BodyForm>;
  /** Of a value in the path: its place, counted from the end. */
  readonly segment: number | undefined;
}

interface ReadingRules {
  readonly endpoint: EndpointDefinition;
  readonly inputs: readonly PlacedInput[];
  readonly keys: Readonly<Record<ParameterPlace | 'body', ReadonlySet<string>>>;
  readonly objects: ReadonlySet<string>;
  /** Wire names that may come only once, wherever they stand: the declared and the known ones. */
  readonly once: ReadonlySet<string>;
}

/** The reader throws faults of the body as `Refusal` and reports all others. */
export function compileReader(
  endpoint: EndpointDefinition,
  read: readonly Input<unknown>[],
  readBody: BodyReader = compileBodyReader(endpoint, read),
): (request: WireRequest, report: Report) => Map<string, string> {
  const inputs = read.map((input): PlacedInput => {
    const { places, inPath, wireName } = input;
    const inBody = new Set(places.filter(isBodyForm));
    const segment = inPath ? valuePlace(endpoint.path, wireName) : undefined;
    return { input, inQuery: places.includes('query'), inBody, segment };
  });
  const keysIn = (isThere: (placed: PlacedInput) => boolean): Set<string> =>
    new Set(inputs.filter(isThere).map(({ input }) => input.key));
  const keys = {
    query: keysIn(({ inQuery }) => inQuery),
    form: keysIn(({ inBody }) => inBody.has('form')),
    multipart: keysIn(({ inBody }) => inBody.has('multipart')),
    json: keysIn(({ inBody }) => inBody.has('json')),
    xml: keysIn(({ inBody }) => inBody.has('xml')),
    body: keysIn(({ inBody }) => inBody.size > 0),
  };
  const declared = Object.entries(endpoint.inputs).map(([role, { name = role }]) => name);
  const once = new Set([...declared, ...singleInputs]);
  const reading = { endpoint, inputs, keys, objects: objectsOf(endpoint), once };
  return (request, report) => readInputs(reading, request, readBody(request), report);
}

function readInputs(
  rules: ReadingRules,
  request: WireRequest,
  body: ReadBody,
  report: Report,
): Map<string, string> {
  const inQuery = request.query === '' ? noParameters : readQuery(request.query, report);
  reportStrays(rules, inQuery, body, report);
  const values = new Map<string, string>();
  for (const placed of rules.inputs) {
    const { input } = placed;
    const sent = sentFor(placed, request, inQuery, body);
    const found = sent.length > 1 ? single(input, sent, rules.endpoint, report) : sent[0];
    const value = found === undefined ? undefined : input.unwrap(found);
    if (value === undefined) continue;
    if (value !== '' || input.keepsEmpty) values.set(input.role, value);
    else noteEmpty(values, input.role);
  }
  return values;
}

/** Roles that came without a value: rare, so that the others need no place for it. */
const empties = new WeakMap<Inputs, Set<string>>();

function noteEmpty(inputs: Inputs, role: string): void {
  const known = empties.get(inputs);
  if (known === undefined) empties.set(inputs, new Set([role]));
  else known.add(role);
}

/** Whether an absent input was sent without a value. */
export function wasEmpty(inputs: Inputs, role: string): boolean {
  return empties.get(inputs)?.has(role) === true;
}

/** The parameters of a query; empty, after a report, if the query cannot be decoded. */
export function readQuery(query: string, report: Report): Parameters {
  try {
    return parseForm(query);
  } catch (error) {
    if (!(error instanceof MalformedParameters)) throw error;
    const cause = ownCause(endpointRule('read'), 'a query that can be decoded', error.message);
    report('malformed_body', { cause });
    return noParameters;
  }
}

const nothingSent: readonly string[] = [];

/** Every value sent for an input, in all its places. */
function sentFor(
  { input, inQuery, inBody, segment }: PlacedInput,
  request: WireRequest,
  query: Parameters,
  { form, parameters }: ReadBody,
): readonly string[] {
  if (input.inHeader) return headerValues(request, input.wireName);
  if (segment !== undefined) return request.path.split('/').slice(segment).slice(0, 1);
  if (input.inCookie) {
    const sent = cookiesOf(request).filter(([name]) => name === input.wireName);
    return sent.map(([, value]) => value);
  }
  const one = inQuery ? query.get(input.key) : undefined;
  const isInBody = form !== undefined && inBody.has(form);
  const other = isInBody ? parameters.get(input.key) : undefined;
  if (one === undefined || other === undefined) return one ?? other ?? nothingSent;
  return [...one, ...other];
}

/** Reports parameters that are unknown, or in a place that is not read (HOSTILE 41, 43). */
function reportStrays(
  rules: ReadingRules,
  inQuery: Parameters,
  body: ReadBody,
  report: Report,
): void {
  const { keys, objects, endpoint } = rules;
  for (const [name, values] of inQuery) {
    if (!keys.query.has(name)) reportStray(rules, 'query', name, values, report);
  }
  for (const [name, values] of body.parameters) {
    if (body.form !== undefined && keys[body.form].has(name)) continue;
    // In a form, a parameter of that name is none.
    const isObject = (body.form === 'json' || body.form === 'xml') && objects.has(name);
    if (isObject && (values.length === 1 || endpoint.repeated !== 'refuse')) continue;
    reportStray(rules, body.form ?? 'form', name, values, report);
  }
}

/**
 * Whether a stray parameter may come only once. A name that is neither declared nor known may repeat
 * where it is ignored (RFC 6749 3.1 with erratum 5708, RFC 8707). Of members of a JSON body the
 * parsers of two programs may see different ones (RFC 8259 4).
 */
function mayNotRepeat(
  { endpoint, objects, once }: ReadingRules,
  place: ParameterPlace,
  name: string,
): boolean {
  if (endpoint.repeated !== 'refuse') return false;
  if (endpoint.unknown === 'refuse' || place === 'json') return true;
  const isObject = place === 'xml' && objects.has(name);
  return isObject || once.has(name.slice(name.lastIndexOf(separator) + 1));
}

function reportStray(
  rules: ReadingRules,
  place: ParameterPlace,
  name: string,
  values: readonly string[],
  report: Report,
): void {
  const { endpoint, inputs, keys } = rules;
  const elsewhere = place === 'query' ? keys.body : keys.query;
  const parameter = name.replaceAll(separator, '.');
  if (values.length > 1 && mayNotRepeat(rules, place, name)) {
    report('repeated_parameter', { parameter, cause: repeatedCause(parameter, values.length) });
  }
  const meant = inputs.find(({ input }) => input.key === name);
  if (elsewhere.has(name) && meant !== undefined) {
    const { role, name: told } = meant.input;
    const own = endpoint.inputs[role]?.in === undefined ? ['read'] : ['inputs', role, 'in'];
    const [right, wrong] = meant.inQuery ? ['the query', 'the body'] : ['the body', 'the query'];
    const words = [`${told} in ${right}`, `${told} in ${wrong}`] as const;
    const cause = ownCause(endpointRule(...own), ...words, told);
    report('misplaced_parameter', { parameter, cause });
  }
  if (endpoint.unknown === 'refuse') {
    const came = `the parameter ${describeName(parameter)}`;
    const cause = ownCause(endpointRule('unknown'), 'no parameters but the declared ones', came);
    report('unknown_parameter', { parameter, cause });
  }
}

function repeatedCause(name: string, times: number, ...rule: readonly string[]): Cause {
  const came = `${describeName(name)} ${countOf(times, 'time')}`;
  return ownCause(
    endpointRule(...(rule[0] === undefined ? ['repeated'] : rule)),
    'each once',
    came,
  );
}

/** The value of an input that was sent more than once. */
function single(
  input: Input<unknown>,
  sent: readonly string[],
  { repeated }: EndpointDefinition,
  report: Report,
): string | undefined {
  // A list header sent in several lines is one list (RFC 9110 5.3).
  if (input.list) return sent.join(', ');
  const { name: parameter, role, inHeader } = input;
  const isLenient = repeated !== 'refuse';
  // Who asks for several resources means all of them (RFC 8707 2).
  const isOne = inHeader || knownInput(role)?.mayRepeat === true;
  if (isLenient && !isOne) return repeated === 'first' ? sent[0] : sent.at(-1);
  const rule = inHeader || isLenient ? ['inputs', role] : [];
  const cause = { ...repeatedCause(parameter, sent.length, ...rule), parameter };
  report(input.whenRepeated, { parameter, cause }, role);
  return undefined;
}
