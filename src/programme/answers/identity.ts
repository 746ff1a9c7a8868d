// Owns what tokens and answers say of a member: the subject of JWTs, the membership number, identity tokens and
// userinfo.

import type { Definition } from '../../language/definition.ts';
import { openid } from '../../language/tokens/identity_schema.ts';
import { compileShape, describeShape } from '../../language/value_shape.ts';
import { writtenValues } from '../../language/value_tree.ts';
import { memberProperties } from '../../language/vocabularies.ts';
import type { Milliseconds } from '../../lib/clock.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { Member } from '../../oauth/member.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import { type Reply, noStore } from '../../oauth/reply.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import type { SigningAlgorithm } from '../../oauth/signing_key.ts';
import { offeredGrants } from '../requests/grant_places.ts';
import { accessFormatOf } from '../token_forms.ts';
import { treesOf } from './layouts.ts';
import { tokenWriting } from './token_layout.ts';
import { type Values, compileBody, compileClaims, compileTexts } from './tree_writer.ts';

interface AccessSubject {
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

interface MemberNumberRules {
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

interface IdentityRules {
  readonly lifetime: Milliseconds;
  /** What signs identity tokens. */
  readonly algorithm: SigningAlgorithm;
  /** The same where keys of their own do. */
  readonly ownAlgorithm: SigningAlgorithm | undefined;
  /** Whether a login of that scope gets an identity token: one that asks for `openid`, or by levels each. */
  readonly isAsked: (scope: string | undefined) => boolean;
  /** The dialect's own claims. */
  readonly claims: (values: Values) => Readonly<Record<string, unknown>>;
}

export interface UserinfoRules {
  readonly path: string;
  /** The scope that a token needs; undefined where it needs none. */
  readonly scope: typeof openid | undefined;
  /** Whether a member's token of that scope is answered. */
  readonly isAllowed: (scope: string | undefined) => boolean;
  readonly render: (values: Values) => Reply;
}

export function compileIdentity(
  definition: Definition,
  scope: ScopeRules,
): IdentityRules | undefined {
  const {
    id_token: identity,
    scope: { kind },
  } = definition;
  return (
    identity && {
      lifetime: identity.lifetime,
      algorithm: identityAlgorithm(identity, definition),
      ownAlgorithm: identity.algorithm,
      isAsked: (granted) => kind === 'level' || scope.split(granted ?? '').includes(openid),
      claims: compileClaims(identity.claims, tokenWriting(scope)),
    }
  );
}

export function identityAlgorithm(
  { algorithm }: NonNullable<Definition['id_token']>,
  { tokens }: Pick<Definition, 'tokens'>,
): SigningAlgorithm {
  return algorithm ?? tokens.access.algorithm;
}

export function compileUserinfo(
  { id_token: identity, scope: { kind }, userinfo }: Definition,
  ownPath: string,
  scope: ScopeRules,
): UserinfoRules | undefined {
  if (userinfo === undefined) return undefined;
  const write = compileBody(userinfo.fields, tokenWriting(scope));
  // A token for one purpose is for no other one (P-15).
  const needed = identity !== undefined && kind === 'list' ? openid : undefined;
  const isRestricted = (granted: string): boolean =>
    scope.split(granted).some((one) => scope.restricted.has(one));
  const headers = Object.freeze({ 'Content-Type': 'application/json', ...noStore });
  return {
    path: ownPath + userinfo.path,
    scope: needed,
    isAllowed: (granted = '') =>
      !isRestricted(granted) && (needed === undefined || scope.split(granted).includes(needed)),
    render: (values) => ({ status: 200, headers, body: write(values) }),
  };
}

/** RFC 6750 3.1: a token's fault has its status and its challenge, whatever the dialect's words. */
export const userinfoStatuses: Readonly<Partial<Record<FailureReason, 401 | 403>>> = {
  missing_token: 401,
  invalid_token: 401,
  insufficient_scope: 403,
};
