// Owns departures in what a dialect answers: how often it lets others guess (HOSTILE 65), how long its tokens
// live, and what standard clients or gateways would misunderstand.

import type { Definition } from '../language/definition.ts';
import { writtenValues } from '../language/value_tree.ts';
import type { Path } from '../lib/fault.ts';
import { grantTypes } from '../oauth/grant.ts';
import { type FailureReason, failureReasons, gatewayRefusals } from '../oauth/reasons.ts';
import { heldHeaders } from '../programme/requests/verify_headers.ts';
import { type Complaint, wrong } from '../schema/complaint.ts';

const day = 86_400_000;

/** Time enough for any client to try again. */
const usualGrace = 300_000;

/** By the stable name of the warning; the message cites the RFC, the hint says what limits the risk. */
export const answerDepartures: Readonly<
  Record<string, (definition: Definition) => Iterable<Complaint>>
> = {
  no_lockout: ({ login }) =>
    unlimited('login.lockout', login.lockout, 'wrong passwords for one username'),

  no_address_limit: ({ login }) =>
    unlimited('login.address_limit', login.address_limit, 'failed logins from one address'),

  no_failure_limit: ({ client: { authentication } }) =>
    unlimited(
      'client.authentication.failure_limit',
      authentication.failure_limit,
      'wrong secrets for one client',
    ),

  *long_access_tokens({ tokens, grants }) {
    const lifetimes: (readonly [Path, number | undefined])[] = [
      [['tokens', 'access', 'lifetime'], tokens.access.lifetime],
      ...grantTypes.map(
        (type) => [['grants', type, 'access_lifetime'], grants[type]?.access_lifetime] as const,
      ),
    ];
    for (const [at, lifetime = 0] of lifetimes) {
      yield* wrong([
        lifetime > day,
        at,
        'access tokens live for more than a day (RFC 9700 2.2.1)',
        'revocation and disabled clients count at every verification',
      ]);
    }
  },

  lasting_refresh_tokens: ({ tokens: { refresh }, grants }) =>
    wrong([
      refresh.rotation === 'off' && grants.refresh_token !== undefined,
      ['tokens', 'refresh', 'rotation'],
      'refresh tokens stay, so that the use of a stolen one is not noticed (RFC 9700 4.14.2)',
      'clients must prove themselves with each, and revoking it ends all tokens of its login',
    ]),

  own_refresh_token: ({ grants }) =>
    wrong([
      grants.client_credentials?.refresh_token === 'on',
      ['grants', 'client_credentials', 'refresh_token'],
      "a refresh token comes with a client's own token (RFC 6749 4.4.3)",
      'the client must prove itself with it, as for a new one',
    ]),

  long_grace: ({ tokens: { refresh }, grants }) =>
    wrong([
      refresh.grace > usualGrace && refresh.rotation === 'on' && grants.refresh_token !== undefined,
      ['tokens', 'refresh', 'grace'],
      'a refresh token that was used stays good for more than 5 minutes (RFC 9700 4.14.2)',
      'it is good no more once its successor was used',
    ]),

  access_token_elsewhere({ token_response }) {
    const { encoding, fields, name_case: nameCase, wrap } = token_response;
    const isPlain = encoding === 'json' && wrap.length === 0 && nameCase !== 'upper';
    return wrong([
      !isPlain || fields.get('access_token') !== 'access_token',
      ['token_response', 'fields'],
      'standard clients do not find access_token at the top of the answer (RFC 6749 5.1)',
      'partners of this programme need the client its document describes',
    ]);
  },

  *exposed_cookie({ token_response }) {
    for (const [name, cookie] of Object.entries(token_response.cookies)) {
      const at: Path = ['token_response', 'cookies', name];
      yield* wrong(
        [
          !cookie.http_only,
          [...at, 'http_only'],
          'scripts of a page can read the token in this cookie (RFC 6265bis 8.6)',
          'leave http_only out',
        ],
        [
          !cookie.secure,
          [...at, 'secure'],
          'browsers send the token in this cookie over plain http, too (RFC 6265bis 8.3)',
          'leave secure out',
        ],
        [
          cookie.same_site !== 'Strict',
          [...at, 'same_site'],
          'browsers send this cookie with requests that other sites cause (RFC 6265bis 8.2)',
          'whoever reads it must check Origin or a token of its own',
        ],
      );
    }
  },

  scope_untold: ({ scope, token_response }) =>
    wrong([
      scope.kind === 'list' &&
        scope.default !== undefined &&
        !writtenValues(token_response.fields).has('scope'),
      ['scope', 'default'],
      'answers do not tell the scope that was granted unasked (RFC 6749 3.3)',
      'add a field with scope to token_response.fields',
    ]),

  no_error_code: ({ errors }) =>
    wrong([
      !writtenValues(errors.fields).has('error'),
      ['errors', 'fields'],
      'answers that refuse do not say error (RFC 6749 5.2)',
      'each failure reason still has an answer of its own',
    ]),

  failures_as_success({ errors }) {
    const cheerful = failureReasons.filter((reason) => errors.reasons[reason].status < 400);
    return wrong([
      cheerful.length > 0,
      statusOf(cheerful[0]),
      `${cheerful.length} of ${failureReasons.length} failures are answered with a status of success (RFC 6749 5.2)`,
      'answers carry no-store, and none that refuses holds a token',
    ]);
  },

  no_challenge({ errors }) {
    const mute = failureReasons.find((reason) => {
      const { status, challenge, headers } = errors.reasons[reason];
      const own = Object.keys(headers).some((name) => name.toLowerCase() === 'www-authenticate');
      return status === 401 && challenge === undefined && !own;
    });
    return wrong([
      mute !== undefined,
      statusOf(mute),
      `the 401 of ${mute} does not say how to authenticate (RFC 9110 15.5.2)`,
      `give ${mute} a challenge`,
    ]);
  },

  /** Gateways read 401 and 403 as a refusal, and any other status as a failure of Jetway (C-4). */
  *gateway_status(definition) {
    const { reasons } = definition.errors;
    const comparisons = [...heldHeaders(definition).values()].map((input) => input.must_equal);
    const holdsContext = comparisons.some((held) => held !== 'programme.identifier');
    for (const reason of failureReasons) {
      const { status } = reasons[reason];
      const refuses =
        gatewayRefusals.has(reason) || (holdsContext && reason === 'context_mismatch');
      const fails = reason === 'server_error' || reason === 'temporarily_unavailable';
      yield* wrong(
        [
          // At `/verify` a success status is replaced by 401 or 403 anyway.
          refuses && status >= 400 && !isRefusal(status),
          statusOf(reason),
          `a gateway takes ${status} for an outage, and tells callers 503 for ${reason} (RFC 6750 3.1)`,
          `give ${reason} the status 401 or 403`,
        ],
        [
          fails && isRefusal(status),
          statusOf(reason),
          `a gateway takes ${status} for a refusal, and callers throw good tokens away at ${reason} (RFC 6750 3.1)`,
          `give ${reason} the status 503`,
        ],
      );
    }
  },
};

function unlimited(path: string, limit: unknown, what: string): Iterable<Complaint> {
  return wrong([
    limit === 'off',
    path.split('.'),
    `nothing limits ${what} (RFC 6749 10.10)`,
    'leave it out for the usual limit, unless something in front of Jetway has one',
  ]);
}

function statusOf(reason: FailureReason = 'server_error'): Path {
  return ['errors', 'reasons', reason, 'status'];
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}
