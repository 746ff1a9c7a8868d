// Owns what a contract promises of failed requests: the answer to each reason, in the dialect's words,
// and the parameters that can be at fault.

import { isHeaderMethod } from '../../oauth/client.ts';
import { type FailureReason, failureReasons, gatewayRefusals } from '../../oauth/failure.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { Definition } from '../language/definition.ts';
import { writtenValues } from '../language/value_tree.ts';
import type { Programme } from '../programme.ts';
import { type Answers, bodyFormOf, type Told } from './answers.ts';
import type { ReadingPromise } from './reading.ts';
import { type Absent, sampleBudget, sampleTime, withoutChance } from './samples.ts';

export interface FailurePromise extends Answers {
  readonly reason: FailureReason;
  /** Who can get it: partners at a token endpoint, whoever calls through a gateway; else nobody. */
  readonly metBy: readonly ('partner' | 'caller')[];
  /** Names of the parameters and headers that can be at fault, as they are told. */
  readonly parameters: readonly string[];
  /** The answer where this parameter is at fault. */
  readonly tell: (parameter: string | undefined) => Told;
}

/** The name of a parameter at fault, with what a dialect may leave out of it. */
const sampleParameter = 'sample-parameter';

/** Seconds, for the reasons that tell when to try again. */
const retryAfter = 5;
const retriedReasons: ReadonlySet<FailureReason> = new Set([
  'throttled',
  'temporarily_unavailable',
]);

/** The answer to each failure that a request to an offered grant can have. */
export function describeFailures(
  definition: Definition,
  programme: Programme,
  readings: readonly ReadingPromise[],
): readonly FailurePromise[] {
  const { errors } = definition;
  const met = metFailures(definition, programme, readings);
  return offeredReasons(definition).map((reason) => {
    const told = writtenValues(errors.fields, reason);
    return {
      reason,
      metBy: met.has(reason) ? [gatewayRefusals.has(reason) ? 'caller' : 'partner'] : [],
      parameters: [...new Set(met.get(reason))],
      form: bodyFormOf(errors.encoding),
      mayHold: [
        ...(told.has('parameter') ? ['parameter'] : []),
        ...(reason === 'invalid_scope' && told.has('scope') ? ['scope'] : []),
      ],
      render: (absent) => render(programme, reason, absent),
      tell: (parameter) => render(programme, reason, new Set(), parameter),
    };
  });
}

function render(
  programme: Programme,
  reason: FailureReason,
  absent: Absent,
  parameter = sampleParameter,
): Told {
  return withoutChance(() =>
    programme.renderFailure(reason, {
      at: sampleTime,
      ...(absent.has('parameter') ? {} : { parameter }),
      ...(reason === 'invalid_scope' && !absent.has('scope') ? { scope: 'SCOPE' } : {}),
      ...(retriedReasons.has(reason) ? { retryAfter } : {}),
      ...(reason === 'throttled' ? { budget: sampleBudget } : {}),
    }),
  );
}

/** The answers to a reason with and without a parameter at fault, for comparing reasons. */
export function renderings(programme: Programme, reason: FailureReason): string {
  const cases = [new Set<string>(), new Set(['parameter'])];
  return JSON.stringify(cases.map((absent) => render(programme, reason, absent)));
}

/** Whether the answer tells which parameter was at fault. */
export function tellsParameter(programme: Programme, reason: FailureReason): boolean {
  const [one, other] = ['a', 'b'].map((parameter) =>
    withoutChance(() => programme.renderFailure(reason, { parameter, at: sampleTime })),
  );
  return one?.body !== other?.body;
}

/** Leaves out the failures of grants that are not offered. */
function offeredReasons({ grants, token_endpoints }: Definition): readonly FailureReason[] {
  const named = new Set(
    Object.values(token_endpoints).flatMap(({ inputs }) =>
      Object.values(inputs).flatMap((input) => [
        input.when_missing,
        input.when_invalid,
        input.when_unequal,
      ]),
    ),
  );
  return failureReasons.filter((reason) => {
    const grant = grantOf[reason];
    return grant === undefined || grants[grant] !== undefined || named.has(reason);
  });
}

const grantOf: Readonly<Partial<Record<FailureReason, GrantType>>> = {
  invalid_code: 'authorization_code',
  invalid_refresh_token: 'refresh_token',
  invalid_member_credentials: 'password',
};

/** The reasons that some request meets, and the names of what can be at fault. */
function metFailures(
  definition: Definition,
  programme: Programme,
  readings: readonly ReadingPromise[],
): ReadonlyMap<FailureReason, readonly string[]> {
  const { methods } = definition.client.authentication;
  const { verification, throttle, clients, grants } = programme;
  const inputs = readings.flatMap((reading) => reading.inputs);
  const inHeader = methods.some(isHeaderMethod);
  const namesOf = (role: string): readonly string[] =>
    inputs.filter((input) => input.role === role).map(({ name }) => name);
  const credentials = inHeader
    ? ['authorization']
    : ['client_id', 'client_secret'].flatMap(namesOf);
  const ownNames = inputs.filter((input) => !input.inHeader).map(({ name }) => name);
  const isAny = (found: (reading: ReadingPromise) => boolean): boolean => readings.some(found);
  const always: readonly string[] = [];
  const rows: readonly (readonly [FailureReason, boolean, readonly string[]])[] = [
    ['method_not_allowed', true, always],
    ['unsupported_media_type', isAny(({ mediaTypes }) => mediaTypes.length > 0), ['content-type']],
    ['body_too_large', true, always],
    ['malformed_body', true, always],
    ['repeated_parameter', isAny(({ repeated }) => repeated === 'refuse'), ownNames],
    ['unknown_parameter', isAny(({ unknown }) => unknown === 'refuse'), ['other']],
    ['misplaced_parameter', ownNames.length > 0, ownNames],
    ['authentication_missing', true, credentials],
    ['authentication_malformed', inHeader, ['authorization']],
    [
      'authentication_ambiguous',
      inHeader && namesOf('client_secret').length > 0,
      namesOf('client_secret'),
    ],
    ['client_authentication_failed', true, always],
    ...inputs.flatMap((input) =>
      input.faults.map((fault) => [input.reasons[fault], true, [input.name]] as const),
    ),
    ['unsupported_grant_type', namesOf('grant_type').length > 0, namesOf('grant_type')],
    ['grant_not_allowed', true, always],
    ['invalid_scope', namesOf('scope').length > 0, namesOf('scope')],
    ['throttled', throttle !== undefined || clients.failureLimit !== undefined, always],
    ['missing_api_key', true, [verification.apiKeyHeader.toLowerCase()]],
    ['invalid_api_key', true, always],
    ['missing_token', true, ['authorization']],
    ['invalid_token', true, always],
    ['insufficient_scope', true, always],
    ['server_error', true, always],
    ['temporarily_unavailable', true, always],
    ...Object.entries(grantOf).map(
      ([reason, grant]) => [reason as FailureReason, grants.has(grant), always] as const,
    ),
  ];
  const met = new Map<FailureReason, readonly string[]>();
  for (const [reason, isMet, names] of rows) {
    if (isMet) met.set(reason, [...(met.get(reason) ?? []), ...names]);
  }
  return met;
}
