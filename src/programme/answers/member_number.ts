// Owns the membership number in answers: its shape, and the grants that need it.

import type { GrantType } from '../../oauth/grant.ts';
import { accessFormatOf } from '../access_formats.ts';
import type { Definition } from '../language/definition.ts';
import { headerFields } from '../language/response_headers.ts';
import { compileShape, describeShape } from '../language/value_shape.ts';
import { type FieldTree, writtenValues } from '../language/value_tree.ts';
import { offeredGrants } from '../requests/grant_places.ts';
import { cookieFields } from './cookies.ts';

export interface MemberNumberRules {
  /** Grants that refuse a member whose number does not fit; empty if the file sets no shape. */
  readonly neededBy: ReadonlySet<GrantType>;
  readonly fits: (number: string | undefined) => boolean;
  /** The shape in words. */
  readonly form: string;
}

export function compileMemberNumber(definition: Definition): MemberNumberRules {
  const { members, token_response, tokens } = definition;
  const { membership_number: shape } = members;
  if (shape === undefined) return { neededBy: new Set(), fits: () => true, form: '' };
  const hasShape = compileShape(shape);
  const trees = [
    token_response.fields,
    headerFields(token_response.headers),
    cookieFields(token_response.cookies),
  ];
  const claims = [tokens.access.claims];
  const treesOf = (type: GrantType): readonly FieldTree[] =>
    accessFormatOf(definition, type) === 'jwt' ? [...trees, ...claims] : trees;
  const isWritten = (type: GrantType): boolean =>
    treesOf(type).some((tree) => writtenValues(tree, type).has('membership_number'));
  return {
    neededBy: new Set(offeredGrants(definition).filter(isWritten)),
    fits: (number) => number !== undefined && hasShape(number),
    form: describeShape(shape),
  };
}
