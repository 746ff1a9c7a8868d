// Owns what a partner is told of each failure: its cause, and what to do about it; the types keep the
// lists complete.

import type { FailureReason, LoginFailureReason } from '../../oauth/failure.ts';

export interface Advice {
  /** `{names}` are the parameters or headers that can be at fault. */
  readonly cause: string;
  readonly remedy: string;
}

const asDescribed = 'Send the request as this page describes it.';
const lookUp = 'Compare what you send with what you were given when you were registered.';
const askForHelp = 'Ask for help: see the end of this page.';
const again =
  'Send the same request again, after `Retry-After` seconds if the answer says so. Keep your tokens.';

export const failureAdvice: Readonly<Record<FailureReason, Advice>> = {
  method_not_allowed: {
    cause: 'The address does not answer this HTTP method.',
    remedy: 'Use a method that the `Allow` header of the answer names.',
  },
  unsupported_media_type: {
    cause: 'The `Content-Type` is missing, repeated, or not one that this address reads.',
    remedy: 'Send the body and the `Content-Type` of the examples.',
  },
  body_too_large: {
    cause: 'The body has more than 64 KiB.',
    remedy: asDescribed,
  },
  malformed_body: {
    cause: 'The query or the body cannot be decoded.',
    remedy: 'Encode parameters with a library, as the examples do.',
  },
  repeated_parameter: {
    cause: 'A parameter that this page or OAuth names came more than once.',
    remedy: 'Send each parameter once.',
  },
  unknown_parameter: {
    cause: 'A parameter is none of those that this page lists.',
    remedy: 'Leave it out.',
  },
  misplaced_parameter: {
    cause: 'A parameter came in the query instead of the body, or the other way round.',
    remedy: 'Send it where the examples have it.',
  },
  authentication_missing: {
    cause: 'The request does not say who you are: {names}.',
    remedy: 'Send your client identifier and secret as the examples do.',
  },
  authentication_malformed: {
    cause: 'The `Authorization` header has another scheme, came twice, or cannot be decoded.',
    remedy: 'Build it as the examples do.',
  },
  authentication_ambiguous: {
    cause: 'The secret came in the `Authorization` header and as {names}.',
    remedy: 'Send it in one place.',
  },
  missing_header: {
    cause: 'A header is missing: {names}.',
    remedy: 'Send it with every request.',
  },
  invalid_header: {
    cause: 'A header does not have the required form: {names}.',
    remedy: asDescribed,
  },
  programme_mismatch: {
    cause: 'The request names another programme: {names}.',
    remedy: lookUp,
  },
  client_authentication_failed: {
    cause:
      'The client identifier is unknown or disabled, or the secret or certificate is wrong. The answer never tells which.',
    remedy: `${lookUp} Each environment has its own.`,
  },
  client_mismatch: {
    cause: 'The request names another client than the one that authenticates: {names}.',
    remedy: 'Leave it out, or send your own client identifier.',
  },
  context_mismatch: {
    cause: 'A value is not the one registered for you: {names}.',
    remedy: lookUp,
  },
  missing_grant_type: {
    cause: 'The request does not say what it wants: {names}.',
    remedy: asDescribed,
  },
  unsupported_grant_type: {
    cause: 'There is no such kind of request at this address: {names}.',
    remedy: asDescribed,
  },
  grant_not_allowed: {
    cause: 'You are not registered for this kind of token.',
    remedy: askForHelp,
  },
  missing_parameter: {
    cause: 'A parameter is missing or empty: {names}.',
    remedy: asDescribed,
  },
  invalid_parameter: {
    cause: 'A parameter does not have the required form: {names}.',
    remedy: asDescribed,
  },
  invalid_scope: {
    cause: 'The scope does not exist, or is more than the login or you may have: {names}.',
    remedy: 'Ask for a scope that this page lists, or for none.',
  },
  throttled: {
    cause: 'You have made too many requests, or sent too many wrong secrets.',
    remedy:
      'Wait for the seconds in `Retry-After`, then send the same request again: nothing was used up.',
  },
  invalid_code: {
    cause:
      'The code was used before, is too old, is not yours, or the request says something else than its login request (redirect URI, PKCE verifier).',
    remedy:
      'Log the member in again. Never send a code twice: a second use ends the tokens of the first.',
  },
  invalid_refresh_token: {
    cause:
      'The refresh token has ended, was used before, was revoked, is not yours, or its member may not log in any more.',
    remedy: 'Delete it and log the member in again.',
  },
  invalid_member_credentials: {
    cause:
      'Username or password is wrong, or the member may not log in. The answer never tells which.',
    remedy: 'Ask the member again. Do not retry by program: too many failures lock the username.',
  },
  invalid_assertion: {
    cause:
      'The assertion is not signed by a key that is registered for you, has ended, was sent before, is meant for someone else, or names nobody you may have tokens for; or the access token to exchange has ended or is not yours.',
    remedy:
      'Make a new one for each request; compare its claims with this page and your clock with a time server.',
  },
  missing_api_key: {
    cause: 'The call needs your API key: {names}.',
    remedy: 'Send it.',
  },
  invalid_api_key: {
    cause:
      "The API key is unknown, has ended, is another environment's, came twice, or is not that of the token's client.",
    remedy: lookUp,
  },
  missing_token: {
    cause: 'The call needs an access token: {names}.',
    remedy: 'Send `Authorization: Bearer` and the token.',
  },
  invalid_token: {
    cause: 'The access token has ended, was revoked, or is none.',
    remedy: 'Refresh it, or get a new one.',
  },
  insufficient_scope: {
    cause:
      'The token is good, but not for this call: it is of the wrong kind, or the login was not strong enough.',
    remedy: 'Use the kind of token that the call asks for.',
  },
  server_error: {
    cause: 'Something failed on our side.',
    remedy: `${again} If it happens again, ask for help.`,
  },
  temporarily_unavailable: {
    cause: 'The service cannot answer for a while.',
    remedy: again,
  },
};

/** Of a page the member sees, only the member can tell you: it shows a reference. */
export const loginFailureAdvice: Readonly<Record<LoginFailureReason, Advice>> = {
  ambiguous_request: {
    cause: 'The link cannot be decoded, or names client or redirect URI twice.',
    remedy: 'Encode parameters with a library.',
  },
  missing_client_id: { cause: 'The link has no client identifier.', remedy: asDescribed },
  unknown_client: {
    cause: 'The client identifier is unknown or disabled.',
    remedy: `${lookUp} Each environment has its own.`,
  },
  missing_redirect_uri: {
    cause: 'The link has no redirect URI, and it is not clear which one is meant.',
    remedy: 'Send one that is registered for you.',
  },
  unregistered_redirect_uri: {
    cause: 'The redirect URI is not registered for you, to the letter.',
    remedy: 'Send a registered one, or have this one registered.',
  },
  programme_mismatch: { cause: 'The link names another programme: {names}.', remedy: lookUp },
  repeated_parameter: failureAdvice.repeated_parameter,
  unknown_parameter: failureAdvice.unknown_parameter,
  missing_parameter: { cause: 'A parameter is missing: {names}.', remedy: asDescribed },
  invalid_parameter: {
    cause: 'A parameter does not have the required form: {names}.',
    remedy: asDescribed,
  },
  invalid_header: {
    cause: 'A header does not have the required form: {names}.',
    remedy: 'Let the browser or your proxy send a correct one, or none.',
  },
  missing_response_type: { cause: 'A parameter is missing: {names}.', remedy: asDescribed },
  unsupported_response_type: { cause: 'The value of {names} is not offered.', remedy: asDescribed },
  context_mismatch: failureAdvice.context_mismatch,
  invalid_scope: {
    cause: 'The scope does not exist: {names}.',
    remedy: 'Ask for a scope that this page lists, or for none.',
  },
  login_required: {
    cause: '`prompt=none` asks for a login without a page, and there is none.',
    remedy: 'Send the member without `prompt=none`.',
  },
  access_denied: { cause: 'You are not registered to log members in.', remedy: askForHelp },
  server_error: {
    cause: 'Something failed on our side.',
    remedy: 'Let the member try again later. If it happens again, ask for help.',
  },
  temporarily_unavailable: {
    cause: 'The service cannot answer for a while.',
    remedy: 'Let the member try again later.',
  },
};
