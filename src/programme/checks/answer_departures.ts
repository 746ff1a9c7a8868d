// Owns the warnings about what a dialect answers: where standard clients and gateways would not
// understand it.

import { failureReasons, gatewayRefusals } from '../../oauth/failure.ts';
import type { Departure } from '../../schema/complaint.ts';
import type { Definition } from '../language/definition.ts';
import { writtenValues } from '../language/value_tree.ts';
import { heldHeaders } from '../requests/verify_headers.ts';

export function* answerDepartures(definition: Definition): Iterable<Departure> {
  const { token_response, errors } = definition;
  const { encoding, fields, name_case: nameCase, wrap } = token_response;
  const isPlain = encoding === 'json' && wrap.length === 0 && nameCase !== 'upper';
  if (!isPlain || fields.get('access_token') !== 'access_token') {
    yield [
      ['token_response', 'fields'],
      'standard clients do not find access_token at the top of the answer',
      'RFC 6749 5.1',
      'partners of this programme need the client its document describes',
    ];
  }
  if (!writtenValues(errors.fields).has('error')) {
    yield [
      ['errors', 'fields'],
      'answers that refuse do not say error',
      'RFC 6749 5.2',
      'each failure reason still has an answer of its own',
    ];
  }
  const cheerful = failureReasons.filter((reason) => errors.reasons[reason].status < 400);
  const [first] = cheerful;
  if (first !== undefined) {
    yield [
      ['errors', 'reasons', first, 'status'],
      `${cheerful.length} of ${failureReasons.length} failures are answered with a status of success`,
      'RFC 6749 5.2',
      'answers carry no-store, and none that refuses holds a token',
    ];
  }
  const mute = failureReasons.find((reason) => {
    const { status, challenge, headers } = errors.reasons[reason];
    const own = Object.keys(headers).some((name) => name.toLowerCase() === 'www-authenticate');
    return status === 401 && challenge === undefined && !own;
  });
  if (mute !== undefined) {
    yield [
      ['errors', 'reasons', mute, 'status'],
      `the 401 of ${mute} does not say how to authenticate`,
      'RFC 9110 15.5.2',
      `give ${mute} a challenge`,
    ];
  }
  yield* gatewayDepartures(definition);
}

/** Gateways take 401 and 403 for a refusal, and any other status for an outage of Jetway (C-4). */
function* gatewayDepartures(definition: Definition): Iterable<Departure> {
  const { reasons } = definition.errors;
  const holdsContext = heldHeaders(definition)
    .values()
    .some(({ must_equal: held }) => held !== 'programme.identifier');
  const refusals = [
    ...gatewayRefusals.keys(),
    ...(holdsContext ? (['context_mismatch'] as const) : []),
  ];
  for (const reason of refusals) {
    const { status } = reasons[reason];
    // At verify a status of success is made one of these two in any case.
    if (status < 400 || isRefusal(status)) continue;
    yield [
      ['errors', 'reasons', reason, 'status'],
      `a gateway takes ${status} for an outage, and tells callers 503 for ${reason}`,
      'RFC 6750 3.1',
      `give ${reason} the status 401 or 403`,
    ];
  }
  for (const reason of ['server_error', 'temporarily_unavailable'] as const) {
    const { status } = reasons[reason];
    if (!isRefusal(status)) continue;
    yield [
      ['errors', 'reasons', reason, 'status'],
      `a gateway takes ${status} for a refusal, and callers throw good tokens away at ${reason}`,
      'RFC 6750 3.1',
      `give ${reason} the status 503`,
    ];
  }
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}
