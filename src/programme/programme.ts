// Owns the Programme: a definition compiled once and frozen, with all that requests use.

import type { Milliseconds } from '../lib/clock.ts';
import type { ClientId, ProgrammeId, ThrottleLimit } from '../oauth/client.ts';
import type { GrantType } from '../oauth/grant.ts';
import type { ScopeRules } from '../oauth/scope.ts';
import type { SigningAlgorithm } from '../oauth/signing_key.ts';
import type { TokenIdForm } from '../token/token_ids.ts';
import type { AccessFormat } from './access_formats.ts';
import type { FailureRenderer } from './answers/error_map.ts';
import type { IdentityRules, UserinfoRules } from './answers/identity.ts';
import type { MemberNumberRules } from './answers/member_number.ts';
import type { Metadata } from './answers/metadata.ts';
import type { ProgrammeValues, TokenRenderer } from './answers/token_layout.ts';
import type { Values } from './answers/tree_writer.ts';
import type { ClientAuthentication } from './language/client_schema.ts';
import type { Definition } from './language/definition.ts';
import type { Misfit } from './language/value_shape.ts';
import type { LoginRules } from './login/rules.ts';
import type { AssertionTerms } from './requests/assertion_terms.ts';
import type { Input } from './requests/inputs.ts';
import type { TokenEndpoint } from './requests/token_endpoint.ts';
import type { TokenManagementEndpoint } from './requests/token_management.ts';
import type { VerificationRules } from './requests/verification.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { TokenForms } from './token_forms.ts';

export interface ClientRules {
  readonly isIdentifier: (text: string) => boolean;
  readonly misfit: (text: string) => Misfit | undefined;
  /** Whether a text can be nothing but an identifier: it begins as only those do. */
  readonly isTellable: (text: string) => boolean;
  readonly newIdentifier: () => ClientId;
  /** The identifier's shape in words, for messages. */
  readonly identifierForm: string;
  /** How clients prove themselves. */
  readonly authentication: ClientAuthentication;
  /** The word before credentials in the Authorization header. */
  readonly scheme: string;
  /** Limit on wrong secrets for one client from one address; undefined where `off`. */
  readonly failureLimit: ThrottleLimit | undefined;
  /** Present where clients sign assertions. */
  readonly assertions: AssertionTerms | undefined;
}

export interface AccessTokenRules {
  /** Whether those of some grant are JWTs. */
  readonly isSigned: boolean;
  readonly formats: Readonly<Record<GrantType, AccessFormat>>;
  /** The longest lifetime of all grants' tokens. */
  readonly lifetime: Milliseconds;
  readonly lifetimes: Readonly<Record<GrantType, Milliseconds>>;
  readonly algorithm: SigningAlgorithm;
  readonly tokenId: TokenIdForm;
  /** Whether a new token ends the former of its owner. */
  readonly live: 'any' | 'one';
  /** The claims that the dialect adds to the standard claims of each JWT. */
  readonly claims: (values: Values) => Readonly<Record<string, unknown>>;
}

/** How a request names one of the programmes that share a path: in a header or the query. */
export interface SelectorRule extends Pick<Input, 'inHeader' | 'wireName' | 'unwrap'> {
  /** The authentication scheme before the value, in lower case. */
  readonly scheme: string | undefined;
  readonly isDefault: boolean;
}

export type MemberRules =
  | { readonly directory: 'store' }
  | { readonly directory: 'http'; readonly url: string; readonly concurrency: number };

export interface Programme {
  readonly id: ProgrammeId;
  readonly name: string;
  /** The programme identifier that partners send. */
  readonly identifier: string;
  readonly basePath: string;
  /** The base path, with the programme's name if several programmes share the base path. */
  readonly ownPath: string;
  /** The selector on each documented path, where the file declares one. */
  readonly selectors: ReadonlyMap<string, SelectorRule>;
  /** Public base URL; `iss` of its tokens (C-9). */
  readonly issuer: string;
  readonly audience: string;
  /** The header of answers that holds the request id; undefined where the dialect has none. */
  readonly requestIdHeader: string | undefined;
  readonly values: ProgrammeValues;
  readonly clients: ClientRules;
  readonly login: LoginRules;
  readonly code: {
    readonly generate: () => string;
    readonly lifetime: Milliseconds;
    /** Why no code of the programme looks like a text. */
    readonly misfit: (text: string) => Misfit | undefined;
  };
  readonly tokenEndpoints: readonly TokenEndpoint[];
  readonly grants: ReadonlySet<GrantType>;
  /** Grants whose answers bring a refresh token. */
  readonly refreshing: ReadonlySet<GrantType>;
  /** Who an assertion of the grant `jwt_bearer` may be about, in the order of the file. */
  readonly assertionSubjects: readonly string[];
  readonly scope: ScopeRules;
  readonly verification: VerificationRules;
  readonly access: AccessTokenRules;
  readonly refresh: Definition['tokens']['refresh'];
  /** By the use of a token; empty where all tokens are told as their ordinary texts. */
  readonly forms: TokenForms;
  /** The `sub` of tokens that a client gets for itself. */
  readonly clientSubject: (id: ClientId) => string;
  /**
   * Whether a subject could be a client's. A member's subject never may (C-9, HOSTILE 34 and 72).
   */
  readonly isClientSubject: (subject: string) => boolean;
  /** Whether some of its tokens are JWTs: then it has signing keys and publishes them. */
  readonly signsTokens: boolean;
  readonly throttle: ThrottleLimit | undefined;
  readonly introspection?: TokenManagementEndpoint;
  readonly revocation?: TokenManagementEndpoint;
  readonly metadata?: Metadata;
  readonly identity?: IdentityRules;
  readonly userinfo?: UserinfoRules;
  readonly sandbox?: Sandbox;
  readonly members: MemberRules;
  readonly memberNumber: MemberNumberRules;
  readonly renderTokens: TokenRenderer;
  readonly renderFailure: FailureRenderer;
}

/** Whether the programme has a login: only the grant authorization_code takes a login's code. */
export function logsIn({ grants }: Programme): boolean {
  return grants.has('authorization_code');
}
