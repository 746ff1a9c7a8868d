// Owns the checks that hold of every tree of fields: no name hides another, its encoding can hold it, and
// each value exists where it is written.

import type { Definition } from '../language/definition.ts';
import type { InputDefinition } from '../language/input_schema.ts';
import {
  type FieldTree,
  fieldsOf,
  fieldsWithin,
  inCase,
  isObject,
  isText,
  type NameCase,
  writtenValues,
} from '../language/value_tree.ts';
import { sentPrefix } from '../language/vocabularies.ts';
import { suggest } from '../lib/suggest.ts';
import { type Layout, layoutsOf } from '../programme/answers/layouts.ts';
import { isSecretInput } from '../programme/requests/echo.ts';
import { type Complaint, wrong } from '../schema/complaint.ts';
import { attributeComplaints, xmlComplaints } from './xml_answers.ts';

export function* layoutComplaints(definition: Definition): Iterable<Complaint> {
  const endpoints = Object.values(definition.token_endpoints);
  const declared = endpoints.flatMap(({ inputs }) => Object.entries(inputs));
  for (const layout of layoutsOf(definition)) {
    const { at, fields, nameCase = 'as_written', lacks: [words, ...lacking] = [''] } = layout;
    for (const name of hiddenNames(fields, nameCase)) {
      const message = `two members are named "${name}" once name_case is applied`;
      yield [at, message, 'one would hide the other'];
    }
    yield* encodingComplaints(layout);
    yield* attributeComplaints(at, fields, layout.form === 'xml');
    for (const field of fieldsOf(fields)) {
      if (typeof field === 'string' || !('joined' in field) || isText(field)) continue;
      yield [at, 'texts are joined of values and constants: no object or array can be in "joined"'];
    }
    for (const name of fields.keys()) {
      if (layout.reserved?.test(name) !== true) continue;
      yield [[...at, name], `Jetway sets the claim "${name}" itself`];
    }
    for (const value of writtenValues(fields)) {
      const isSent = value.startsWith(sentPrefix);
      if (lacking.includes(isSent ? sentPrefix : value)) yield [at, `${words} ${value}`];
      else if (isSent) yield* sentComplaints(layout, value, declared);
    }
  }
}

/** Member names of one object that become equal in the dialect's case. */
function* hiddenNames(tree: FieldTree, nameCase: NameCase): Iterable<string> {
  const seen = new Set<string>();
  for (const [name, field] of tree) {
    const written = inCase(name, nameCase);
    if (seen.has(written)) yield written;
    seen.add(written);
    for (const inner of fieldsWithin(field)) {
      if (isObject(inner)) yield* hiddenNames(inner.object, nameCase);
    }
  }
}

/** A form has no objects, XML has one root, a bare text has one member, and a header is one text. */
function* encodingComplaints(layout: Layout): Iterable<Complaint> {
  const { form, at, fields, member, memberKey, wrap = [] } = layout;
  if (form === 'json') return;
  if (form === 'xml') {
    yield* xmlComplaints(layout);
    return;
  }
  const body = form === 'form' ? 'a form' : 'a bare text';
  yield* wrong(
    [wrap.length > 0, ['token_response', 'wrap'], `${body} has no objects`],
    [
      form === 'text' && fields.size !== 1,
      at,
      'a bare text is the value of one field, and of no more',
    ],
  );
  for (const [name, field] of fields) {
    if (isText(field)) continue;
    const items = typeof field === 'object' && 'array' in field ? field.array : undefined;
    if (form === 'form' && items?.every(isText) === true) continue;
    yield member === undefined
      ? [[...at, name], `${body} has no objects, and no lists of them`]
      : [[...at, name, ...(memberKey === undefined ? [] : [memberKey])], `${member} is one text`];
  }
}

/** A value repeated from the request: of an input that there is and that is no secret, and escaped. */
function sentComplaints(
  { at, repeatsRequest }: Layout,
  value: string,
  declared: readonly (readonly [role: string, input: InputDefinition])[],
): Iterable<Complaint> {
  const name = value.slice(sentPrefix.length);
  const inputs = declared.filter(([role]) => role === name);
  const near = suggest(name, new Set(declared.map(([role]) => role)));
  return wrong(
    [
      repeatsRequest !== true,
      at,
      `${value} would stand here as it was sent`,
      'only bodies of JSON, XML and forms can repeat what a request says',
    ],
    [
      inputs.length === 0,
      at,
      `no token endpoint has an input "${name}"`,
      near === undefined ? 'declare it' : `did you mean ${sentPrefix}${near}?`,
    ],
    [
      inputs.some(([role, input]) => isSecretInput(role, input)),
      at,
      `${value} is a secret, which no answer repeats`,
    ],
  );
}
