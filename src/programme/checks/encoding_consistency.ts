// Owns the checks that a layout can be written in the form its body has: a form has no objects, XML
// one root, a bare text one member, a header one line.

import type { Path } from '../../lib/fault.ts';
import type { Complaint } from '../../schema/complaint.ts';
import { type EncodingName, isXmlName } from '../answers/encoding.ts';
import type { Definition } from '../language/definition.ts';
import { headerFields } from '../language/response_headers.ts';
import { type Field, type FieldTree, fieldsOf } from '../language/value_tree.ts';

export function* encodingComplaints({
  token_response: response,
  authorize,
  errors,
  tokens,
}: Definition): Iterable<Complaint> {
  const { encoding, fields, wrap } = response;
  yield* bodyComplaints(['token_response', 'fields'], encoding, fields, wrap);
  yield* bodyComplaints(['errors', 'fields'], errors.encoding, errors.fields, []);
  for (const [name, field] of headerFields(response.headers)) {
    if (!isText(field)) yield [['token_response', 'headers', name], 'a header is one text'];
  }
  for (const [name, field] of authorize.answer.more) {
    if (isText(field)) continue;
    yield [['authorize', 'answer', 'more', name], 'a parameter of a redirect is one text'];
  }
  for (const [at, tree] of [
    [['token_response', 'fields'], fields],
    [['token_response', 'headers'], headerFields(response.headers)],
    [['errors', 'fields'], errors.fields],
    [['authorize', 'answer', 'more'], authorize.answer.more],
    [['tokens', 'access', 'claims'], tokens.access.claims],
  ] as const) {
    yield* joinedComplaints(at, tree);
  }
}

/** What is joined into one text is made of texts. */
function* joinedComplaints(at: Path, tree: FieldTree): Iterable<Complaint> {
  for (const field of fieldsOf(tree)) {
    if (typeof field === 'string' || !('joined' in field) || isText(field)) continue;
    yield [at, 'texts are joined of values and constants: no object or array can be in "joined"'];
  }
}

function* bodyComplaints(
  at: Path,
  encoding: EncodingName,
  tree: FieldTree,
  wrap: readonly string[],
): Iterable<Complaint> {
  if (encoding === 'json') return;
  if (encoding === 'xml') {
    yield* xmlComplaints(at, tree, wrap);
    return;
  }
  if (wrap.length > 0) yield [['token_response', 'wrap'], `a ${words[encoding]} has no objects`];
  if (encoding === 'text' && tree.size !== 1) {
    yield [at, 'a bare text is the value of one field, and of no more'];
  }
  for (const [name, field] of tree) {
    if (isText(field)) continue;
    const items = typeof field === 'object' && 'array' in field ? field.array : undefined;
    if (encoding === 'form' && items?.every(isText) === true) continue;
    yield [[...at, name], `a ${words[encoding]} has no objects, and no lists of them`];
  }
}

const words = { form: 'form', text: 'bare text' } as const;

function* xmlComplaints(at: Path, tree: FieldTree, wrap: readonly string[]): Iterable<Complaint> {
  const [root] = tree.values();
  const isRoot = typeof root === 'object' && ('object' in root || isText(root));
  if (wrap.length === 0 && (tree.size !== 1 || !isRoot)) {
    yield [at, 'XML has one element around all others', 'put the fields into one object'];
  }
  for (const name of [...wrap, ...namesOf(tree)]) {
    if (!isXmlName(name)) yield [at, `"${name}" cannot name an element of XML`];
  }
}

function* namesOf(tree: FieldTree): Iterable<string> {
  yield* tree.keys();
  for (const field of fieldsOf(tree)) {
    if (typeof field === 'object' && 'object' in field) yield* field.object.keys();
  }
}

function isText(field: Field): boolean {
  for (const inner of fieldsOf(new Map([['', field]]))) {
    if (typeof inner === 'object' && ('object' in inner || 'array' in inner)) return false;
  }
  return true;
}
