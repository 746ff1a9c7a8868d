// Owns what is said of the names a file can use: values of answers, inputs, formats, characters.

import type { CharacterClass } from '../../src/programme/language/value_shape.ts';

/** Values of token responses and JWT claims. */
export const tokenValueDocs: Readonly<Record<string, string>> = {
  access_token: 'The access token. Not in claims.',
  refresh_token: 'The refresh token, where one is issued. Not in claims.',
  scope: 'The scope that was granted, where there is one.',
  access_lifetime: 'How long the access token is good, from now.',
  refresh_lifetime: 'How long the refresh token is good, from now; where one is issued.',
  issued_at: 'Now.',
  access_expires_at: 'When the access token expires.',
  refresh_expires_at: 'When the refresh token expires, where one is issued.',
  token_id: "The access token's identifier (`jti`), as `tokens.access.token_id` has it.",
  subject: "Whom the token is about: the member's immutable subject, or the client's (C-9).",
  grant: 'The grant that was used, by its name in `grants`.',
  kind: '`member` or `client`: whose token it is.',
  level: "How the member was authenticated, from the directory; not in a client's own token.",
  membership_number: "The member's number, where the directory knows one.",
  client_id: "The client's identifier.",
  client_name: "The client's name.",
  business_context: "The client's business context, where it has one (P-7).",
  partner_id: "The client's partner id, where it has one (P-7).",
  programme_identifier: 'As `programme_identifier` has it.',
  issuer: "The programme's public base URL (`iss`).",
  audience: 'As `audience` has it.',
  request_id: 'A fresh UUID for each answer. Not in claims.',
  nothing: '`null`.',
};

/** Values of error bodies. */
export const errorValueDocs: Readonly<Record<string, string>> = {
  error: "The reason's `error`.",
  error_description: "The reason's `error_description`, where it has one.",
  error_code: "The reason's `error_code`, where it has one.",
  parameter: 'The wire name of the parameter or header at fault, where there is one.',
  scope: 'The scope that was asked for, where that is what failed.',
  status: 'The HTTP status, as a number.',
  answered_at: 'Now.',
  request_id: 'A fresh UUID for each answer.',
  nothing: '`null`.',
};

/** Values of redirects back to the partner. */
export const redirectValueDocs: Readonly<Record<string, string>> = {
  error_description: "The failure's `error_description`, where it has one.",
  parameter: 'The wire name of the parameter or header at fault, where there is one.',
  client_id: "The client's identifier.",
  business_context: "The client's business context, where it has one.",
  partner_id: "The client's partner id, where it has one.",
  programme_identifier: 'As `programme_identifier` has it.',
  issuer: "The programme's public base URL.",
};

/** What Jetway does with the inputs it knows by name. */
export const inputDocs: Readonly<Record<string, readonly [where: string, use: string]>> = {
  client_id: [
    'login, token',
    'Whose login it is; with `client_secret`, who authenticates by parameters.',
  ],
  client_secret: ['token', 'The secret of a client that authenticates by parameters.'],
  response_type: ['login', 'Must be declared; its failures have reasons of their own.'],
  redirect_uri: [
    'login, token',
    'Where the answer goes; at the token endpoint, compared with that.',
  ],
  state: ['login', 'Carried back to the partner (RFC 6749 4.1.1).'],
  scope: ['login, token', 'What is asked for.'],
  brand: ['login', 'Which of `login.brands` the page shows (P-3).'],
  ui_locales: [
    'login',
    'Languages for the pages, best first, with spaces between (OpenID Connect Core 3.1.2.1).',
  ],
  code_challenge: ['login', 'PKCE (RFC 7636).'],
  code_challenge_method: ['login', 'PKCE; `S256` is the only method.'],
  grant_type: [
    'token',
    'Chooses the grant. An endpoint that serves one grant can leave it undeclared or optional.',
  ],
  code: ['token', 'The code to redeem.'],
  code_verifier: ['token', 'PKCE.'],
  refresh_token: ['token', 'The refresh token to use.'],
  username: ['token', 'Whose password it is (the grant `password`, P-9).'],
  password: ['token', "The member's password."],
  forwarded_for: [
    'login, token',
    "At the login, held to its form when the form is posted, too (P-13). With the grant `password`: what the partner says of its customer's address, for the directory behind a hook. No limit counts by it (P-6).",
  ],
};

/** Formats of values; each an example of the same lifetime, moment or scope. */
export const formatDocs: Readonly<Record<string, readonly [kind: string, example: string]>> = {
  seconds: ['lifetime', '`1800`'],
  milliseconds: ['lifetime', '`1800000`'],
  minutes: ['lifetime', '`30`'],
  epoch: ['time', '`1767225600`'],
  epoch_milliseconds: ['time', '`1767225600000`'],
  date: ['time', '`"2026-01-01"`'],
  date_time: ['time', '`"2026-01-01T00:00:00Z"`'],
  date_time_milliseconds: ['time', '`"2026-01-01T00:00:00.000Z"`'],
  date_time_offset: ['time', '`"2026-01-01T00:00:00+00:00"`'],
  date_time_space: ['time', '`"2026-01-01 00:00:00"`'],
  date_time_digits: ['time', '`"20260101000000"`'],
  http_date: ['time', '`"Thu, 01 Jan 2026 00:00:00 GMT"`'],
  spaces: ['scope', '`"read write"`'],
  commas: ['scope', '`"read,write"`'],
  list: ['scope', '`["read","write"]`'],
};

export const classDocs: Readonly<Record<CharacterClass, string>> = {
  digits: 'decimal digits',
  letters: 'ASCII letters',
  alphanumeric: 'ASCII letters and digits',
  lower_hex: 'hexadecimal digits in lower case',
  upper_hex: 'hexadecimal digits in upper case',
  base64url: 'the alphabet of base64url (RFC 4648 5)',
  visible: 'ASCII without space and controls',
  printable: 'ASCII with space, without controls',
};
