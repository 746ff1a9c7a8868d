// Owns the membership number in answers: its shape, and the grants that need it.

import { grantTypes, type GrantType } from '../../oauth/grant.ts';
import type { Definition } from '../language/definition.ts';
import { headerFields } from '../language/response_headers.ts';
import { compileShape, describeShape } from '../language/value_shape.ts';
import { writtenValues } from '../language/value_tree.ts';
import { cookieFields } from './cookies.ts';

export interface MemberNumberRules {
  /** Grants that refuse a member whose number does not fit; empty if the file sets no shape. */
  readonly neededBy: ReadonlySet<GrantType>;
  readonly fits: (number: string | undefined) => boolean;
  /** The shape in words. */
  readonly form: string;
}

export function compileMemberNumber({
  members: { membership_number: shape },
  token_response,
  tokens,
  grants,
}: Definition): MemberNumberRules {
  if (shape === undefined) return { neededBy: new Set(), fits: () => true, form: '' };
  const hasShape = compileShape(shape);
  const { access } = tokens;
  const trees = [
    token_response.fields,
    headerFields(token_response.headers),
    cookieFields(token_response.cookies),
    ...(access.format === 'jwt' ? [access.claims] : []),
  ];
  const isWritten = (type: GrantType): boolean =>
    trees.some((tree) => writtenValues(tree, type).has('membership_number'));
  return {
    neededBy: new Set(grantTypes.filter((type) => grants[type] !== undefined && isWritten(type))),
    fits: (number) => number !== undefined && hasShape(number),
    form: describeShape(shape),
  };
}
