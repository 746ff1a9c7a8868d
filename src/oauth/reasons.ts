// Owns the closed list of reasons for which a request can fail: what each one means, the code of RFC 6749
// that it goes by, its answer unless a dialect words another, and what operators and partners are told of it.

import type { GrantType } from './grant.ts';

/** What is told of one reason. Texts are Markdown. */
export interface ReasonText {
  /** For operators: when a request fails so. `{parameter}` in it is the value of that name. */
  readonly text: string;
  /** For partners. `{names}` stands for the parameters or headers that can be at fault. */
  readonly cause: string;
  /** For partners: what to do about it. */
  readonly remedy: string;
}

interface Reason extends ReasonText {
  /** The error code of RFC 6749 5.2 that is said of it; left out where the reason is a code itself. */
  readonly code?: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unauthorized_client';
  /** What its usual answer has besides status 400 and `code`, or the reason itself as the error code. */
  readonly answer?: Partial<UsualAnswer>;
  /** The grants whose code, token or password is no good then. */
  readonly grants?: readonly GrantType[];
  /**
   * The status that tells a gateway not to let a request pass: nginx takes any other for an outage
   * (RFC 6750 3.1).
   */
  readonly gatewayStatus?: 401 | 403;
  /** The answer says when another try may succeed. */
  readonly isRetried?: true;
}

/** The answer of a dialect that does not word the reason, by the keys of a file. */
export interface UsualAnswer {
  readonly status: number;
  readonly error: string;
  readonly error_description?: string;
  readonly challenge?: 'basic' | 'bearer';
}

// Words for partners that several reasons share.
export const asDescribed = 'Send the request as this page describes it.';
export const lookUp = 'Compare what you send with what you were given when you were registered.';
export const askForHelp = 'Ask for help: see the end of this page.';
const again =
  'Send the same request again, after `Retry-After` seconds if the answer says so. Keep your tokens.';

/**
 * Why a token request or a gateway's request was refused, in the order of the checks (C-8). The list is
 * closed: code can raise no other.
 */
export const reasons = {
  method_not_allowed: {
    text: "The method is none of the endpoint's `methods`. The answer gets an `Allow` header.",
    cause: 'The address does not answer this HTTP method.',
    remedy: 'Use a method that the `Allow` header of the answer names.',
    answer: { status: 405, error: 'invalid_request', error_description: 'method not allowed' },
  },
  unsupported_media_type: {
    text: 'An endpoint that reads a body got another `Content-Type`, none, several, or a charset that does not hold ASCII as it is, or is not known (G-9). `{parameter}` is `content-type`.',
    cause: 'The `Content-Type` is missing, repeated, or not one that this address reads.',
    remedy: 'Send the body and the `Content-Type` of the examples.',
    answer: { error: 'invalid_request', error_description: 'the Content-Type is not read here' },
  },
  body_too_large: {
    text: 'The body holds more than 64 KiB.',
    cause: 'The body has more than 64 KiB.',
    remedy: asDescribed,
    answer: {
      status: 413,
      error: 'invalid_request',
      error_description: 'the request body is too large',
    },
  },
  malformed_body: {
    text: 'Query or body cannot be decoded: broken percent-encoding or UTF-8, no JSON object, a text in JSON with half a surrogate pair (`"\\ud800"`), an input in JSON that is neither text, a whole number, `true`, `false` nor `null`, more than 100 parameters, more than 2000 values in JSON.',
    cause: 'The query or the body cannot be decoded.',
    remedy: 'Encode parameters with a library, as the examples do.',
    code: 'invalid_request',
    answer: { error_description: 'the parameters could not be decoded' },
  },
  repeated_parameter: {
    text: 'A declared parameter, or one that Jetway knows, came more than once, and the endpoint has `repeated: refuse`. A header that came twice is `invalid_header`.',
    cause: 'A parameter that this page or OAuth names came more than once.',
    remedy: 'Send each parameter once.',
    code: 'invalid_request',
    answer: { error_description: '{parameter} is repeated' },
  },
  unknown_parameter: {
    text: 'A parameter is no input of the endpoint, and it has `unknown: refuse`.',
    cause: 'A parameter is none of those that this page lists.',
    remedy: 'Leave it out.',
    code: 'invalid_request',
    answer: { error_description: '{parameter} is not a known parameter' },
  },
  misplaced_parameter: {
    text: 'An input that is read from the body came in the query, or the other way round.',
    cause: 'A parameter came in the query instead of the body, or the other way round.',
    remedy: 'Send it where the examples have it.',
    code: 'invalid_request',
    answer: { error_description: '{parameter} must be sent in another place' },
  },
  authentication_missing: {
    text: 'There are no credentials in any place that the dialect reads (G-16, P-11). `{parameter}` is `authorization`. If no header is read, it is the wire name of what is missing of `client_id` and `client_secret`, or `client_certificate` if only certificates are read. If a `client_secret` came without `client_id`, it is the latter in every dialect.',
    cause: 'The request does not say who you are: {names}.',
    remedy: 'Send your client identifier and secret as the examples do.',
    code: 'invalid_client',
    answer: { status: 401, challenge: 'basic' },
  },
  authentication_malformed: {
    text: 'The `Authorization` header has another scheme, came twice, is longer than 4096 characters, or does not decode to identifier, colon and secret.',
    cause: 'The `Authorization` header has another scheme, came twice, or cannot be decoded.',
    remedy: 'Build it as the examples do.',
    code: 'invalid_client',
    answer: { status: 401, challenge: 'basic' },
  },
  authentication_ambiguous: {
    text: 'Header and `client_secret` came in one request (RFC 6749 2.3). Only an endpoint that declares that input has this failure.',
    cause: 'The secret came in the `Authorization` header and as {names}.',
    remedy: 'Send it in one place.',
    code: 'invalid_request',
    answer: { error_description: 'more than one authentication method was used' },
  },
  missing_header: {
    text: 'A required header is not there (P-11).',
    cause: 'A header is missing: {names}.',
    remedy: 'Send it with every request.',
    answer: { error: 'invalid_request', error_description: '{parameter} header is missing' },
  },
  invalid_header: {
    text: 'A header does not fit its shape, format or allowed values (P-6).',
    cause: 'A header does not have the required form: {names}.',
    remedy: asDescribed,
    answer: { error: 'invalid_request', error_description: '{parameter} header is invalid' },
  },
  programme_mismatch: {
    text: 'An input that `must_equal` `programme.identifier` names another (P-4).',
    cause: 'The request names another programme: {names}.',
    remedy: lookUp,
    answer: { error: 'invalid_request', error_description: '{parameter} names another programme' },
  },
  client_authentication_failed: {
    text: 'The client is unknown or disabled, or its secret or certificate is wrong. There is one answer for all (G-17).',
    cause:
      'The client identifier is unknown or disabled, or the secret or certificate is wrong. The answer never tells which.',
    remedy: `${lookUp} Each environment has its own.`,
    code: 'invalid_client',
    answer: { status: 401, challenge: 'basic' },
  },
  client_mismatch: {
    text: 'An input that `must_equal` `client.id` is not the client that authenticated (P-11).',
    cause: 'The request names another client than the one that authenticates: {names}.',
    remedy: 'Leave it out, or send your own client identifier.',
    answer: {
      error: 'invalid_request',
      error_description: '{parameter} is not the authenticated client',
    },
  },
  context_mismatch: {
    text: "An input that `must_equal` the client's business context, partner id, API key or a property is not (P-4).",
    cause: 'A value is not the one registered for you: {names}.',
    remedy: lookUp,
    answer: {
      error: 'invalid_request',
      error_description: '{parameter} is not that of this client',
    },
  },
  missing_grant_type: {
    text: 'There is no `grant_type`, and it is required, or the endpoint serves several grants.',
    cause: 'The request does not say what it wants: {names}.',
    remedy: asDescribed,
    code: 'invalid_request',
    answer: { error_description: '{parameter} is missing' },
  },
  unsupported_grant_type: {
    text: 'No grant at this endpoint has that `grant_type` (G-14).',
    cause: 'There is no such kind of request at this address: {names}.',
    remedy: asDescribed,
  },
  grant_not_allowed: {
    text: "The client does not have the grant's role (G-20, P-11).",
    cause: 'You are not registered for this kind of token.',
    remedy: askForHelp,
    code: 'unauthorized_client',
  },
  missing_parameter: {
    text: 'A required parameter, or one the grant needs, is not there (G-15).',
    cause: 'A parameter is missing or empty: {names}.',
    remedy: asDescribed,
    code: 'invalid_request',
    answer: { error_description: '{parameter} is missing' },
  },
  invalid_parameter: {
    text: 'A parameter does not fit its shape, format or allowed values.',
    cause: 'A parameter does not have the required form: {names}.',
    remedy: asDescribed,
    code: 'invalid_request',
    answer: { error_description: '{parameter} is invalid' },
  },
  invalid_scope: {
    text: 'The scope does not exist, or is more than the login or client may have. The value `scope` is the one that was asked for (P-10).',
    cause: 'The scope does not exist, or is more than the login or you may have: {names}.',
    remedy: 'Ask for a scope that this page lists, or for none.',
  },
  invalid_target: {
    text: 'The `resource` is none of `resources`, came more than once, or is not the one that the login or token has already (RFC 8707 2).',
    cause: 'The resource is not offered, not yours, or not the one of your token: {names}.',
    remedy: 'Ask for one that this page lists, for the one that the login asked for, or for none.',
    answer: { error_description: '{parameter} is not a resource for this token' },
  },
  throttled: {
    text: 'The client has made as many requests as `throttle` allows (G-18). The answer gets `Retry-After`; nothing is spent.',
    cause: 'You have made too many requests, or sent too many wrong secrets.',
    remedy:
      'Wait for the seconds in `Retry-After`, then send the same request again: nothing was used up.',
    answer: {
      status: 429,
      error: 'temporarily_unavailable',
      error_description: 'too many requests',
    },
    isRetried: true,
  },
  invalid_code: {
    text: "The code is unknown, expired, used before, another client's, or bound to another redirect URI or `code_verifier` (G-21). A replay by its own client revokes what it was exchanged for.",
    cause:
      'The code was used before, is too old, is not yours, or the request says something else than its login request (redirect URI, PKCE verifier).',
    remedy:
      'Log the member in again. Never send a code twice: a second use ends the tokens of the first.',
    code: 'invalid_grant',
    grants: ['authorization_code'],
  },
  invalid_refresh_token: {
    text: "The refresh token is unknown, expired, revoked, used before, another client's, or its member is no longer active (G-19, G-23). Reuse after `grace` revokes the login's tokens.",
    cause:
      'The refresh token has ended, was used before, was revoked, is not yours, or its member may not log in any more.',
    remedy: 'Delete it and log the member in again.',
    code: 'invalid_grant',
    grants: ['refresh_token'],
  },
  invalid_member_credentials: {
    text: 'The directory knows no member with that username and password, or the member may not log in (the grant `password`, P-9). Which of these is never told.',
    cause:
      'Username or password is wrong, or the member may not log in. The answer never tells which.',
    remedy: 'Ask the member again. Do not retry by program: too many failures lock the username.',
    code: 'invalid_grant',
    grants: ['password'],
  },
  invalid_assertion: {
    text: 'The assertion is no JWT of a client of the programme that is good now, or it names nobody for whom the grant gives tokens (RFC 7523 3.1). With `token_exchange`: the token to exchange is no live access token of the client (RFC 8693 2.2.2). Which of these is never told.',
    cause:
      'The assertion is not signed by a key that is registered for you, has ended, was sent before, is meant for someone else, or names nobody you may have tokens for; or the access token to exchange has ended or is not yours.',
    remedy:
      'Make a new one for each request; compare its claims with this page and your clock with a time server.',
    code: 'invalid_grant',
    grants: ['token_exchange', 'jwt_bearer'],
  },
  missing_api_key: {
    text: 'A gateway asked for mode `none` or for the floor `key`, and there is no API key (C-4). `{parameter}` is the header in `verify.api_key_header`.',
    cause: 'The call needs your API key: {names}.',
    remedy: 'Send it.',
    answer: {
      error: 'invalid_client',
      error_description: '{parameter} header is missing',
      challenge: 'bearer',
    },
    gatewayStatus: 401,
  },
  invalid_api_key: {
    text: "The API key is unknown, expired, another environment's, sent twice, its client is disabled, or a token beside it is another client's.",
    cause:
      "The API key is unknown, has ended, is another environment's, came twice, or is not that of the token's client.",
    remedy: lookUp,
    answer: { error: 'invalid_client', challenge: 'bearer' },
    gatewayStatus: 401,
  },
  missing_token: {
    text: 'A gateway asked for mode `member` or `client`, and there is no `Authorization: Bearer` (RFC 6750 3.1). `{parameter}` is `authorization`.',
    cause: 'The call needs an access token: {names}.',
    remedy: 'Send `Authorization: Bearer` and the token.',
    answer: {
      error: 'invalid_request',
      error_description: '{parameter} header is missing',
      challenge: 'bearer',
    },
    gatewayStatus: 401,
  },
  invalid_token: {
    text: "The access token is unknown, malformed, expired or revoked, by itself, with its login or with all of its owner's, or its client or member is disabled (G-13).",
    cause: 'The access token has ended, was revoked, or is none.',
    remedy: 'Refresh it, or get a new one.',
    answer: { challenge: 'bearer' },
    gatewayStatus: 401,
  },
  insufficient_scope: {
    text: "The token is good, but not for this call (P-15). It is a member's and the call needs a client's, or the other way round; its level is lower; it lacks the scope; or it has one of `scope.restricted` that the call did not ask for.",
    cause:
      'The token is good, but not for this call: it is of the wrong kind, or the login was not strong enough.',
    remedy: 'Use the kind of token that the call asks for.',
    answer: { challenge: 'bearer' },
    gatewayStatus: 403,
  },
  server_error: {
    text: 'Something failed that should not have; operators find it in the log (G-22).',
    cause: 'Something failed on our side.',
    remedy: `${again} If it happens again, ask for help.`,
    answer: { status: 500 },
  },
  temporarily_unavailable: {
    text: 'The store or the member directory cannot be reached, or the programme is under maintenance (G-22). The answer gets `Retry-After`; nothing is spent.',
    cause: 'The service cannot answer for a while.',
    remedy: again,
    answer: { status: 503 },
    isRetried: true,
  },
} as const satisfies Readonly<Record<string, Reason>>;

export type FailureReason = keyof typeof reasons;

const rows: Readonly<Record<FailureReason, Reason>> = reasons;

/** What a partner is told of a reason. */
export type Advice = Pick<ReasonText, 'cause' | 'remedy'>;

export function adviceOf(reason: FailureReason): Advice {
  const { cause, remedy } = reasons[reason];
  return { cause, remedy };
}

/** The answer to a reason of which a dialect says nothing. */
export function usualAnswer(reason: FailureReason): UsualAnswer {
  const { gatewayStatus = 400, code = reason, answer } = rows[reason];
  return { status: gatewayStatus, error: code, ...answer };
}

/** In the order of the checks (C-8). */
export const failureReasons = Object.keys(reasons) as readonly FailureReason[];

/** Reasons by the code of RFC 6749 5.2 that is said of them. */
export const reasonsByCode: Readonly<Record<string, readonly FailureReason[]>> = Object.fromEntries(
  Map.groupBy(
    failureReasons.filter((reason) => rows[reason].code !== undefined),
    (reason) => rows[reason].code ?? '',
  ),
);

/** The failure of a grant whose code, token or password is no good. */
export const grantFailures: Readonly<Partial<Record<GrantType, FailureReason>>> =
  Object.fromEntries(
    failureReasons.flatMap((reason) => (rows[reason].grants ?? []).map((grant) => [grant, reason])),
  );

/** The reasons by which a gateway recognises a refusal, with their statuses. */
export const gatewayRefusals: ReadonlyMap<FailureReason, 401 | 403> = new Map(
  failureReasons.flatMap((reason) => {
    const { gatewayStatus } = rows[reason];
    return gatewayStatus === undefined ? [] : [[reason, gatewayStatus]];
  }),
);

export function isRetried(reason: FailureReason): boolean {
  return rows[reason].isRetried === true;
}
