// Owns the Definition: everything a programme file can say, validated, with every default filled.

import * as v from 'valibot';

import type { Milliseconds } from '../../lib/clock.ts';
import { type CredentialEncoding, credentialEncodings } from '../../oauth/basic.ts';
import { type Role, roles } from '../../oauth/client.ts';
import { type GrantType, grantTypes } from '../../oauth/grant.ts';
import { type ScopeSeparator, scopeSeparators } from '../../oauth/scope.ts';
import { type SigningAlgorithm, signingAlgorithms } from '../../oauth/signing_key.ts';
import {
  basePathSchema,
  contentTypeSchema,
  durationSchema,
  lifetimeSchema,
  listOf,
  oneOrMore,
  pathSchema,
  textSchema,
} from '../../schema/scalars.ts';
import type { TokenIdForm } from '../../token/token_id.ts';
import { type EncodingName, encodings, withContentType } from '../answers/encoding.ts';
import { type AuthorizeDefinition, authorizeSchema } from './authorize_schema.ts';
import { type ErrorsDefinition, errorsSchema } from './errors_schema.ts';
import { type FailureLimitDefinition, failureLimitSchema } from './failure_limit.ts';
import { type EndpointDefinition, endpointSchema } from './input_schema.ts';
import { type LoginDefinition, loginSchema } from './login_schema.ts';
import { type MembersDefinition, membersSchema } from './members_schema.ts';
import { type ResponseHeaders, responseHeadersSchema } from './response_headers.ts';
import { tokenVocabulary } from './token_values.ts';
import {
  characterClassSchema,
  lengthSchema,
  type ValueShape,
  valueShapeSchema,
} from './value_shape.ts';
import { type FieldTree, fieldSchemasOf, type NameCase, nameCaseSchema } from './value_tree.ts';
import { type VerifyDefinition, verifySchema } from './verify_schema.ts';

export interface GrantDefinition {
  /** Names of the token endpoints that serve it; clients are told of the first. */
  readonly endpoint: readonly string[];
  /** Value of grant_type on the wire; the grant's own name where it is left out. */
  readonly grant_type?: string;
  /** What a client must be allowed to do. */
  readonly role: Role;
  /** How long its access tokens live, where that differs. */
  readonly access_lifetime?: Milliseconds;
}

/** Scopes that are levels, lowest first: a token carries how securely its owner was authenticated. */
export interface LevelScopeDefinition {
  readonly kind: 'level';
  readonly values: readonly string[];
  readonly client: string;
  readonly member_default: string;
}

/** Scopes that are asked for by name. */
export interface ListScopeDefinition {
  readonly kind: 'list';
  readonly values: readonly string[];
  readonly separator: ScopeSeparator;
  /** Those whose tokens a gateway lets through only where it asks for one of them (P-15). */
  readonly restricted: readonly string[];
}

export type ScopeDefinition = LevelScopeDefinition | ListScopeDefinition;

export interface AccessTokenDefinition {
  readonly format: 'opaque' | 'jwt';
  readonly lifetime: Milliseconds;
  readonly algorithm: SigningAlgorithm;
  /** Form of `jti`: a UUID, or a whole number. */
  readonly token_id: TokenIdForm;
  readonly claims: FieldTree;
}

export interface RefreshTokenDefinition {
  readonly format: 'opaque' | 'jwt';
  /** From each use. */
  readonly lifetime: Milliseconds;
  /** From the login, whatever the uses. */
  readonly longest: Milliseconds;
  /** How long a retry gets the same answer again; 0s forbids retries. */
  readonly grace: Milliseconds;
}

/** How programmes on one base path are told apart. */
export interface SelectorDefinition {
  /** Name of the input, at every documented endpoint, that must equal the programme's identifier. */
  readonly input: string;
  readonly default: boolean;
}

export interface Definition {
  readonly variant?: string;
  readonly name: string;
  readonly programme_identifier: string;
  readonly base_path: string;
  readonly interface_version: string;
  readonly audience?: string;
  readonly selector?: SelectorDefinition;
  readonly client: {
    readonly identifier: ValueShape;
    readonly authentication: {
      readonly methods: readonly ('basic' | 'bare_basic' | 'parameters')[];
      readonly credentials: CredentialEncoding;
      /** How many wrong secrets for one client may come from one address in a window of time. */
      readonly failure_limit: FailureLimitDefinition;
    };
  };
  readonly authorize: AuthorizeDefinition;
  readonly code: ValueShape & { readonly lifetime: Milliseconds };
  readonly token_endpoints: Readonly<Record<string, EndpointDefinition>>;
  readonly grants: Readonly<Partial<Record<GrantType, GrantDefinition>>>;
  readonly scope: ScopeDefinition;
  readonly tokens: {
    readonly access: AccessTokenDefinition;
    readonly refresh: RefreshTokenDefinition;
    /** Goes before the client identifier in the subject of a client's own token (C-9). */
    readonly client_subject_prefix: string;
  };
  readonly throttle: FailureLimitDefinition;
  readonly token_response: {
    readonly status: number;
    readonly encoding: EncodingName;
    readonly content_type: string;
    readonly headers: ResponseHeaders;
    readonly fields: FieldTree;
    readonly wrap: readonly string[];
    readonly name_case: NameCase;
  };
  readonly errors: ErrorsDefinition;
  readonly verify: VerifyDefinition;
  /** RFC 7662; there is none where it is left out. */
  readonly introspection?: { readonly path: string };
  /** RFC 7009; there is none where it is left out. */
  readonly revocation?: { readonly path: string };
  /** RFC 8414. */
  readonly metadata: 'on' | 'off';
  readonly login: LoginDefinition;
  readonly members: MembersDefinition;
}

const authenticationMethods = ['basic', 'bare_basic', 'parameters'] as const;

const grantSchema: v.GenericSchema<unknown, GrantDefinition> = v.pipe(
  v.strictObject({
    endpoint: oneOrMore(textSchema),
    grant_type: v.exactOptional(textSchema),
    role: v.picklist(roles),
    access_lifetime: v.exactOptional(lifetimeSchema),
  }),
  v.title('grant'),
);

const scopeSchema: v.GenericSchema<unknown, ScopeDefinition> = v.variant('kind', [
  v.pipe(
    v.strictObject({
      kind: v.literal('level'),
      values: v.pipe(listOf(textSchema), v.nonEmpty('expected at least one level')),
      client: textSchema,
      member_default: textSchema,
    }),
    v.title('level scope'),
  ),
  v.pipe(
    v.strictObject({
      kind: v.literal('list'),
      values: listOf(textSchema),
      separator: v.optional(v.picklist(scopeSeparators), ' '),
      restricted: v.optional(listOf(textSchema), []),
    }),
    v.title('list scope'),
  ),
]);

const throttleSchema: v.GenericSchema<unknown, Definition['throttle']> = v.union([
  v.literal('off'),
  v.strictObject({
    limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000)),
    window: lifetimeSchema,
  }),
]);

const { tree: tokenFieldsSchema } = fieldSchemasOf(tokenVocabulary);

const tokensSchema: v.GenericSchema<unknown, Definition['tokens']> = v.strictObject({
  client_subject_prefix: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[a-z][a-z0-9_.-]*[:|/]$/, 'expected a word and one of : | /, such as client:'),
    ),
    'client:',
  ),
  access: v.strictObject({
    format: v.picklist(['opaque', 'jwt']),
    lifetime: lifetimeSchema,
    algorithm: v.optional(v.picklist(signingAlgorithms), 'ES256'),
    token_id: v.optional(v.picklist(['uuid', 'number']), 'uuid'),
    claims: v.optional(tokenFieldsSchema, {}),
  }),
  refresh: v.strictObject({
    format: v.optional(v.picklist(['opaque', 'jwt']), 'opaque'),
    lifetime: lifetimeSchema,
    longest: lifetimeSchema,
    grace: v.optional(durationSchema, '10s'),
  }),
});

/** The schema of a merged file: variant and programme together. */
export const definitionSchema: v.GenericSchema<unknown, Definition> = v.strictObject({
  variant: v.exactOptional(v.string()),
  name: textSchema,
  programme_identifier: v.pipe(
    v.string(),
    v.regex(/^[A-Za-z]{1,20}$/, 'expected 1 to 20 letters (P-1)'),
  ),
  base_path: basePathSchema,
  interface_version: v.optional(textSchema, 'v1'),
  audience: v.exactOptional(textSchema),
  selector: v.exactOptional(
    v.strictObject({ input: textSchema, default: v.optional(v.boolean(), false) }),
  ),
  client: v.strictObject({
    identifier: valueShapeSchema,
    authentication: v.strictObject({
      methods: v.pipe(
        listOf(v.picklist(authenticationMethods)),
        v.nonEmpty('expected at least one method'),
      ),
      credentials: v.optional(v.picklist(credentialEncodings), 'raw'),
      failure_limit: failureLimitSchema(600, '1m'),
    }),
  }),
  authorize: authorizeSchema,
  code: v.strictObject({
    prefix: v.exactOptional(v.string()),
    characters: v.exactOptional(characterClassSchema),
    length: v.exactOptional(lengthSchema),
    lifetime: lifetimeSchema,
  }),
  token_endpoints: v.record(textSchema, endpointSchema),
  grants: v.strictObject(
    Object.fromEntries(grantTypes.map((type) => [type, v.exactOptional(grantSchema)])),
  ),
  scope: scopeSchema,
  tokens: tokensSchema,
  throttle: v.optional(throttleSchema, 'off'),
  token_response: v.pipe(
    v.strictObject({
      status: v.optional(v.picklist([200, 201]), 200),
      encoding: v.optional(v.picklist(encodings), 'json'),
      content_type: v.exactOptional(contentTypeSchema),
      headers: v.optional(responseHeadersSchema, {}),
      fields: tokenFieldsSchema,
      wrap: v.optional(v.array(textSchema), []),
      name_case: v.optional(nameCaseSchema, 'as_written'),
    }),
    v.transform(withContentType),
  ),
  errors: errorsSchema,
  verify: v.optional(verifySchema, {}),
  introspection: v.exactOptional(v.strictObject({ path: pathSchema })),
  revocation: v.exactOptional(v.strictObject({ path: pathSchema })),
  metadata: v.optional(v.picklist(['on', 'off']), 'off'),
  login: loginSchema,
  members: v.optional(membersSchema, {}),
});
