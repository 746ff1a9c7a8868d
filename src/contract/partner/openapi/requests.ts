// Owns what an operation reads: parameters and request body.

import type { Programme } from '../../../programme/programme.ts';
import { isGrant, type RequestKind } from '../../../programme/requests/grant_places.ts';
import type { Input } from '../../../programme/requests/inputs.ts';
import type { Reading } from '../../../programme/requests/reading.ts';
import { type BodyForm, isBodyForm } from '../../../programme/requests/request_body.ts';
import { inputSchema, type Schema } from './schemas.ts';

/** A kind of request to an endpoint. */
export interface Kind {
  readonly grant: RequestKind;
  /** The value of `grant_type`, where requests can name it. */
  readonly grantType?: string | undefined;
}

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

export function parametersOf(
  programme: Programme,
  reading: Reading<unknown>,
  method: string,
  kinds: readonly Kind[],
): readonly object[] {
  const types = kinds.flatMap(({ grantType }) => grantType ?? []);
  return placed(reading, method).parameters.map((input) => {
    const { description, ...schema } = inputSchema(input, programme, types);
    return {
      name: input.wireName,
      in:
        input.places.find((one) => one === 'path' || one === 'header' || one === 'cookie') ??
        'query',
      required: reading.kinds.every((kind) => input.neededBy.includes(kind)),
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

/** Undefined for a request without a body. */
export function bodyOf(
  programme: Programme,
  reading: Reading<unknown>,
  method: string,
  kinds: readonly Kind[],
): object | undefined {
  const { body } = placed(reading, method);
  if (body.length === 0) return undefined;
  const schemaFor = (form: BodyForm): Schema => {
    const inputs = body.filter(({ places }) => places.includes(form));
    const schemas = kinds.map((kind) => kindSchema(programme, inputs, kind));
    const schema = schemas.length === 1 ? (schemas[0] ?? {}) : { oneOf: schemas };
    return form === 'xml' ? { ...schema, xml: { name: reading.root ?? 'request' } } : schema;
  };
  const content = reading.mediaTypes.map(([type, form]) => [type, { schema: schemaFor(form) }]);
  return { required: true, content: Object.fromEntries(content) as object };
}

function kindSchema(
  programme: Programme,
  inputs: readonly Input<unknown>[],
  { grant, grantType }: Kind,
): Schema {
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
  return {
    ...(isGrant(grant) && { title: grant }),
    ...treeSchema(programme, tree, grantType),
  };
}

/** The members of an object in a body. */
interface Tree {
  readonly inputs: Input<unknown>[];
  readonly inner: Map<string, Tree>;
  readonly needed: Set<string>;
}

function treeSchema(programme: Programme, tree: Tree, grantType: string | undefined): Schema {
  const types = grantType === undefined ? [] : [grantType];
  const properties = [
    ...tree.inputs.map((input) => [input.wireName, inputSchema(input, programme, types)] as const),
    ...[...tree.inner].map(
      ([name, inner]) => [name, treeSchema(programme, inner, grantType)] as const,
    ),
  ];
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(tree.needed.size === 0 ? {} : { required: [...tree.needed] }),
  };
}
