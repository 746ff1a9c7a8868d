// Owns what an operation reads: parameters and request body, with JSON Schemas of inputs and of values.

import { elementText } from '../../../language/encoding.ts';
import { characterRanges, type ValueShape } from '../../../language/value_shape.ts';
import { listed, present } from '../../../lib/present.ts';
import type { Programme } from '../../../programme/programme.ts';
import { isGrant, type RequestKind } from '../../../programme/requests/grant_places.ts';
import type { Input } from '../../../programme/requests/inputs.ts';
import {
  isReadAlike,
  type Reading,
  type BodyForm,
  isBodyForm,
} from '../../../programme/requests/reading.ts';
import { tellsSeveral } from '../../samples/answers.ts';
import { inputText, scopesFor } from '../words.ts';

/** Headers that OpenAPI tells by other means than parameters (3.1.1, 4.8.12.2.1). */
const ownHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

/** The inputs of one method, by where the document has them. */
interface Placed {
  readonly parameters: readonly Input<unknown>[];
  readonly body: readonly Input<unknown>[];
}

function placed({ inputs, mediaTypes }: Reading<unknown>, method: string): Placed {
  const hasBody = method !== 'GET' && mediaTypes.length > 0;
  const isInBody = ({ places }: Input<unknown>): boolean => hasBody && places.some(isBodyForm);
  const read = inputs.filter(({ readBy }) => readBy.length > 0);
  return {
    body: read.filter(isInBody),
    parameters: read.filter(
      (input) =>
        !isInBody(input) &&
        (input.inHeader
          ? !ownHeaders.has(input.wireName)
          : input.places.some((place) => !isBodyForm(place))),
    ),
  };
}

/** What requests of one method hold. */
export function requestOf(
  programme: Programme,
  reading: Reading<unknown>,
  method: string,
  kinds: readonly Kind[],
): { readonly parameters: readonly object[]; readonly requestBody?: object } {
  const { parameters, body } = placed(reading, method);
  return {
    parameters: parametersOf(programme, reading, parameters, kinds),
    ...(body.length > 0 && { requestBody: bodyOf(programme, reading, body, kinds) }),
  };
}

function parametersOf(
  programme: Programme,
  reading: Reading<unknown>,
  parameters: Placed['parameters'],
  kinds: readonly Kind[],
): readonly object[] {
  // Inputs of two grants can have one name: the first is told, as needed by either.
  const told = parameters.filter(
    (input, index) => parameters.findIndex((other) => isReadAlike(input, other)) === index,
  );
  return told.map((input) => {
    const { description: text, ...schema } = inputSchema(input, programme, kinds);
    const alike = parameters.filter((other) => isReadAlike(input, other));
    const needing = reading.kinds.filter((kind) =>
      alike.some(({ neededBy }) => neededBy.includes(kind)),
    );
    const isRequired = needing.length === reading.kinds.length;
    const description = listed([
      typeof text === 'string' && text,
      !isRequired && needing.length > 0 && `needed for ${needing.join(', ')}`,
    ]).join('; ');
    return {
      name: input.wireName,
      in:
        input.places.find((one) => one === 'path' || one === 'header' || one === 'cookie') ??
        'query',
      required: isRequired,
      ...(description !== '' && { description }),
      schema,
    };
  });
}

function bodyOf(
  programme: Programme,
  reading: Reading<unknown>,
  body: Placed['body'],
  kinds: readonly Kind[],
): object {
  const schemaFor = (form: BodyForm): Schema => {
    const inputs = body.filter(({ places }) => places.includes(form));
    const schemas = kinds.map((kind) => kindSchema(programme, inputs, kind));
    const schema = schemas.length === 1 ? (schemas[0] ?? {}) : { oneOf: schemas };
    return form === 'xml' ? { ...schema, xml: { name: reading.root ?? 'request' } } : schema;
  };
  const content = reading.mediaTypes.map(([type, form]) => [type, { schema: schemaFor(form) }]);
  return { required: true, content: Object.fromEntries(content) as object };
}

function kindSchema(programme: Programme, inputs: readonly Input<unknown>[], kind: Kind): Schema {
  const { grant } = kind;
  const own = inputs.filter(({ readBy }) => readBy.includes(grant));
  const tree: Tree = { inputs: [], inner: new Map(), needed: new Set() };
  for (const input of own) {
    const isNeeded = input.neededBy.includes(grant);
    let at = tree;
    for (const name of input.within) {
      const inner = at.inner.get(name) ?? { inputs: [], inner: new Map(), needed: new Set() };
      at.inner.set(name, inner);
      if (isNeeded) at.needed.add(name);
      at = inner;
    }
    at.inputs.push(input);
    if (isNeeded) at.needed.add(input.wireName);
  }
  moveTexts(tree);
  return {
    ...(isGrant(grant) && { title: grant }),
    ...treeSchema(programme, tree, kind),
  };
}

/** The members of an object in a body. */
interface Tree {
  readonly inputs: Input<unknown>[];
  readonly inner: Map<string, Tree>;
  readonly needed: Set<string>;
  /** The text of an element that has members too. */
  text?: Input<unknown>;
}

/** An element with attributes or elements in it has its own text as a member. */
function moveTexts(tree: Tree): void {
  for (const [name, inner] of tree.inner) {
    const at = tree.inputs.findIndex(({ wireName, attribute }) => wireName === name && !attribute);
    const [input] = at < 0 ? [] : tree.inputs.splice(at, 1);
    if (input !== undefined) inner.text = input;
    if (input !== undefined && tree.needed.has(name)) inner.needed.add(elementText);
    moveTexts(inner);
  }
}

function treeSchema(programme: Programme, tree: Tree, kind: Kind): Schema {
  const text = tree.text && {
    ...inputSchema(tree.text, programme, [kind]),
    // OpenAPI 3.1 has no word for it; generators know this one.
    xml: { 'x-text': true },
  };
  const properties = [
    ...(text === undefined ? [] : [[elementText, text] as const]),
    ...tree.inputs.map((input) => [input.wireName, inputSchema(input, programme, [kind])] as const),
    ...[...tree.inner].map(([name, inner]) => [name, treeSchema(programme, inner, kind)] as const),
  ];
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(tree.needed.size === 0 ? {} : { required: [...tree.needed] }),
  };
}

/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 uses. */
export type Schema = Readonly<Record<string, unknown>>;

/** A kind of request to an endpoint. */
export interface Kind {
  readonly grant: RequestKind;
  /** The value of `grant_type`, where requests can name it. */
  readonly grantType?: string | undefined;
}

/** The schema of a text that an endpoint reads. */
function inputSchema(
  input: Input<unknown>,
  programme: Programme,
  kinds: readonly Kind[] = [],
): Schema {
  const { role, allowed, must_equal: equal, prefix, characters, length } = input;
  const [only, ...others] = kinds;
  const grant = others.length === 0 ? only?.grant : undefined;
  const grantTypes = kinds.flatMap(({ grantType }) => grantType ?? []);
  const isShaped = [prefix, characters, length].some((one) => one !== undefined);
  const values = role === 'grant_type' && grantTypes.length > 0 ? grantTypes : allowed;
  const scopes = role === 'scope' && values === undefined ? scopeSchema(programme, grant) : {};
  return {
    type: 'string',
    ...present({
      description: inputText(input, programme, grant) || undefined,
    }),
    ...(input.attribute ? { xml: { attribute: true } } : {}),
    ...(values === undefined ? {} : { enum: [...values] }),
    ...(equal === 'programme.identifier' ? { const: programme.identifier } : {}),
    ...scopes,
    ...(isShaped && values === undefined ? { pattern: patternOf(input) } : {}),
  };
}

function scopeSchema({ scopes }: Programme, grant: RequestKind | undefined): Schema {
  const values = scopesFor(scopes, grant);
  if (scopes.kind === 'list' && scopes.unknown === 'ignore') return {};
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
