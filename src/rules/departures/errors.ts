// Owns departures in the answers to failures: what standard clients or gateways would misunderstand.

import { readsHeader } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import {
  fieldAtTop,
  type FieldTree,
  inCase,
  valueOf,
  writtenValues,
} from '../../language/value_tree.ts';
import type { Path } from '../../lib/fault.ts';
import {
  type FailureReason,
  failureReasons,
  gatewayRefusals,
  grantFailures,
  reasonsByCode,
} from '../../oauth/reasons.ts';
import { offeredGrants } from '../../programme/requests/grant_places.ts';
import { heldHeaders } from '../../programme/requests/verification.ts';
import { wrong } from '../../schema/faults.ts';
import type { JoinedDeparture } from './requests.ts';

/** By the stable name of the warning. */
export const errorDepartures: Readonly<Record<string, JoinedDeparture>> = {
  exchange_error: {
    isQuiet: true,
    when: ({ grants, errors }) =>
      grants.token_exchange !== undefined &&
      errors.reasons.invalid_assertion.error !== 'invalid_request',
    at: ['errors', 'reasons', 'invalid_assertion', 'error'],
    message:
      'a token that cannot be exchanged is not answered with invalid_request (RFC 8693 2.2.2)',
    hint: 'the same reason is for assertions, which are invalid_grant (RFC 7523 3.1)',
  },

  no_error_code: {
    when: ({ errors }) =>
      !tokenFailures.every((reason) => writtenValues(errors.fields, reason).has('error')),
    at: ['errors', 'fields'],
    message: 'answers that refuse do not say error (RFC 6749 5.2)',
    hint: 'each failure reason still has an answer of its own',
  },

  error_elsewhere: {
    isQuiet: true,
    when: ({ errors }) =>
      tokenFailures.some(
        (reason) =>
          writtenValues(errors.fields, reason).has('error') &&
          valueOf(fieldAtTop(errors, 'error', reason)) !== 'error',
      ),
    at: ['errors', 'fields'],
    message:
      'standard clients do not find error at the top of an answer that refuses (RFC 6749 5.2)',
    hint: 'partners of this programme need the client its document describes',
  },

  other_error_codes: {
    isQuiet: true,
    find: (definition) => {
      const { errors } = definition;
      const other = standardErrors(definition).filter(
        ([reason, code]) =>
          writtenValues(errors.fields, reason).has('error') &&
          inCase(errors.reasons[reason].error, errors.text_case) !== code,
      );
      const [first] = other;
      const names = other.slice(1).map(([reason]) => reason);
      return wrong([
        first !== undefined,
        ['errors', 'reasons', first?.[0] ?? '', 'error'],
        `error is not ${first?.[1]} for ${first?.[0]} (RFC 6749 5.2)`,
        names.length === 0
          ? 'standard clients take it for another failure'
          : `standard clients take it for another failure, and so ${names.join(', ')}`,
      ]);
    },
  },

  error_characters: {
    isQuiet: true,
    find: ({ errors, authorize }) => {
      const isOdd = (tree: FieldTree, reason: string, key: string, text = ''): boolean =>
        !errorForm.test(text) && writtenValues(tree, reason).has(key);
      const odd: readonly Path[] = [
        ...failureReasons.flatMap((reason) =>
          (['error', 'error_description'] as const)
            .filter((key) => isOdd(errors.fields, reason, key, errors.reasons[reason][key]))
            .map((key) => ['errors', 'reasons', reason, key]),
        ),
        ...Object.entries(authorize.failures).flatMap(([reason, failure]) => {
          const key = 'error_description';
          const text = 'redirect' in failure ? failure[key] : undefined;
          const isTold = isOdd(authorize.answer.more, reason, key, text);
          return isTold ? [['authorize', 'failures', reason, key]] : [];
        }),
      ];
      return wrong([
        odd.length > 0,
        odd[0] ?? [],
        `${odd.length === 1 ? 'a text holds' : `${odd.length} texts hold`} characters that an error may not (RFC 6749 4.1.2.1 and 5.2)`,
        'printable ASCII without " and \\ is allowed',
      ]);
    },
  },

  authentication_status: {
    isQuiet: true,
    find: ({ client: { authentication }, errors }) => {
      const other = (['authentication_malformed', 'client_authentication_failed'] as const).find(
        (reason) => errors.reasons[reason].status !== 401,
      );
      return wrong([
        readsHeader(authentication) && other !== undefined,
        statusOf(other),
        `a client that came with Authorization gets ${other === undefined ? '' : errors.reasons[other].status} for ${other}, not 401 (RFC 6749 5.2)`,
        'standard clients read error, which is the same',
      ]);
    },
  },

  no_bearer_challenge: {
    isQuiet: true,
    find: ({ errors }) => {
      const mute = (['missing_token', 'invalid_token', 'insufficient_scope'] as const).find(
        (reason) => {
          const { challenge, headers } = errors.reasons[reason];
          const own = Object.entries(headers).some(
            ([name, text]) => name.toLowerCase() === 'www-authenticate' && /^bearer /i.test(text),
          );
          return challenge !== 'bearer' && !own;
        },
      );
      return wrong([
        mute !== undefined,
        ['errors', 'reasons', mute ?? '', 'challenge'],
        `the answer of ${mute} has no challenge Bearer (RFC 6750 3)`,
        `give ${mute} the challenge bearer`,
      ]);
    },
  },

  failures_as_success: {
    find({ errors }) {
      const cheerful = failureReasons.filter((reason) => errors.reasons[reason].status < 400);
      return wrong([
        cheerful.length > 0,
        statusOf(cheerful[0]),
        `${cheerful.length} of ${failureReasons.length} failures are answered with a status of success (RFC 6749 5.2)`,
        'answers carry no-store, and none that refuses holds a token',
      ]);
    },
  },

  no_challenge: {
    find({ errors }) {
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
  },

  gateway_status: {
    *find(definition) {
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
  },
};

/** Printable ASCII without the two characters that a quoted text cannot hold. */
const errorForm = /^[ !#-[\]-~]*$/;

/** Reasons of token requests: those of gateways have no body of RFC 6749. */
const tokenFailures = failureReasons.filter((reason) => !gatewayRefusals.has(reason));

/** The code of RFC 6749 5.2 for each reason that a request to the programme can have. */
function standardErrors({
  grants,
  resources,
}: Definition): readonly (readonly [FailureReason, string])[] {
  const idle = new Set(Object.values(grantFailures));
  for (const type of offeredGrants({ grants })) {
    // RFC 8693 2.2.2 has another code for the same reason.
    const reason = type === 'token_exchange' ? undefined : grantFailures[type];
    if (reason !== undefined) idle.delete(reason);
  }
  const coded = Object.entries(reasonsByCode).flatMap(([code, reasons]) =>
    reasons.map((reason) => [reason, code] as const),
  );
  return [
    ...coded.filter(([reason]) => !idle.has(reason)),
    ['unsupported_grant_type', 'unsupported_grant_type'],
    ['invalid_scope', 'invalid_scope'],
    ...(resources.length > 0 ? [['invalid_target', 'invalid_target'] as const] : []),
  ];
}

function statusOf(reason: FailureReason = 'server_error'): Path {
  return ['errors', 'reasons', reason, 'status'];
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}
