// Owns the Programme: a definition compiled once, frozen, and all the request path calls.

import type { Milliseconds } from '../lib/clock.ts';
import type { ClientId, ProgrammeId, ThrottleLimit } from '../oauth/client.ts';
import type { GrantType } from '../oauth/grant.ts';
import type { ScopeRules } from '../oauth/scope.ts';
import type { SigningAlgorithm } from '../oauth/signing_key.ts';
import type { TokenIdForm } from '../token/token_format.ts';
import type { FailureRenderer } from './answers/error_map.ts';
import type { MemberNumberRules } from './answers/member_number.ts';
import type { Metadata } from './answers/metadata.ts';
import type { ProgrammeValues, TokenRenderer } from './answers/token_layout.ts';
import type { Values } from './answers/tree_writer.ts';
import type { LoginRules } from './login/rules.ts';
import type { TokenEndpoint } from './requests/token_endpoint.ts';
import type { TokenManagementEndpoint } from './requests/token_management.ts';
import type { VerificationRules } from './requests/verification.ts';

export interface ClientRules {
  readonly isIdentifier: (text: string) => boolean;
  readonly newIdentifier: () => ClientId;
  /** The identifier's shape in a sentence, for messages. */
  readonly identifierForm: string;
  /** Wrong secrets for one client from one address; undefined where they are not limited. */
  readonly failureLimit: ThrottleLimit | undefined;
}

export interface CodeRules {
  readonly generate: () => string;
  readonly lifetime: Milliseconds;
}

export interface AccessTokenRules {
  readonly format: 'opaque' | 'jwt';
  /** The longest that any of them lives. */
  readonly lifetime: Milliseconds;
  /** How long those of each grant live. */
  readonly lifetimes: Readonly<Record<GrantType, Milliseconds>>;
  readonly algorithm: SigningAlgorithm;
  /** Form of `jti`. */
  readonly tokenId: TokenIdForm;
  /** Claims of the dialect's own, beside those every JWT carries. */
  readonly claims: (values: Values) => Readonly<Record<string, unknown>>;
}

export interface RefreshTokenRules {
  readonly format: 'opaque' | 'jwt';
  readonly lifetime: Milliseconds;
  readonly longest: Milliseconds;
  readonly grace: Milliseconds;
}

/** What tells programmes on one path apart. */
export interface SelectorRule {
  readonly place: 'header' | 'query';
  readonly name: string;
  /** The word before the value, in lower case. */
  readonly scheme: string | undefined;
  /** The value of what was sent; undefined where its scheme is not there. */
  readonly unwrap: (sent: string) => string | undefined;
  /** Whether this programme answers when the selector is missing or unknown. */
  readonly isDefault: boolean;
}

/** Which directory knows the programme's members. */
export type MemberRules =
  | { readonly directory: 'store' }
  | { readonly directory: 'http'; readonly url: string; readonly concurrency: number };

export interface Programme {
  readonly id: ProgrammeId;
  readonly name: string;
  /** What partners send as programme-identifier. */
  readonly identifier: string;
  readonly basePath: string;
  /** Where its login page and key set are: its base path, with its name where that is shared. */
  readonly ownPath: string;
  /** What tells it apart on the documented paths, where its file says so. */
  readonly selectors: ReadonlyMap<string, SelectorRule>;
  /** Public base URL; `iss` of its tokens (C-9). */
  readonly issuer: string;
  readonly audience: string;
  readonly values: ProgrammeValues;
  readonly clients: ClientRules;
  readonly login: LoginRules;
  readonly code: CodeRules;
  readonly tokenEndpoints: readonly TokenEndpoint[];
  readonly grants: ReadonlySet<GrantType>;
  readonly scope: ScopeRules;
  readonly verification: VerificationRules;
  readonly access: AccessTokenRules;
  readonly refresh: RefreshTokenRules;
  /** Subject of a client's own tokens. */
  readonly clientSubject: (id: ClientId) => string;
  /** Whether a subject could be a client's; no member's may (C-9, HOSTILE 34 and 72). */
  readonly isClientSubject: (subject: string) => boolean;
  /** Whether any of its tokens are JWTs, so that it has signing keys and publishes them. */
  readonly signsTokens: boolean;
  readonly throttle: ThrottleLimit | undefined;
  readonly introspection?: TokenManagementEndpoint;
  readonly revocation?: TokenManagementEndpoint;
  readonly metadata?: Metadata;
  readonly members: MemberRules;
  readonly memberNumber: MemberNumberRules;
  readonly renderTokens: TokenRenderer;
  readonly renderFailure: FailureRenderer;
}

/** Whether it has a login: a code that no grant takes is worth nothing. */
export function logsIn({ grants }: Programme): boolean {
  return grants.has('authorization_code');
}
