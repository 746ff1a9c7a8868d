// Owns the field of a client's properties: NAME=VALUE in an option, one column each in files.

import { quote } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import { type Client, propertyValues } from '../../oauth/client.ts';
import { type Complaint, type Field, formFault, type Given, textsOf } from './fields.ts';

/** Why a text that answers or pages contain is refused. */
export function visibleFault(text: string, most: number): string | undefined {
  return text !== '' && text.length <= most && !/\p{C}/u.test(text)
    ? undefined
    : `must be 1 to ${most} characters that can be seen`;
}

/** The name follows `client.` in dialects: `client.instance_url`. */
const nameFault = formFault(
  /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
  'a letter and then letters, digits, "_", "-" or ".", at most 64 in all',
);

function pairOf(text: string): readonly [name: string, value: string] | undefined {
  const end = text.indexOf('=');
  return end < 0 ? undefined : [text.slice(0, end), text.slice(end + 1)];
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
    [what, visibleFault(value, 1000)] as const,
  ].flatMap(([subject, fault]) =>
    fault === undefined ? [] : [present({ at, message: `${subject} ${fault}` })],
  );
}

export const properties: Field<Client['properties']> = {
  json: 'properties',
  inputs: [
    {
      name: 'property',
      nested: { map: 'properties', like: '{ instance_url: "https://…" }' },
      nameFault,
      flags: '--property <name=value...>',
      help: 'a value of its own, which a dialect answers with or compares with as client.NAME; may be repeated, one name with several values too',
    },
    {
      name: 'remove_properties',
      onlyAtSet: true,
      flags: '--remove-property <name...>',
      help: 'properties it is not to have any more',
    },
  ],
  complaints: (given) =>
    (given.get('property') ?? []).flatMap((pair, index, all) =>
      complaintsOf(pair, all.slice(0, index)),
    ),
  read: (given) => {
    const pairs = textsOf(given, 'property').flatMap((text) => {
      const pair = pairOf(text);
      return pair === undefined ? [] : [pair];
    });
    const values = Map.groupBy(pairs, ([name]) => name);
    return Object.fromEntries(
      [...values].map(([name, some]) => {
        const held = some.map(([, value]) => value);
        return [name, held.length === 1 ? held.join('') : held];
      }),
    );
  },
  change: (before, given) => {
    const removed = textsOf(given, 'remove_properties');
    const kept = Object.entries(before).filter(([name]) => !removed.includes(name));
    return { ...Object.fromEntries(kept), ...properties.read(given) };
  },
  lacks: (before, given) =>
    textsOf(given, 'remove_properties')
      .filter((name) => !Object.hasOwn(before, name))
      .map((name) => `property ${quote(name)}`),
  lines: (held) =>
    Object.keys(held).map((name) => `${name}: ${propertyValues(held, name).join(', ')}`),
};
