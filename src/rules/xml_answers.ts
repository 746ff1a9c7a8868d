// Owns the checks of answers in XML: one root, names that XML has, declared prefixes, and attributes
// where an element is.

import { elementText, isXmlName } from '../language/encoding.ts';
import {
  type Field,
  type FieldTree,
  fieldsOf,
  inCase,
  isAttribute,
  isObject,
  isText,
  type NameCase,
  wrapped,
} from '../language/value_tree.ts';
import type { Path } from '../lib/fault.ts';
import type { Layout } from '../programme/answers/layouts.ts';
import { type Complaint, wrong } from '../schema/complaint.ts';

/** Attributes where there is no XML, or no element that could have them. */
export function* attributeComplaints(
  at: Path,
  tree: FieldTree,
  isXml: boolean,
): Iterable<Complaint> {
  const all = [...fieldsOf(tree)];
  const placed = new Set<Field>(
    [tree, ...all.filter(isObject).map(({ object }) => object)].flatMap((one) => [...one.values()]),
  );
  for (const field of all.filter(isAttribute)) {
    yield* wrong(
      [!isXml, at, 'only answers in XML have attributes', 'take attribute out'],
      [
        isXml && !placed.has(field),
        at,
        'an attribute is a member of an object, not an item or a part of another field',
      ],
      [isXml && !isText(field), at, 'an attribute is one text'],
    );
  }
}

export function* xmlComplaints(layout: Layout): Iterable<Complaint> {
  const { at, fields: tree, wrap = [], nameCase = 'as_written' } = layout;
  const [root] = tree.values();
  const isRoot = root !== undefined && !isAttribute(root) && (isObject(root) || isText(root));
  yield* wrong([
    wrap.length === 0 && (tree.size !== 1 || !isRoot),
    at,
    'XML has one element around all others',
    'put the fields into one object',
  ]);
  const known: ReadonlySet<string> = new Set(['xml', 'xmlns']);
  const around: Around = { nameCase, prefixes: known, isRoot: true };
  yield* elementComplaints(at, wrapped(tree, wrap), around);
}

interface Around {
  readonly nameCase: NameCase;
  /** Prefixes of names that are declared by elements around. */
  readonly prefixes: ReadonlySet<string>;
  readonly isRoot?: true;
}

function* elementComplaints(
  at: Path,
  tree: FieldTree,
  { nameCase, prefixes: outer, isRoot }: Around,
): Iterable<Complaint> {
  const prefixes = new Set([...outer, ...declaredBy(tree, nameCase)]);
  for (const [written, field] of tree) {
    const name = inCase(written, nameCase);
    if (name === elementText && isRoot === undefined && isText(field)) continue;
    const objects = [...objectsIn(field)];
    const own = objects.flatMap((object) => declaredBy(object, nameCase));
    const [prefix = ''] = name.includes(':') ? name.split(':') : ['xml'];
    yield* wrong(
      [!isXmlName(name), at, `"${name}" cannot name an element of XML`],
      [
        isXmlName(name) && !prefixes.has(prefix) && !own.includes(prefix),
        at,
        `the prefix of "${name}" is declared nowhere around it`,
        `give the element an attribute "xmlns:${prefix}"`,
      ],
    );
    for (const object of objects) yield* elementComplaints(at, object, { nameCase, prefixes });
  }
}

const declaring = 'xmlns:';

function declaredBy(tree: FieldTree, nameCase: NameCase): readonly string[] {
  return [...tree].flatMap(([written, field]) => {
    const name = inCase(written, nameCase);
    return isAttribute(field) && name.startsWith(declaring) ? [name.slice(declaring.length)] : [];
  });
}

/** The objects that a field itself writes. */
function* objectsIn(field: Field): Iterable<FieldTree> {
  if (typeof field === 'string') return;
  if ('object' in field) yield field.object;
  const others = [
    ...('array' in field ? field.array : []),
    ...('first' in field ? field.first : []),
  ];
  for (const one of others) yield* objectsIn(one);
}
