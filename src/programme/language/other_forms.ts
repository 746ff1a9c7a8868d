// Owns which maps of a file are another form of what lies below, and so replace it: what a page says
// means nothing to a redirect.

import type { Path } from '../../lib/fault.ts';
import type { MapNode, YamlNode } from '../../lib/yaml/node.ts';

/** Keys of which a login failure, and a field of an answer, has one. */
const failureForms = ['page', 'redirect'] as const;
const fieldForms = ['value', 'constant', 'object', 'array', 'first', 'joined'] as const;

/** Layouts of answers, by their paths. */
const layouts: readonly Path[] = [
  ['token_response', 'fields'],
  ['token_response', 'headers'],
  ['errors', 'fields'],
  ['tokens', 'access', 'claims'],
  ['authorize', 'answer', 'more'],
];

/** Whether a map takes the place of the one below it instead of being laid over it. */
export function takesAnotherForm(path: Path, base: MapNode, over: MapNode): boolean {
  if (path.length === 1 && path[0] === 'scope') return differ(valueOf(base), valueOf(over));
  if (path.length === 3 && path[0] === 'authorize' && path[1] === 'failures') {
    return differ(formOf(base, failureForms), formOf(over, failureForms));
  }
  return isField(path) && differ(formOf(base, fieldForms), formOf(over, fieldForms));
}

function differ(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function valueOf({ entries }: MapNode): unknown {
  const kind: YamlNode | undefined = entries.get('kind')?.node;
  return kind?.kind === 'scalar' ? kind.value : undefined;
}

/** The form of a map that has one; a null removes one and gives none. */
function formOf({ entries }: MapNode, forms: readonly string[]): string | undefined {
  const given = forms.filter((form) => {
    const node = entries.get(form)?.node;
    return node !== undefined && !(node.kind === 'scalar' && node.value === null);
  });
  return given.length === 1 ? given[0] : undefined;
}

/** A layout's path is followed by a name, and an object's by `object` and another name. */
function isField(path: Path): boolean {
  return layouts.some((layout) => {
    if (!layout.every((step, index) => path[index] === step)) return false;
    const rest = path.slice(layout.length);
    return (
      rest.length % 2 === 1 && rest.every((step, index) => index % 2 === 0 || step === 'object')
    );
  });
}
