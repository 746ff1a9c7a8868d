// Owns what a programme tells of a member's identity: in identity tokens, and at the userinfo endpoint.

import type { Definition } from '../../language/definition.ts';
import { openid } from '../../language/tokens/identity_schema.ts';
import type { Milliseconds } from '../../lib/clock.ts';
import type { FailureReason } from '../../oauth/reasons.ts';
import { noStore, type Reply } from '../../oauth/reply.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import type { SigningAlgorithm } from '../../oauth/signing_key.ts';
import { tokenWriting } from './token_layout.ts';
import { compileBody, compileClaims, type Values } from './tree_writer.ts';

export interface IdentityRules {
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
