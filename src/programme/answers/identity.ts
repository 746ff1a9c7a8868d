// Owns what a programme tells of a member's identity: in identity tokens, and at the userinfo endpoint.

import type { Milliseconds } from '../../lib/clock.ts';
import { noStore, type Reply } from '../../oauth/reply.ts';
import type { ScopeRules } from '../../oauth/scope.ts';
import type { Definition } from '../language/definition.ts';
import { openid } from '../language/tokens/identity_schema.ts';
import { tokenWriting } from './token_layout.ts';
import { compileBody, compileClaims, type Values } from './tree_writer.ts';

export interface IdentityRules {
  readonly lifetime: Milliseconds;
  /** Whether a login of that scope gets an identity token: one that asks for `openid`, or by levels each. */
  readonly isAsked: (scope: string | undefined) => boolean;
  /** The dialect's own claims. */
  readonly claims: (values: Values) => Readonly<Record<string, unknown>>;
}

export interface UserinfoRules {
  readonly path: string;
  /** Whether a member's token of that scope is answered. */
  readonly isAllowed: (scope: string | undefined) => boolean;
  readonly render: (values: Values) => Reply;
}

export function compileIdentity(
  { id_token: identity, scope: { kind } }: Definition,
  scope: ScopeRules,
): IdentityRules | undefined {
  return (
    identity && {
      lifetime: identity.lifetime,
      isAsked: (granted) => kind === 'level' || scope.split(granted ?? '').includes(openid),
      claims: compileClaims(identity.claims, tokenWriting(scope)),
    }
  );
}

export function compileUserinfo(
  { userinfo }: Definition,
  ownPath: string,
  scope: ScopeRules,
  identity: IdentityRules | undefined,
): UserinfoRules | undefined {
  if (userinfo === undefined) return undefined;
  const write = compileBody(userinfo.fields, tokenWriting(scope));
  // A token for one purpose is for no other one (P-15).
  const isRestricted = (granted = ''): boolean =>
    scope.split(granted).some((one) => scope.restricted.has(one));
  const headers = Object.freeze({ 'Content-Type': 'application/json', ...noStore });
  return {
    path: ownPath + userinfo.path,
    isAllowed: (granted) => !isRestricted(granted) && (identity?.isAsked(granted) ?? true),
    render: (values) => ({ status: 200, headers, body: write(values) }),
  };
}
