// Owns the `sub` of a member's JWTs where a dialect makes it of other values than the directory's subject.

import type { Definition } from '../../language/definition.ts';
import { writtenValues } from '../../language/value_tree.ts';
import { memberProperties } from '../../language/vocabularies.ts';
import type { Member } from '../../oauth/member.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import { tokenWriting } from './token_layout.ts';
import { compileTexts, type Values } from './tree_writer.ts';

export interface AccessSubject {
  /** The names of the values that it is made of. */
  readonly values: readonly string[];
  /** Undefined without one of the values. */
  readonly write: (values: Values) => string | undefined;
}

export function compileAccessSubject(
  { tokens: { access } }: Definition,
  scope: ScopeRules,
): AccessSubject | undefined {
  if (access.subject === undefined) return undefined;
  const tree = new Map([['sub', access.subject]]);
  const write = compileTexts(tree, tokenWriting(scope));
  return { values: [...writtenValues(tree)], write: (values) => write?.(values)['sub'] };
}

/** What such a `sub` can be made of. */
export function subjectValues({ subject, membershipNumber, properties }: Member): Values {
  return { subject, membership_number: membershipNumber, ...memberProperties(properties) };
}
