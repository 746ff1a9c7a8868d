// Owns what an operation reads: parameters and request body.

import { elementText } from '../../../language/encoding.ts';
import { listed } from '../../../lib/present.ts';
import type { Programme } from '../../../programme/programme.ts';
import { isGrant } from '../../../programme/requests/grant_places.ts';
import type { Input } from '../../../programme/requests/inputs.ts';
import type { Reading } from '../../../programme/requests/reading.ts';
import { type BodyForm, isBodyForm } from '../../../programme/requests/request_body.ts';
import { inputSchema, type Kind, type Schema } from './schemas.ts';

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
  return placed(reading, method).parameters.map((input) => {
    const { description: told, ...schema } = inputSchema(input, programme, kinds);
    const needing = reading.kinds.filter((kind) => input.neededBy.includes(kind));
    const isRequired = needing.length === reading.kinds.length;
    const description = listed([
      typeof told === 'string' && told,
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
