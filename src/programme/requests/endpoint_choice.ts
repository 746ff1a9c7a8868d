// Owns which of several token endpoints of one path a request is for: by its method, by the type of its body, or
// by a mark, which is an input that every request to the endpoint has and none to the others.

import type { Definition } from '../../language/definition.ts';
import type { EndpointDefinition } from '../../language/input_schema.ts';
import { endpointRule, ownCause } from '../../oauth/cause.ts';
import { Refusal } from '../../oauth/failure.ts';
import type { WireRequest } from '../../oauth/wire_request.ts';
import { grantsAt, onlyProofs, wordAt } from './grant_places.ts';
import { compileInputs, type Input } from './inputs.ts';
import { bodyTypes, compileTypeTest, isReadAlike } from './reading.ts';
import { compileReader } from './request_reader.ts';
import type { TokenEndpoint } from './token_endpoint.ts';

/** The token endpoints of one path. */
export interface TokenPath {
  readonly path: string;
  readonly endpoints: readonly TokenEndpoint[];
  readonly methods: ReadonlySet<string>;
  /** That of a request. If it could be for several, one that refuses it. */
  readonly choose: (request: WireRequest) => TokenEndpoint;
}

/** @param compiled all token endpoints of the definition, by its names */
export function compileTokenPaths(
  definition: Definition,
  compiled: readonly TokenEndpoint[],
): readonly TokenPath[] {
  return [...Map.groupBy(compiled, ({ path }) => path)].map(([path, endpoints]) => ({
    path,
    endpoints,
    methods: new Set(endpoints.flatMap(({ methods }) => [...methods])),
    choose: compileChoice(definition, endpoints),
  }));
}

/** Whether no request is for both, by its method or by the type of its body. */
export function areApart(one: EndpointDefinition, other: EndpointDefinition): boolean {
  const [methods, types] = [new Set(one.methods), new Set(bodyTypes(one))];
  return (
    methods.isDisjointFrom(new Set(other.methods)) ||
    types.isDisjointFrom(new Set(bodyTypes(other)))
  );
}

/** An input by which an endpoint is known. */
interface Mark {
  readonly input: Input;
  /** Its values, where requests to others have other values. */
  readonly values: ReadonlySet<string> | undefined;
}

/** The mark of an endpoint among others of its path, by their names; undefined if it has none. */
export function markOf(
  definition: Definition,
  name: string,
  others: readonly string[],
): Mark | undefined {
  const served = grantsAt(definition, name);
  const rivals = others.flatMap((other) =>
    inputsAt(definition, other).map((input) => ({
      input,
      values: valuesOf(definition, other, input),
    })),
  );
  for (const input of inputsAt(definition, name)) {
    const { role, inPath, inCookie, neededBy } = input;
    // A login from before the file had a value drawn has none to repeat.
    const isDrawn = Object.hasOwn(definition.authorize.draws, role);
    const isPlain = !inPath && !inCookie && !isDrawn;
    const isOwn = isPlain && role !== 'client_id' && !onlyProofs.has(role);
    if (!isOwn || !served.every((type) => neededBy.includes(type))) continue;
    const alike = rivals.filter((rival) => isReadAlike(input, rival.input));
    const values = alike.length === 0 ? undefined : valuesOf(definition, name, input);
    const isApart = alike.every((rival) => values && rival.values?.isDisjointFrom(values));
    if (isApart) return { input, values };
  }
  return undefined;
}

function inputsAt(definition: Definition, name: string): readonly Input[] {
  const endpoint = definition.token_endpoints[name];
  return endpoint === undefined
    ? []
    : compileInputs(endpoint, definition, grantsAt(definition, name));
}

/** All values of an input that can succeed; undefined if nothing says. */
function valuesOf(
  definition: Definition,
  name: string,
  { role, allowed }: Input,
): ReadonlySet<string> | undefined {
  if (role !== 'grant_type') return allowed && new Set(allowed);
  const endpoint = definition.token_endpoints[name];
  return new Set(grantsAt(definition, name).map((type) => wordAt(definition, endpoint, type)));
}

function compileChoice(
  definition: Definition,
  endpoints: readonly TokenEndpoint[],
): TokenPath['choose'] {
  const [first] = endpoints;
  if (first === undefined) throw new Error('a path without an endpoint');
  if (endpoints.length === 1) return () => first;
  const names = endpoints.map(({ name }) => name);
  const candidates = endpoints.map((endpoint) => {
    const { name } = endpoint;
    const written = definition.token_endpoints[name];
    if (written === undefined) throw new Error(`there is no token endpoint ${name}`);
    const mark = markOf(
      definition,
      name,
      names.filter((one) => one !== name),
    );
    return {
      endpoint,
      mark,
      hasType: compileTypeTest(written),
      isMarked: compileTest(written, mark),
    };
  });
  const ambiguous = refusing(
    first,
    candidates.flatMap(({ mark }) => mark?.input.name ?? []),
  );
  return (request) => {
    const byMethod = candidates.filter(({ endpoint }) => endpoint.methods.has(request.method));
    const typed = byMethod.filter(({ hasType }) => hasType(request));
    const [one, another] = typed;
    if (another === undefined) return (one ?? byMethod[0])?.endpoint ?? first;
    const [marked, twin] = typed.filter(({ isMarked }) => isMarked(request));
    if (twin !== undefined) return ambiguous;
    return (marked ?? typed.find(({ mark }) => mark === undefined) ?? one)?.endpoint ?? first;
  };
}

/** Whether a request has the mark; false if it cannot be read, which the endpoint tells. */
function compileTest(
  endpoint: EndpointDefinition,
  mark: Mark | undefined,
): (request: WireRequest) => boolean {
  if (mark === undefined) return () => false;
  const { input, values } = mark;
  const read = compileReader(endpoint, [input]);
  return (request) => {
    try {
      const value = read(request, () => {}).get(input.role);
      return value !== undefined && values?.has(value) !== false;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  };
}

/** An endpoint for requests that could be for several: C-8, at the parameters. */
function refusing(endpoint: TokenEndpoint, marks: readonly string[]): TokenEndpoint {
  const [parameter = ''] = marks;
  const cause = ownCause(endpointRule('path'), `one of ${marks.join(', ')}`, 'several', parameter);
  return {
    ...endpoint,
    readInputs: () => {
      throw new Refusal('invalid_parameter', { parameter, cause });
    },
  };
}
