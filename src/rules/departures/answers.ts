// Owns departures in what a dialect answers: how often it lets others guess (HOSTILE 65), how long its tokens
// live, and what standard clients or gateways would misunderstand.

import { readsHeader } from '../../language/client_schema.ts';
import type { Definition } from '../../language/definition.ts';
import { type Field, type NameCase, writtenValues } from '../../language/value_tree.ts';
import type { Path } from '../../lib/fault.ts';
import {
  type FailureReason,
  failureReasons,
  gatewayRefusals,
  grantFailures,
  reasonsByCode,
} from '../../oauth/reasons.ts';
import { offeredGrants } from '../../programme/requests/grant_places.ts';
import { heldHeaders } from '../../programme/requests/verify_headers.ts';
import { wrong } from '../../schema/faults.ts';
import type { JoinedDeparture } from './departure.ts';

/** Time enough for any client to try again. */
const usualGrace = 300_000;

/** By the stable name of the warning. */
export const answerDepartures: Readonly<Record<string, JoinedDeparture>> = {
  long_grace: {
    keys: ['tokens.refresh.grace', 'tokens.refresh.rotation'],
    find: ({ tokens: { refresh }, grants }) =>
      wrong([
        refresh.grace > usualGrace &&
          refresh.rotation === 'on' &&
          grants.refresh_token !== undefined,
        ['tokens', 'refresh', 'grace'],
        'a refresh token that was used stays good for more than 5 minutes (RFC 9700 4.14.2)',
        'it is good no more once its successor was used',
      ]),
  },

  access_token_elsewhere: {
    keys: [
      'token_response.fields',
      'token_response.wrap',
      'token_response.name_case',
      'token_response.encoding',
    ],
    find({ token_response }) {
      const { encoding, fields, name_case: nameCase, wrap } = token_response;
      const isPlain = encoding === 'json' && wrap.length === 0 && nameCase !== 'upper';
      return wrong([
        !isPlain || fields.get('access_token') !== 'access_token',
        ['token_response', 'fields'],
        'standard clients do not find access_token at the top of the answer (RFC 6749 5.1)',
        'partners of this programme need the client its document describes',
      ]);
    },
  },

  no_token_type: {
    isQuiet: true,
    keys: ['token_response.fields'],
    find: ({ token_response: { fields } }) => {
      const field = fields.get('token_type');
      const word = typeof field === 'object' && 'constant' in field ? field.constant : undefined;
      return wrong([
        String(word).toLowerCase() !== 'bearer',
        ['token_response', 'fields'],
        'answers do not say that token_type is bearer (RFC 6749 5.1, OpenID Connect Core 3.1.3.3)',
        'add token_type: { constant: bearer }',
      ]);
    },
  },

  id_token_elsewhere: {
    isQuiet: true,
    keys: ['id_token', 'token_response.fields', 'token_response.wrap'],
    find: ({ id_token: identity, token_response: { fields, wrap } }) =>
      wrong([
        identity !== undefined &&
          (wrap.length > 0 || nameOf(fields.get('id_token')) !== 'id_token'),
        ['token_response', 'fields'],
        'standard clients do not find id_token at the top of the answer (OpenID Connect Core 3.1.3.3)',
        'add id_token: id_token',
      ]),
  },

  identity_algorithm: {
    keys: ['id_token', 'tokens.access.algorithm'],
    find: ({ id_token: identity, tokens: { access } }) =>
      wrong([
        identity !== undefined && access.algorithm !== 'RS256',
        ['tokens', 'access', 'algorithm'],
        `identity tokens are signed with ${access.algorithm}, not with RS256 (OpenID Connect Core 15.1, OpenID Connect Discovery 3)`,
        'clients that know RS256 alone refuse them; metadata names the algorithm',
      ]),
  },

  no_issued_token_type: {
    isQuiet: true,
    keys: ['grants.token_exchange', 'token_response.fields'],
    find: ({ grants, token_response: { fields } }) =>
      wrong([
        grants.token_exchange !== undefined &&
          nameOf(fields.get('issued_token_type')) !== 'issued_token_type',
        ['token_response', 'fields'],
        'the answer to an exchange does not say issued_token_type (RFC 8693 2.2.1)',
        'add issued_token_type: issued_token_type, which is absent with other grants',
      ]),
  },

  exchange_error: {
    isQuiet: true,
    keys: ['grants.token_exchange', 'error_answer.error'],
    find: ({ grants, errors }) =>
      wrong([
        grants.token_exchange !== undefined &&
          errors.reasons.invalid_assertion.error !== 'invalid_request',
        ['errors', 'reasons', 'invalid_assertion', 'error'],
        'a token that cannot be exchanged is not answered with invalid_request (RFC 8693 2.2.2)',
        'the same reason is for assertions, which are invalid_grant (RFC 7523 3.1)',
      ]),
  },

  level_untold: {
    isQuiet: true,
    keys: ['scope.kind', 'token_response.fields'],
    find: ({ scope, token_response }) =>
      wrong([
        scope.kind === 'level' && !writtenValues(token_response.fields).has('scope'),
        ['scope', 'kind'],
        'answers do not tell the level that was granted (RFC 6749 3.3 and 5.1)',
        'add a field with scope to token_response.fields',
      ]),
  },

  scope_untold: {
    keys: ['scope.default', 'token_response.fields'],
    find: ({ scope, token_response }) =>
      wrong([
        scope.kind === 'list' &&
          scope.default !== undefined &&
          !writtenValues(token_response.fields).has('scope'),
        ['scope', 'default'],
        'answers do not tell the scope that was granted unasked (RFC 6749 3.3)',
        'add a field with scope to token_response.fields',
      ]),
  },

  no_error_code: {
    keys: ['errors.fields'],
    find: ({ errors }) =>
      wrong([
        !writtenValues(errors.fields).has('error'),
        ['errors', 'fields'],
        'answers that refuse do not say error (RFC 6749 5.2)',
        'each failure reason still has an answer of its own',
      ]),
  },

  error_elsewhere: {
    isQuiet: true,
    keys: ['errors.fields', 'errors.encoding', 'errors.name_case'],
    find: ({ errors: { encoding, fields, name_case: nameCase } }) =>
      wrong([
        writtenValues(fields).has('error') &&
          (encoding !== 'json' || nameCase === 'upper' || nameOf(fields.get('error')) !== 'error'),
        ['errors', 'fields'],
        'standard clients do not find error at the top of an answer that refuses (RFC 6749 5.2)',
        'partners of this programme need the client its document describes',
      ]),
  },

  other_error_codes: {
    isQuiet: true,
    keys: ['error_answer.error', 'errors.text_case'],
    find: (definition) => {
      const { errors } = definition;
      const other = standardErrors(definition).filter(
        ([reason, code]) => cased(errors.reasons[reason].error, errors.text_case) !== code,
      );
      const [first] = other;
      const names = other.slice(1).map(([reason]) => reason);
      return wrong([
        first !== undefined && writtenValues(errors.fields).has('error'),
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
    keys: [
      'error_answer.error',
      'error_answer.error_description',
      'login_failure.error_description',
    ],
    find: ({ errors, authorize }) => {
      const told = writtenValues(errors.fields);
      const onRedirect = writtenValues(authorize.answer.more).has('error_description');
      const texts = [
        ...failureReasons.flatMap((reason) =>
          (['error', 'error_description'] as const).map(
            (key) =>
              [
                ['errors', 'reasons', reason, key],
                told.has(key) ? errors.reasons[reason][key] : undefined,
              ] as const,
          ),
        ),
        ...Object.entries(authorize.failures).map(
          ([reason, failure]) =>
            [
              ['authorize', 'failures', reason, 'error_description'],
              onRedirect && 'redirect' in failure ? failure.error_description : undefined,
            ] as const,
        ),
      ];
      const odd = texts.filter(([, text = '']) => !errorForm.test(text));
      return wrong([
        odd.length > 0,
        odd[0]?.[0] ?? [],
        `${odd.length === 1 ? 'a text holds' : `${odd.length} texts hold`} characters that an error may not (RFC 6749 4.1.2.1 and 5.2)`,
        'printable ASCII without " and \\ is allowed',
      ]);
    },
  },

  authentication_status: {
    isQuiet: true,
    keys: ['error_answer.status', 'client.authentication.methods'],
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
    keys: ['error_answer.challenge', 'error_answer.headers'],
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

  empty_metadata: {
    isQuiet: true,
    keys: ['metadata', 'scope.values', 'grants.authorization_code'],
    find: ({ metadata, scope, grants }) =>
      wrong([
        metadata === 'on' && (scope.values.length === 0 || grants.authorization_code === undefined),
        ['metadata'],
        'metadata holds a list without elements (RFC 8414 3.2, OpenID Connect Discovery 4.2)',
        'response_types_supported is required, also if there is no login',
      ]),
  },

  failures_as_success: {
    keys: ['error_answer.status'],
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
    keys: ['error_answer.status', 'error_answer.challenge', 'error_answer.headers'],
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

  /** Gateways read 401 and 403 as a refusal, and any other status as a failure of Jetway (C-4). */
  gateway_status: {
    keys: ['error_answer.status', 'input.must_equal'],
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

/** The value that a field names. */
function nameOf(field: Field | undefined): string | undefined {
  if (typeof field === 'string') return field;
  return field !== undefined && 'value' in field ? field.value : undefined;
}

function cased(text: string, nameCase: NameCase): string {
  if (nameCase === 'as_written') return text;
  return nameCase === 'upper' ? text.toUpperCase() : text.toLowerCase();
}

/** The code of RFC 6749 5.2 for each reason that a request to the programme can have. */
function standardErrors({ grants }: Definition): readonly (readonly [FailureReason, string])[] {
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
  ];
}

function statusOf(reason: FailureReason = 'server_error'): Path {
  return ['errors', 'reasons', reason, 'status'];
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}
