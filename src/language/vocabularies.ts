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
  /** Each value's kind, its description for the reference, and what partners are told that it is. */
  readonly values: Readonly<
    Record<string, readonly [kind: ValueKind, text: string, partner?: string]>
  >;
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
/** `member.drawn.device_id` names what a login has drawn by `authorize.draws: { device_id: … }`. */
const drawnPrefix = 'drawn.';
/** `sent.echo_token` names the value of the token request's input `echo_token`. */
export const sentPrefix = 'sent.';
/** `extra.title` names the text of a reason's `extra: { title: … }`. */
export const extraPrefix = 'extra.';

/** Of the client's own token that stands beside a member's in an answer (docs/decisions/054). */
const besideValues: Vocabulary['values'] = {
  client_token: [
    'text',
    "An access token of the client's own beside the member's, as `client_credentials` gives it: of its lifetime, format, form and scope. It ends with the login, and if the client revokes it or the member's access token of the same answer, both end. Each refresh brings another. It cannot be exchanged. A public client, a client without the role of `client_credentials`, one that a token alone proves, and the answers to `client_credentials` and `token_exchange` have none. Not in claims.",
    'an access token of your own; it ends with the login, and if you revoke it or the access token beside it, both end',
  ],
  client_token_lifetime: [
    'span',
    'How long `client_token` is good, from now. Not in claims.',
    'how long the access token of your own is good',
  ],
  client_token_expires_at: [
    'instant',
    'When `client_token` expires. Not in claims.',
    'when the access token of your own ends',
  ],
  client_token_scope: [
    'scope',
    'The scope of `client_token`, if it has one. Not in claims.',
    'what the access token of your own is good for',
  ],
};

export const besideNames: readonly string[] = Object.keys(besideValues);

const tokenValues: Vocabulary['values'] = {
  access_token: ['text', 'The access token. Not in claims.', 'the access token'],
  refresh_token: [
    'text',
    'The refresh token, if one is issued. Not in claims.',
    'the refresh token',
  ],
  id_token: [
    'text',
    'The identity token, in the answer to a code. Not in claims.',
    'the identity token: who has logged in',
  ],
  ...besideValues,
  scope: ['scope', 'The scope that was granted, if there is one.', 'what the token is good for'],
  access_lifetime: [
    'span',
    'How long the access token is good, from now.',
    'how long the access token is good',
  ],
  refresh_lifetime: [
    'span',
    'How long the refresh token is good, from now; if one is issued.',
    'how long the refresh token is good',
  ],
  issued_at: ['instant', 'Now.', 'when the answer was made'],
  access_expires_at: ['instant', 'When the access token expires.', 'when the access token ends'],
  refresh_expires_at: [
    'instant',
    'When the refresh token expires, if one is issued.',
    'when the refresh token ends',
  ],
  token_id: [
    'text',
    "The access token's identifier (`jti`), as `tokens.access.token_id` has it.",
    "the access token's identifier",
  ],
  issued_token_type: [
    'text',
    'The kind of token that `token_exchange` brought: what `requested_token_type` asked for, or as RFC 8693 3 has it. Other grants have none. Not in claims.',
    'what kind of token the access token is',
  ],
  subject: [
    'text',
    "The owner of the token: the member's immutable subject, or the client's (C-9).",
    "the member's permanent identifier; in a token of your own, yours",
  ],
  grant: ['text', 'The grant that was used, by its name in `grants`.', 'how the token was got'],
  kind: [
    'text',
    '`member` or `client`: whose token it is.',
    '`member` or `client`: whose token it is',
  ],
  level: [
    'text',
    "How the member was authenticated, from the directory; not in a client's own token.",
    'how the member was authenticated',
  ],
  membership_number: [
    'text',
    "The member's number, if the directory knows one.",
    'the membership number',
  ],
  client_id: ['text', "The client's identifier.", 'your client identifier'],
  client_name: ['text', "The client's name.", 'your name'],
  business_context: [
    'text',
    "The client's business context, if it has one (P-7).",
    'your business context',
  ],
  partner_id: ['text', "The client's partner id, if it has one (P-7).", 'your partner id'],
  programme_identifier: ['text', 'As `programme_identifier` has it.', "the programme's identifier"],
  issuer: ['text', "The programme's public base URL (`iss`).", 'who issued the token'],
  audience: ['text', "The token's `aud`.", 'whom the token is meant for'],
  request_id: [
    'text',
    'A fresh UUID for each answer, not the id of `X-Request-Id`. Not in claims.',
    'an identifier of this answer',
  ],
};

const errorValues: Vocabulary['values'] = {
  error: ['text', "The reason's `error`."],
  error_description: ['text', "The reason's `error_description`, if it has one."],
  error_code: ['text', "The reason's `error_code`, if it has one."],
  parameter: ['text', 'The wire name of the parameter or header at fault, if there is one.'],
  scope: ['scope', 'The scope that was asked for, if that is what failed.'],
  status: ['text', 'The HTTP status, as a number.'],
  answered_at: ['instant', 'Now.'],
  request_id: [
    'text',
    'A fresh UUID for each answer. `jetway why` does not know it: it takes the id of `X-Request-Id`.',
  ],
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

/** The property in which a value that a login draws stays with its member. */
export function drawnProperty(name: string): string {
  return drawnPrefix + name;
}

/** The name in files of a value that a login draws. */
export function drawnValue(name: string): string {
  return memberPropertyPrefix + drawnProperty(name);
}

/** Whether a name in a file is that of a value that a login draws. */
export function isDrawn(value: string): boolean {
  return value.startsWith(drawnValue(''));
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
