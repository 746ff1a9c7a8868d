// Owns the description of each failure reason; the types keep the lists complete.

import type {
  FailureReason,
  PageOnlyLoginFailure,
  RedirectableLoginFailure,
} from '../../oauth/failure.ts';

/** In the order of the checks (C-8). */
export const failureTexts: Readonly<Record<FailureReason, string>> = {
  method_not_allowed:
    "The method is none of the endpoint's `methods`. The answer gets an `Allow` header.",
  unsupported_media_type:
    'An endpoint that reads a body got another `Content-Type`, none, several, or a charset that does not hold ASCII as it is, or is not known (G-9). `{parameter}` is `content-type`.',
  body_too_large: 'The body holds more than 64 KiB.',
  malformed_body:
    'Query or body cannot be decoded: broken percent-encoding or UTF-8, no JSON object, a text in JSON with half a surrogate pair (`"\\ud800"`), an input in JSON that is neither text, a whole number, `true`, `false` nor `null`, more than 100 parameters, more than 2000 values in JSON.',
  repeated_parameter:
    'A parameter whose name is declared or known to Jetway came more than once, and the endpoint has `repeated: refuse`. A header that did is `invalid_header`.',
  unknown_parameter: 'A parameter is no input of the endpoint, and it has `unknown: refuse`.',
  misplaced_parameter:
    'An input that is read from the body came in the query, or the other way round.',
  authentication_missing:
    'There are no credentials in any place the dialect reads (G-16, P-11). `{parameter}` is `authorization`; where no header is read, the wire name of what is missing of `client_id` and `client_secret`, or `client_certificate` where only certificates are read. A `client_secret` without `client_id` is told as the latter in every dialect.',
  authentication_malformed:
    'The `Authorization` header has another scheme, came twice, is longer than 4096 characters, or does not decode to identifier, colon and secret.',
  authentication_ambiguous:
    'Header and `client_secret` came in one request (RFC 6749 2.3). Only where the endpoint declares that input.',
  missing_header: 'A required header is not there (P-11).',
  invalid_header: 'A header does not fit its shape, format or allowed values (P-6).',
  programme_mismatch: 'An input that `must_equal` `programme.identifier` names another (P-4).',
  client_authentication_failed:
    'The client is unknown or disabled, or its secret or certificate wrong: one answer for all (G-17).',
  client_mismatch:
    'An input that `must_equal` `client.id` is not the client that authenticated (P-11).',
  context_mismatch:
    "An input that `must_equal` the client's business context, partner id, API key or a property is not (P-4).",
  missing_grant_type:
    'There is no `grant_type`, and it is required, or the endpoint serves several grants.',
  unsupported_grant_type: 'No grant at this endpoint has that `grant_type` (G-14).',
  grant_not_allowed: "The client does not have the grant's role (G-20, P-11).",
  missing_parameter: 'A required parameter, or one the grant needs, is not there (G-15).',
  invalid_parameter: 'A parameter does not fit its shape, format or allowed values.',
  invalid_scope:
    'The scope does not exist, or is more than the login or client may have. The value `scope` is the one that was asked for (P-10).',
  throttled:
    'The client has made as many requests as `throttle` allows (G-18). The answer gets `Retry-After`; nothing is spent.',
  invalid_code:
    "The code is unknown, expired, used before, another client's, or bound to another redirect URI or `code_verifier` (G-21). A replay by its own client revokes what it was exchanged for.",
  invalid_refresh_token:
    "The refresh token is unknown, expired, revoked, used before, another client's, or its member is no longer active (G-19, G-23). Reuse after `grace` revokes the login's tokens.",
  invalid_member_credentials:
    'The directory does not know a member of that username and password, or not as one that may log in (the grant `password`, P-9). Which of these is never told.',
  invalid_assertion:
    'The assertion is no JWT of a client of the programme that is good now, or names nobody for whom the grant gives tokens (RFC 7523 3.1); the token to exchange is no live access token of the client (RFC 8693 2.2.2). Which of these is never told.',
  missing_api_key:
    'A gateway asked for mode `none` or for the floor `key`, and there is no API key (C-4). `{parameter}` is the header in `verify.api_key_header`.',
  invalid_api_key:
    "The API key is unknown, expired, another environment's, sent twice, its client is disabled, or a token beside it is another client's.",
  missing_token:
    'A gateway asked for mode `member` or `client`, and there is no `Authorization: Bearer` (RFC 6750 3.1). `{parameter}` is `authorization`.',
  invalid_token:
    "The access token is unknown, malformed, expired or revoked, by itself, with its login or with all of its owner's, or its client or member is disabled (G-13).",
  insufficient_scope:
    "The token is good, but not for this: a member's where a client's is asked for or the other way round, a lower level, a scope it does not hold, or one of `scope.restricted` that was not asked for (P-15).",
  server_error: 'Something failed that should not have; operators find it in the log (G-22).',
  temporarily_unavailable:
    'The store or the member directory cannot be reached, or the programme is under maintenance (G-22). The answer gets `Retry-After`; nothing is spent.',
};

/** Failures of login requests that are always shown as pages, in the order of the checks. */
export const pageOnlyFailureTexts: Readonly<Record<PageOnlyLoginFailure, string>> = {
  ambiguous_request:
    'The query cannot be decoded, or holds `client_id` or `redirect_uri` more than once.',
  missing_client_id: 'There is no `client_id` (G-6).',
  unknown_client:
    'The `client_id` does not have the shape of `client.identifier`, is unknown, or is disabled (G-6).',
  missing_redirect_uri:
    'There is no `redirect_uri`, and the client has several registered, or `authorize.redirect_uri` is `required`.',
  unregistered_redirect_uri: 'The `redirect_uri` is not registered, compared to the letter (G-7).',
  programme_mismatch: 'An input that `must_equal` `programme.identifier` names another (P-4).',
};

/** Failures checked after those above: each becomes a page or a redirect. */
export const redirectableFailureTexts: Readonly<Record<RedirectableLoginFailure, string>> = {
  repeated_parameter: 'Another input came more than once.',
  unknown_parameter: 'A parameter is no input of the endpoint, and it has `unknown: refuse`.',
  missing_parameter:
    'A required input is not there, or `code_challenge` where `pkce` asks for it (RFC 7636 4.4.1).',
  invalid_parameter:
    'An input does not fit its shape, format or allowed values, or a `code_challenge` came without `code_challenge_method=S256`.',
  invalid_header:
    'A header does not fit its shape or format: the user is told of difficulties on a page (P-13).',
  missing_response_type: 'The input `response_type` is required and not there.',
  unsupported_response_type: 'The `response_type` is none of its `allowed` values (G-5).',
  context_mismatch: "An input that `must_equal` something of the client's is not that.",
  invalid_scope: 'The scope does not exist.',
  login_required:
    'The request says `prompt=none`: a login is never without its page (OpenID Connect Core 3.1.2.6).',
  access_denied: 'The client does not have the role `member` (G-22).',
  server_error:
    'Something failed that should not have. Before the redirect URI is known, a page with `login.messages.difficulties` stands in for a redirect.',
  temporarily_unavailable:
    'The store cannot be reached, or the programme is under maintenance. A page stands in for a redirect as with `server_error`.',
};
