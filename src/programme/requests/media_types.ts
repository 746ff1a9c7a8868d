// Owns what a body says it is: the media types that an endpoint reads, each in which charset.

import { BoundedMap } from '../../lib/bounded_map.ts';
import { type Charset, charsetOf, utf8 } from '../../oauth/charset.ts';
import type { EndpointDefinition, ParameterPlace } from '../language/input_schema.ts';

export type BodyForm = Exclude<ParameterPlace, 'query'>;

export interface MediaType {
  readonly form: BodyForm;
  readonly charset: Charset;
}

/** What the Content-Type headers of a request say; undefined where that is not read. */
export type MediaTypeReader = (sent: readonly string[]) => MediaType | undefined;

export const usualTypes: Readonly<Record<BodyForm, string>> = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
};

/** A form without a word of its charset. */
export const plainForm: MediaType = { form: 'form', charset: utf8 };

/** Spellings of types and charsets that are read once; clients have a few. */
const rememberedSpellings = 64;
const longestSpelling = 200;

/** Of the types that are read, in any case, and in a charset that is (G-9, HOSTILE 44). */
export function compileMediaTypes(endpoint: EndpointDefinition): MediaTypeReader {
  const types = typesOf(endpoint);
  const spellings = new BoundedMap<string, MediaType>(rememberedSpellings);
  return ([header = '', another]) => {
    if (another !== undefined) return undefined;
    const known = types.get(header) ?? spellings.get(header);
    if (known !== undefined) return known;
    const found = parse(types, header);
    if (found !== undefined && header.length <= longestSpelling) spellings.set(header, found);
    return found;
  };
}

function typesOf({
  read,
  media_types: others,
}: EndpointDefinition): ReadonlyMap<string, MediaType> {
  const forms = read.filter((place) => place !== 'query');
  const formOf = (type: string): BodyForm | undefined =>
    forms.length > 1 && /[/+]json$/.test(type) ? 'json' : forms[0];
  const own = others.map((type) => [type.toLowerCase().replace(/;.*/, ''), formOf(type)] as const);
  return new Map(
    [...forms.map((form) => [usualTypes[form], form] as const), ...own].flatMap(([type, form]) =>
      form === undefined ? [] : [[type, { form, charset: utf8 }] as const],
    ),
  );
}

function parse(types: ReadonlyMap<string, MediaType>, header: string): MediaType | undefined {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const found = types.get(type);
  const named = parameters.filter((parameter) => parameter.startsWith('charset='));
  const [label = 'utf-8', another] = new Set(
    named.map((parameter) => parameter.slice('charset='.length).replace(/^"(.*)"$/, '$1')),
  );
  const charset = found === undefined || another !== undefined ? undefined : charsetOf(label);
  return found === undefined || charset === undefined ? undefined : { form: found.form, charset };
}
