// Owns the bodies of sample requests that are trees: members of JSON, elements and attributes of XML.

import { elementText, escapeXml } from '../../language/encoding.ts';
import { attributeMark } from '../../oauth/xml_parameters.ts';

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
