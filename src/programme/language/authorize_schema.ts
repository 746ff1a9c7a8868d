// Owns what a file may say of the login request: its inputs, its answers and its failures.

import * as v from 'valibot';

import {
  type PageOnlyLoginFailure,
  pageOnlyLoginFailures,
  type RedirectableLoginFailure,
  redirectableLoginFailures,
} from '../../oauth/failure.ts';
import { note } from '../../schema/notes.ts';
import { textSchema, wireNameSchema } from '../../schema/scalars.ts';
import { redirectVocabulary } from '../answers/redirect_answer.ts';
import { type EndpointDefinition, endpointSchema } from './input_schema.ts';
import { type PageText, pageTextSchema } from './page_text.ts';
import { type FieldTree, fieldSchemasOf } from './value_tree.ts';

/** A page shown to the user in place of a redirect. */
export interface PageDefinition extends PageText {
  readonly status: number;
}

export interface PageFailure {
  readonly page: PageDefinition;
}

export interface RedirectFailure {
  readonly redirect: string;
  readonly error_description?: string;
}

export type LoginFailures = Readonly<Record<PageOnlyLoginFailure, PageFailure>> &
  Readonly<Record<RedirectableLoginFailure, PageFailure | RedirectFailure>>;

export interface AuthorizeDefinition {
  readonly endpoint: EndpointDefinition;
  /** Status of the redirect to the login page; 303 where the request is a POST. */
  readonly redirect_status: 302 | 303;
  /** Which browser a login belongs to: the one that sent the request, or the first to get the page. */
  readonly binds: 'request' | 'first_page';
  /** Whether a client with one registered redirect URI may leave it out. */
  readonly redirect_uri: 'required' | 'optional_when_single';
  readonly pkce: 'off' | 'optional' | 'required';
  /** Names of the parameters on the redirect back to the client. */
  readonly answer: {
    readonly code: string;
    readonly error: string;
    readonly state: string;
    /** RFC 9207; left out where empty. */
    readonly issuer?: string;
    /** What else stands there; `only` names `code` or failures. */
    readonly more: FieldTree;
  };
  readonly failures: LoginFailures;
}

const pageSchema: v.GenericSchema<unknown, PageFailure> = v.pipe(
  v.strictObject({
    page: v.strictObject({
      status: v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599)),
      title: pageTextSchema,
      text: pageTextSchema,
    }),
  }),
  v.title('page failure'),
);

const redirectSchema: v.GenericSchema<unknown, RedirectFailure> = v.strictObject({
  redirect: v.pipe(
    v.string(),
    v.regex(/^[A-Za-z0-9_.-]{1,60}$/, 'expected an error code such as invalid_request'),
  ),
  error_description: v.exactOptional(textSchema),
});

const failureSchema: v.GenericSchema<unknown, PageFailure | RedirectFailure> = v.pipe(
  v.lazy((input) =>
    typeof input === 'object' && input !== null && 'page' in input ? pageSchema : redirectSchema,
  ),
  v.title('login failure'),
  note({ alternatives: () => [pageSchema, redirectSchema] }),
);

function entriesOf<Reason extends string, Schema>(
  reasons: readonly Reason[],
  schema: Schema,
): Record<Reason, Schema> {
  return Object.fromEntries(reasons.map((reason) => [reason, schema])) as Record<Reason, Schema>;
}

export const authorizeSchema: v.GenericSchema<unknown, AuthorizeDefinition> = v.strictObject({
  endpoint: endpointSchema,
  redirect_status: v.optional(v.picklist([302, 303]), 302),
  binds: v.optional(v.picklist(['request', 'first_page']), 'request'),
  redirect_uri: v.optional(
    v.picklist(['required', 'optional_when_single']),
    'optional_when_single',
  ),
  pkce: v.optional(v.picklist(['off', 'optional', 'required']), 'optional'),
  answer: v.strictObject({
    code: v.optional(wireNameSchema, 'code'),
    error: v.optional(wireNameSchema, 'error'),
    state: v.optional(wireNameSchema, 'state'),
    issuer: v.exactOptional(wireNameSchema),
    more: v.optional(fieldSchemasOf(redirectVocabulary).tree, {}),
  }),
  failures: v.strictObject({
    ...entriesOf(pageOnlyLoginFailures, pageSchema),
    ...entriesOf(redirectableLoginFailures, failureSchema),
  }),
});
