// Owns departures in answers that standard clients or gateways would misunderstand.

import type { Path } from '../../../lib/fault.ts';
import { type FailureReason, failureReasons, gatewayRefusals } from '../../../oauth/reasons.ts';
import { wrong } from '../../../schema/complaint.ts';
import { writtenValues } from '../../language/value_tree.ts';
import { heldHeaders } from '../../requests/verify_headers.ts';
import type { Departures } from './departure.ts';

export const answerDepartures: Departures = {
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

function statusOf(reason: FailureReason = 'server_error'): Path {
  return ['errors', 'reasons', reason, 'status'];
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}
