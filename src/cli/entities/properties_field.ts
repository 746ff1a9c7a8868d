// Owns the fields of a client's and a member's properties: NAME=VALUE in an option, one column each in files.

import { quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import { type Client, propertyValues } from '../../oauth/client.ts';
import { type Member, propertyLimits, propertyNameForm } from '../../oauth/member.ts';
import {
  type Complaint,
  type Field,
  formFault,
  type Given,
  type Input,
  type Inputs,
  textsOf,
} from './fields.ts';

/** Why a text that answers or pages contain is refused. */
export function visibleFault(text: string, most: number): string | undefined {
  return text !== '' && text.length <= most && !/\p{C}/u.test(text)
    ? undefined
    : `must be 1 to ${most} characters that can be seen`;
}

/** The name follows `client.` or `member.` in dialects: `client.instance_url`. */
const nameFault = formFault(
  propertyNameForm,
  'a letter and then letters, digits, "_", "-" or ".", at most 64 in all',
);

function pairOf(text: string): readonly [name: string, value: string] | undefined {
  const end = text.indexOf('=');
  return end < 0 ? undefined : [text.slice(0, end), text.slice(end + 1)];
}

function pairsIn(given: Inputs): readonly (readonly [name: string, value: string])[] {
  return textsOf(given, 'property').flatMap((text) => {
    const pair = pairOf(text);
    return pair === undefined ? [] : [pair];
  });
}

/** The reader of a file has already refused malformed and repeated names. */
function complaintsOf({ text, label, at }: Given, earlier: readonly Given[]): readonly Complaint[] {
  const pair = pairOf(text);
  if (pair === undefined) return [{ message: `${label} must be name=value, not ${quote(text)}` }];
  const [name, value] = pair;
  if (earlier.some((other) => other.text === text)) {
    return [{ message: `${label} ${quote(text)} is given twice` }];
  }
  const what =
    at === undefined ? `${label} ${quote(name)}: the value` : `the property ${quote(name)}`;
  return [
    [`${label}: the name`, nameFault(name)] as const,
    [what, visibleFault(value, propertyLimits.length)] as const,
  ].flatMap(([subject, fault]) =>
    fault === undefined ? [] : [present({ at, message: `${subject} ${fault}` })],
  );
}

function givenBy(like: string, help: string): Input {
  const nested = { map: 'properties', like };
  return { name: 'property', nested, nameFault, flags: '--property <name=value...>', help };
}

function removedBy(help: string): Input {
  const flags = '--remove-property <name...>';
  return { name: 'remove_properties', onlyAtSet: true, flags, help };
}

/** The properties that are not to be removed. */
function keptOf<Value>(
  before: Readonly<Record<string, Value>>,
  given: Inputs,
): Record<string, Value> {
  const removed = textsOf(given, 'remove_properties');
  return Object.fromEntries(Object.entries(before).filter(([name]) => !removed.includes(name)));
}

export const properties: Field<Client['properties'], 'properties'> = {
  json: 'properties',
  inputs: [
    givenBy(
      '{ instance_url: "https://…" }',
      'a value of its own, which a dialect answers with or compares with as client.NAME; may be repeated, one name with several values too',
    ),
    removedBy('properties it is not to have any more'),
  ],
  complaints: (given) =>
    (given.get('property') ?? []).flatMap((pair, index, all) =>
      complaintsOf(pair, all.slice(0, index)),
    ),
  read: (given) => {
    const values = Map.groupBy(pairsIn(given), ([name]) => name);
    return Object.fromEntries(
      [...values].map(([name, some]) => {
        const held = some.map(([, value]) => value);
        return [name, held.length === 1 ? held.join('') : held];
      }),
    );
  },
  change: (before, given) => ({ ...keptOf(before, given), ...properties.read(given) }),
  lacks: (before, given) =>
    textsOf(given, 'remove_properties')
      .filter((name) => !Object.hasOwn(before, name))
      .map((name) => `property ${quote(name)}`),
  lines: (held) =>
    Object.keys(held).map((name) => `${name}: ${propertyValues(held, name).join(', ')}`),
};

/** The properties of a member: one value each. */
export const memberProperties: Field<Member['properties'], 'properties'> = {
  json: 'properties',
  inputs: [
    givenBy(
      '{ tier: "gold" }',
      'a value of the member, which a dialect answers with as member.NAME; may be repeated',
    ),
    removedBy('properties the member is not to have any more'),
  ],
  complaints: (given) => {
    const pairs = given.get('property') ?? [];
    const faults = properties.complaints?.(given) ?? [];
    const names = Map.groupBy(pairs, ({ text }) => pairOf(text)?.[0]);
    const [twice] = [...names].flatMap(([name, some]) =>
      some[1] === undefined || name === undefined ? [] : [{ name, again: some[1] }],
    );
    if (faults.length > 0) return faults;
    if (twice !== undefined) {
      const { label, at } = twice.again;
      return [present({ at, message: `${label} ${quote(twice.name)} is given twice` })];
    }
    const { count } = propertyLimits;
    const last = pairs[count];
    if (last === undefined) return [];
    return [present({ at: last.at, message: `a member has at most ${count} properties` })];
  },
  read: (given) => {
    const pairs = pairsIn(given);
    return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
  },
  change: (before = {}, given) => ({ ...keptOf(before, given), ...memberProperties.read(given) }),
  lacks: (before = {}, given) => properties.lacks?.(before, given) ?? [],
  view: (held = {}) => held,
  lines: (held = {}, uses) => properties.lines?.(held, uses) ?? [],
};
