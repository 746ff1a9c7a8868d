// Owns JSON Schemas of inputs, and of answers as they are rendered.

import { characterRanges, type ValueShape } from '../../../language/value_shape.ts';
import { present } from '../../../lib/present.ts';
import type { Programme } from '../../../programme/programme.ts';
import type { RequestKind } from '../../../programme/requests/grant_places.ts';
import type { Input } from '../../../programme/requests/inputs.ts';
import { tellsSeveral } from '../../samples/answers.ts';
import { inputText, scopesFor } from '../values.ts';

/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 uses. */
export type Schema = Readonly<Record<string, unknown>>;

/** A kind of request to an endpoint. */
export interface Kind {
  readonly grant: RequestKind;
  /** The value of `grant_type`, where requests can name it. */
  readonly grantType?: string | undefined;
}

/** The schema of a text that an endpoint reads. */
export function inputSchema(
  input: Input<unknown>,
  programme: Programme,
  kinds: readonly Kind[] = [],
): Schema {
  const { role, allowed, must_equal: equal, prefix, characters, length } = input;
  const [only, ...others] = kinds;
  const grant = others.length === 0 ? only?.grant : undefined;
  const grantTypes = kinds.flatMap(({ grantType }) => grantType ?? []);
  const isShaped = [prefix, characters, length].some((one) => one !== undefined);
  const listed = role === 'grant_type' && grantTypes.length > 0 ? grantTypes : allowed;
  const scopes = role === 'scope' && listed === undefined ? scopeSchema(programme, grant) : {};
  return {
    type: 'string',
    ...present({
      description: inputText(input, programme, grant) || undefined,
    }),
    ...(input.attribute ? { xml: { attribute: true } } : {}),
    ...(listed === undefined ? {} : { enum: [...listed] }),
    ...(equal === 'programme.identifier' ? { const: programme.identifier } : {}),
    ...scopes,
    ...(isShaped && listed === undefined ? { pattern: patternOf(input) } : {}),
  };
}

function scopeSchema({ scopes }: Programme, grant: RequestKind | undefined): Schema {
  const values = scopesFor(scopes, grant);
  if (!tellsSeveral(scopes)) return values.length === 0 ? {} : { enum: values };
  const one = `(?:${values.map(literal).join('|')})`;
  return { pattern: `^${one}(?:${literal(scopes.separator)}${one})*$` };
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function patternOf({ prefix = '', characters, length }: ValueShape): string {
  const [range] = characters === undefined ? ['\\s\\S'] : characterRanges[characters];
  const count = length === undefined ? '*' : `{${length.min},${length.max}}`;
  return `^${literal(prefix)}[${range}]${count}$`;
}

/** The schema of all these values: a member that some of them lack is not required. */
export function schemaOf(values: readonly unknown[]): Schema {
  const kinds = new Set(values.map(kindOf));
  if (kinds.size === 1 && kinds.has('object')) {
    const maps = values as readonly Readonly<Record<string, unknown>>[];
    const names = [...new Set(maps.flatMap((map) => Object.keys(map)))];
    const members = names.map((name) => {
      const held = maps.flatMap((map) => (Object.hasOwn(map, name) ? [map[name]] : []));
      return [name, schemaOf(held)] as const;
    });
    const required = names.filter((name) => maps.every((map) => Object.hasOwn(map, name)));
    return {
      type: 'object',
      properties: Object.fromEntries(members),
      ...(required.length === 0 ? {} : { required }),
    };
  }
  if (kinds.size === 1 && kinds.has('array')) {
    return { type: 'array', items: schemaOf((values as readonly (readonly unknown[])[]).flat()) };
  }
  if (kinds.has('object') || kinds.has('array')) {
    return {
      anyOf: [...kinds].map((kind) => schemaOf(values.filter((one) => kindOf(one) === kind))),
    };
  }
  if (kinds.size === 0) return {};
  const [only] = kinds;
  return { type: kinds.size === 1 ? only : [...kinds] };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
