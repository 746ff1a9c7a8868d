// Owns the closed list of reasons for which a login request can fail, with what operators and partners are
// told of each. Dialects own the answers.

import { adviceOf, asDescribed, askForHelp, lookUp, type ReasonText } from './reasons.ts';

interface RedirectableReason extends ReasonText {
  /** The code of RFC 6749 4.1.2.1; of those of OpenID Connect, that of Core 3.1.2.6. */
  readonly code?: string;
}

/**
 * Reasons that are always shown on a page, in the order of the checks: no redirect URI can be trusted yet
 * (RFC 6749 4.1.2.1). Only the member can tell the partner of a page: it shows a reference.
 */
export const pageOnlyLoginReasons = {
  ambiguous_request: {
    text: 'The query or the form cannot be decoded, or holds `client_id` or `redirect_uri` more than once.',
    cause: 'The link cannot be decoded, or names client or redirect URI twice.',
    remedy: 'Encode parameters with a library.',
  },
  missing_client_id: {
    text: 'There is no `client_id` (G-6).',
    cause: 'The link has no client identifier.',
    remedy: asDescribed,
  },
  unknown_client: {
    text: 'The `client_id` does not have the shape of `client.identifier`, is unknown, or is disabled (G-6).',
    cause: 'The client identifier is unknown or disabled.',
    remedy: `${lookUp} Each environment has its own.`,
  },
  missing_redirect_uri: {
    text: 'There is no `redirect_uri`, and the client has several registered, or the dialect always requires it.',
    cause: 'The link has no redirect URI, and it is not clear which one is meant.',
    remedy: 'Send one that is registered for you.',
  },
  unregistered_redirect_uri: {
    text: 'The `redirect_uri` is not registered, compared to the letter (G-7).',
    cause: 'The redirect URI is not registered for you, to the letter.',
    remedy: 'Send a registered one, or have this one registered.',
  },
  programme_mismatch: {
    text: 'An input that `must_equal` `programme.identifier` names another (P-4).',
    cause: 'The link names another programme: {names}.',
    remedy: lookUp,
  },
} as const satisfies Readonly<Record<string, ReasonText>>;

/** Reasons that are checked after those above: a dialect makes each of them a page or a redirect. */
export const redirectableLoginReasons = {
  repeated_parameter: {
    text: 'Another input came more than once.',
    ...adviceOf('repeated_parameter'),
    code: 'invalid_request',
  },
  unknown_parameter: {
    text: 'A parameter is no input of the endpoint, and it has `unknown: refuse`.',
    ...adviceOf('unknown_parameter'),
  },
  request_not_supported: {
    text: 'The request has a parameter `request`, and the programme has identity tokens (OpenID Connect Core 6.1). An input with that wire name is none.',
    cause: 'The parameters of a login cannot stand in a JWT: {names}.',
    remedy: 'Send each of them by itself.',
    code: 'request_not_supported',
  },
  request_uri_not_supported: {
    text: 'The same of `request_uri` (OpenID Connect Core 6.2).',
    cause: 'The parameters of a login cannot lie at an address: {names}.',
    remedy: 'Send each of them by itself.',
    code: 'request_uri_not_supported',
  },
  missing_parameter: {
    text: 'A required input is not there, or `code_challenge` if `pkce` asks for it (RFC 7636 4.4.1).',
    cause: 'A parameter is missing: {names}.',
    remedy: asDescribed,
    code: 'invalid_request',
  },
  invalid_parameter: {
    text: 'An input does not fit its shape, format or allowed values, or a `code_challenge` came without `code_challenge_method=S256`.',
    ...adviceOf('invalid_parameter'),
    code: 'invalid_request',
  },
  invalid_header: {
    text: 'A header does not fit its shape or format: the user is told of difficulties on a page (P-13).',
    cause: 'A header does not have the required form: {names}.',
    remedy: 'Let the browser or your proxy send a correct one, or none.',
  },
  missing_response_type: {
    text: 'The input `response_type` is required and not there.',
    cause: 'A parameter is missing: {names}.',
    remedy: asDescribed,
    code: 'invalid_request',
  },
  unsupported_response_type: {
    text: 'The `response_type` is none of its `allowed` values (G-5).',
    cause: 'The value of {names} is not offered.',
    remedy: asDescribed,
    code: 'unsupported_response_type',
  },
  context_mismatch: {
    text: "An input that `must_equal` something of the client's is not that.",
    ...adviceOf('context_mismatch'),
  },
  invalid_scope: {
    text: 'The scope does not exist.',
    cause: 'The scope does not exist: {names}.',
    remedy: 'Ask for a scope that this page lists, or for none.',
    code: 'invalid_scope',
  },
  invalid_target: {
    text: 'The `resource` is none of `resources`, or came more than once (RFC 8707 2.1).',
    cause: 'The resource is not offered, or came more than once: {names}.',
    remedy: 'Ask for one that this page lists, or for none.',
    code: 'invalid_target',
  },
  access_denied: {
    text: 'The client does not have the role `member` (G-22).',
    cause: 'You are not registered to log members in.',
    remedy: askForHelp,
    code: 'access_denied',
  },
  login_required: {
    text: 'The request says `prompt=none`: a login is never without its page (OpenID Connect Core 3.1.2.6).',
    cause: '`prompt=none` asks for a login without a page, and there is none.',
    remedy: 'Send the member without `prompt=none`.',
    code: 'login_required',
  },
  server_error: {
    text: 'Something failed that should not have. Before the redirect URI is known, a page with `login.messages.difficulties` stands in for a redirect.',
    cause: 'Something failed on our side.',
    remedy: 'Let the member try again later. If it happens again, ask for help.',
    code: 'server_error',
  },
  temporarily_unavailable: {
    text: 'The store cannot be reached, or the programme is under maintenance. A page stands in for a redirect as with `server_error`.',
    cause: 'The service cannot answer for a while.',
    remedy: 'Let the member try again later.',
    code: 'temporarily_unavailable',
  },
} as const satisfies Readonly<Record<string, RedirectableReason>>;

export type PageOnlyLoginFailure = keyof typeof pageOnlyLoginReasons;
export type RedirectableLoginFailure = keyof typeof redirectableLoginReasons;
export type LoginFailureReason = PageOnlyLoginFailure | RedirectableLoginFailure;

/** The code that a standard has for a failure of a redirect; undefined if it has none. */
export function loginErrorCode(reason: RedirectableLoginFailure): string | undefined {
  const row: RedirectableReason = redirectableLoginReasons[reason];
  return row.code;
}

/** Every reason, in the order of the checks. */
export const loginReasons: Readonly<Record<LoginFailureReason, ReasonText>> = {
  ...pageOnlyLoginReasons,
  ...redirectableLoginReasons,
};

export const loginFailureReasons = Object.keys(loginReasons) as readonly LoginFailureReason[];
