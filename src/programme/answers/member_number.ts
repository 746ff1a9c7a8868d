// Owns the membership number in answers: its shape, and the grants that need it.

import type { Definition } from '../../language/definition.ts';
import { compileShape, describeShape } from '../../language/value_shape.ts';
import { writtenValues } from '../../language/value_tree.ts';
import type { GrantType } from '../../oauth/grant.ts';
import { offeredGrants } from '../requests/grant_places.ts';
import { accessFormatOf } from '../token_forms.ts';
import { treesOf } from './layouts.ts';

export interface MemberNumberRules {
  /** Grants that refuse a member whose number does not fit; empty if the file sets no shape. */
  readonly neededBy: ReadonlySet<GrantType>;
  readonly fits: (number: string | undefined) => boolean;
  /** The shape in words. */
  readonly form: string;
}

export function compileMemberNumber(definition: Definition): MemberNumberRules {
  const { membership_number: shape } = definition.members;
  if (shape === undefined) return { neededBy: new Set(), fits: () => true, form: '' };
  const hasShape = compileShape(shape);
  const answers = treesOf(definition, 'token answer');
  const claims = treesOf(definition, 'access token');
  const isWritten = (type: GrantType): boolean => {
    const trees = accessFormatOf(definition, type) === 'jwt' ? [...answers, ...claims] : answers;
    return trees.some((tree) => writtenValues(tree, type).has('membership_number'));
  };
  return {
    neededBy: new Set(offeredGrants(definition).filter(isWritten)),
    fits: (number) => number !== undefined && hasShape(number),
    form: describeShape(shape),
  };
}
