// Owns the checks that each request to a token endpoint asks for one grant at most.

import type { Definition } from '../language/definition.ts';
import { type EndpointDefinition, placesOf } from '../language/input_schema.ts';
import type { Path } from '../lib/fault.ts';
import { grantRows, type GrantType, grantTypes } from '../oauth/grant.ts';
import { grantsAt, wordAt } from '../programme/requests/grant_places.ts';
import { type Complaint, wrong } from '../schema/faults.ts';

export function* grantChoiceComplaints(definition: Definition, name: string): Iterable<Complaint> {
  const endpoint = definition.token_endpoints[name];
  if (endpoint === undefined) return;
  const served = grantsAt(definition, name);
  const at: Path = ['token_endpoints', name];
  const { grant_type: word } = endpoint.inputs;
  const { without_grant_type: otherwise } = endpoint;
  yield* wrong(
    [served.length === 0, at, `no grant is served at the token endpoint "${name}"`],
    [
      served.length > 1 && word === undefined && otherwise !== 'inputs',
      [...at, 'inputs'],
      `${served.join(' and ')} need an input "grant_type" to be told apart`,
      'or set without_grant_type to inputs: the code, refresh token or password that came says which it is',
    ],
  );
  const twins = new Map<string, GrantType>();
  for (const type of word === undefined ? [] : served) {
    const text = wordAt(definition, endpoint, type);
    const twin = twins.get(text);
    const isHere = endpoint.grant_types?.[type] !== undefined;
    if (twin !== undefined) {
      yield [
        isHere ? [...at, 'grant_types', type] : ['grants', type],
        `${twin} has the grant_type "${text}" already`,
      ];
    }
    twins.set(text, type);
  }
  yield* wordComplaints(at, endpoint, served);
  yield* untoldComplaints(at, endpoint, served);
}

/** Words of grants that are not asked for here. */
function* wordComplaints(
  at: Path,
  { grant_types: words = {}, inputs }: EndpointDefinition,
  served: readonly GrantType[],
): Iterable<Complaint> {
  const said = grantTypes.filter((type) => words[type] !== undefined);
  for (const type of said) {
    yield* wrong(
      [
        !served.includes(type),
        [...at, 'grant_types', type],
        `this endpoint does not serve the grant ${type}`,
        `set grants.${type}.endpoint, or take this out`,
      ],
      [
        inputs['grant_type'] === undefined,
        [...at, 'grant_types', type],
        'no word is read here: the endpoint has no input "grant_type"',
        'add grant_type: {} to its inputs, or take this out',
      ],
    );
  }
}

/** What `without_grant_type` can never do, and requests that would ask for two grants. */
function* untoldComplaints(
  at: Path,
  endpoint: EndpointDefinition,
  served: readonly GrantType[],
): Iterable<Complaint> {
  const { without_grant_type: otherwise, inputs } = endpoint;
  const { grant_type: word } = inputs;
  if (otherwise === undefined) return;
  const place = [...at, 'without_grant_type'];
  yield* wrong(
    [
      served.length === 1,
      place,
      `the one grant here, ${served[0]}, is asked for by every request without grant_type`,
      'take this out',
    ],
    [
      otherwise !== 'inputs' && !served.includes(otherwise),
      place,
      `this endpoint does not serve the grant ${otherwise}`,
      `write inputs, or one of ${served.join(', ')}`,
    ],
    [
      word?.required === true || word?.in === 'path',
      place,
      word?.in === 'path'
        ? 'every request has a grant_type, which stands in the path'
        : 'a request without grant_type is refused: that input is required',
      word?.in === 'path'
        ? 'take this out'
        : 'take this out, or set required of that input to false',
    ],
  );
  if (otherwise === 'inputs' && served.length > 1) yield* tellingComplaints(at, endpoint, served);
}

/** Inputs that must tell one grant from the others by having come. */
function* tellingComplaints(
  at: Path,
  endpoint: EndpointDefinition,
  served: readonly GrantType[],
): Iterable<Complaint> {
  const seen = new Map<string, GrantType>();
  for (const type of served) {
    for (const role of grantRows[type].needs) {
      const input = endpoint.inputs[role];
      if (input === undefined) continue;
      const { in: place, name = role, within = [], attribute = false } = input;
      const inputAt = [...at, 'inputs', role];
      const isUnasked = place === 'path' || place === 'cookie';
      yield* wrong([
        isUnasked,
        [...inputAt, 'in'],
        place === 'path'
          ? `each request has this, so that it cannot say whether ${type} is asked for`
          : `browsers send a cookie unasked, so that it cannot say whether ${type} is asked for`,
        'declare an input grant_type, and name a grant under without_grant_type, or none',
      ]);
      const keys = placesOf(input, endpoint).map((one) => {
        const told = one === 'header' ? name.toLowerCase() : name;
        return JSON.stringify([one, ...within, told, attribute]);
      });
      const twin = keys.flatMap((key) => seen.get(key) ?? []).find((one) => one !== type);
      if (twin !== undefined) {
        yield [
          inputAt,
          `"${name}" cannot say which of ${twin} and ${type} is asked for: both read it`,
          'give one of them another name, or declare an input grant_type, and name a grant under without_grant_type',
        ];
      }
      for (const key of keys) seen.set(key, type);
    }
  }
}
