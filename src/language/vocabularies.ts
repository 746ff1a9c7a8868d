// Owns the named values of which token responses, JWTs, error bodies and redirects are made.

import { type Client, propertyValues } from '../oauth/client.ts';
import { grantTypes } from '../oauth/grant.ts';
import { loginFailureReasons } from '../oauth/login_reasons.ts';
import type { Member } from '../oauth/member.ts';
import { failureReasons, reasonsByCode } from '../oauth/reasons.ts';
import type { ValueKind } from './value_format.ts';

/**
 * The value `null`. A file cannot write a constant null: in a file, null removes a variant's key.
 */
export const nothing = 'nothing';

export interface Vocabulary {
  /** `token` or `error`, for messages. */
  readonly answer: string;
  /** Each value's kind, and its description for the reference. */
  readonly values: Readonly<Record<string, readonly [kind: ValueKind, text: string]>>;
  /** Prefixes of names that are values without being listed. */
  readonly prefixes: readonly string[];
  /** The names that `only` accepts. */
  readonly occasions: readonly string[];
  /** Names in `only` that stand for several occasions. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
}

export const clientPropertyPrefix = 'client.';
/** `client.id`, or `client.` and the name of a property of the client. */
export const clientPropertyForm: RegExp = /^client\.[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
export const memberPropertyPrefix = 'member.';
/** `sent.echo_token` names the value of the token request's input `echo_token`. */
export const sentPrefix = 'sent.';
/** `extra.title` names the text of a reason's `extra: { title: … }`. */
export const extraPrefix = 'extra.';

const tokenValues: Vocabulary['values'] = {
  access_token: ['text', 'The access token. Not in claims.'],
  refresh_token: ['text', 'The refresh token, if one is issued. Not in claims.'],
  id_token: ['text', 'The identity token, in the answer to a code. Not in claims.'],
  scope: ['scope', 'The scope that was granted, if there is one.'],
  access_lifetime: ['span', 'How long the access token is good, from now.'],
  refresh_lifetime: ['span', 'How long the refresh token is good, from now; if one is issued.'],
  issued_at: ['instant', 'Now.'],
  access_expires_at: ['instant', 'When the access token expires.'],
  refresh_expires_at: ['instant', 'When the refresh token expires, if one is issued.'],
  token_id: ['text', "The access token's identifier (`jti`), as `tokens.access.token_id` has it."],
  issued_token_type: [
    'text',
    'The kind of token that `token_exchange` brought: what `requested_token_type` asked for, or as RFC 8693 3 has it. Other grants have none. Not in claims.',
  ],
  subject: [
    'text',
    "The owner of the token: the member's immutable subject, or the client's (C-9).",
  ],
  grant: ['text', 'The grant that was used, by its name in `grants`.'],
  kind: ['text', '`member` or `client`: whose token it is.'],
  level: [
    'text',
    "How the member was authenticated, from the directory; not in a client's own token.",
  ],
  membership_number: ['text', "The member's number, if the directory knows one."],
  client_id: ['text', "The client's identifier."],
  client_name: ['text', "The client's name."],
  business_context: ['text', "The client's business context, if it has one (P-7)."],
  partner_id: ['text', "The client's partner id, if it has one (P-7)."],
  programme_identifier: ['text', 'As `programme_identifier` has it.'],
  issuer: ['text', "The programme's public base URL (`iss`)."],
  audience: ['text', 'As `audience` has it.'],
  request_id: ['text', 'A fresh UUID for each answer. Not in claims.'],
};

const errorValues: Vocabulary['values'] = {
  error: ['text', "The reason's `error`."],
  error_description: ['text', "The reason's `error_description`, if it has one."],
  error_code: ['text', "The reason's `error_code`, if it has one."],
  parameter: ['text', 'The wire name of the parameter or header at fault, if there is one.'],
  scope: ['scope', 'The scope that was asked for, if that is what failed.'],
  status: ['text', 'The HTTP status, as a number.'],
  answered_at: ['instant', 'Now.'],
  request_id: ['text', 'A fresh UUID for each answer.'],
};

const redirectValues: Vocabulary['values'] = {
  error_description: ['text', "The failure's `error_description`, if it has one."],
  parameter: ['text', 'The wire name of the parameter or header at fault, if there is one.'],
  client_id: ['text', "The client's identifier."],
  business_context: ['text', "The client's business context, if it has one."],
  partner_id: ['text', "The client's partner id, if it has one."],
  programme_identifier: ['text', 'As `programme_identifier` has it.'],
  issuer: ['text', "The programme's public base URL."],
};

export const tokenVocabulary: Vocabulary = {
  answer: 'token',
  values: tokenValues,
  prefixes: [clientPropertyPrefix, memberPropertyPrefix, sentPrefix],
  occasions: grantTypes,
};

export const errorVocabulary: Vocabulary = {
  answer: 'error',
  values: errorValues,
  prefixes: [extraPrefix, sentPrefix],
  occasions: failureReasons,
  groups: reasonsByCode,
};

/** `only` accepts `code`, the success of a login, or a failure. */
export const redirectVocabulary: Vocabulary = {
  answer: 'redirect',
  values: redirectValues,
  prefixes: [clientPropertyPrefix, memberPropertyPrefix],
  occasions: ['code', ...loginFailureReasons],
};

/** A client's values by their names in files. */
export function clientProperties(client: Client): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of Object.keys(client.properties)) {
    const [value] = propertyValues(client.properties, name);
    if (value !== undefined) values[clientPropertyPrefix + name] = value;
  }
  return values;
}

/** A member's values by their names in files. */
export function memberProperties(
  properties: Member['properties'] = {},
): Readonly<Record<string, string>> | undefined {
  const names = Object.keys(properties);
  if (names.length === 0) return undefined;
  return Object.fromEntries(
    names.map((name) => [memberPropertyPrefix + name, properties[name] ?? '']),
  );
}
