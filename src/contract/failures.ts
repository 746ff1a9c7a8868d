// Owns what a contract promises of failed requests: the answer to each reason, in the dialect's words,
// and the parameters that can be at fault.

import { writtenValues } from '../language/value_tree.ts';
import { sentPrefix } from '../language/vocabularies.ts';
import { present } from '../lib/present.ts';
import type { FailureFacts } from '../oauth/failure.ts';
import { grantTypes } from '../oauth/grant.ts';
import { type FailureReason, failureReasons, grantFailures, isRetried } from '../oauth/reasons.ts';
import type { Programme } from '../programme/programme.ts';
import { foundAtCalls, foundAtTokens } from '../programme/sandbox.ts';
import { type Answers, bodyFormOf, encodingIn } from './answers.ts';
import {
  type Absent,
  sampleBudget,
  sampleSent,
  sampleTime,
  type Told,
  type Valuing,
  withoutChance,
} from './samples/answers.ts';

export interface Failure extends Answers {
  readonly reason: FailureReason;
  /**
   * Names of the parameters and headers that can be at fault: of requests to a token endpoint, and of
   * calls through a gateway; undefined where no such request can fail so.
   */
  readonly metBy: Readonly<Record<'partner' | 'caller', readonly string[] | undefined>>;
  /** The answer where this parameter is at fault. */
  readonly tell: (parameter: string | undefined) => Told;
}

/** The name of a parameter at fault, with what a dialect may leave out of it. */
const sampleParameter = 'sample-parameter';

/** Seconds, for the reasons that tell when to try again. */
const retryAfter = 5;

/**
 * The answer to each failure that a request to an offered grant can have.
 *
 * @param form the one that the request has chosen; the usual one if left out
 */
export function failuresOf(programme: Programme, form?: string): readonly Failure[] {
  const { errors } = programme.layouts;
  const found = {
    partner: namesByReason(programme.tokenEndpoints.flatMap(foundAtTokens)),
    caller: namesByReason(foundAtCalls(programme.verification)),
  };
  return offeredReasons(programme).map((reason) => {
    const told = writtenValues(errors.fields, reason);
    return {
      reason,
      metBy: {
        partner: found.partner.get(reason),
        caller: found.caller.get(reason),
      },
      form: bodyFormOf(encodingIn(programme, form) ?? errors.encoding),
      before: form === undefined ? errors.before : undefined,
      mayHold: [
        ...(told.has('parameter') ? ['parameter'] : []),
        ...[...told].filter((name) => name.startsWith(sentPrefix)),
        ...(reason === 'invalid_scope' && told.has('scope') ? ['scope'] : []),
      ],
      render: (absent) => render(programme, reason, absent, { form }),
      tell: (parameter) =>
        render(programme, reason, new Set(), present({ parameter, valuing: 'fitting', form })),
    };
  });
}

function render(
  programme: Programme,
  reason: FailureReason,
  absent: Absent,
  {
    parameter = sampleParameter,
    valuing = 'digits',
    form,
  }: {
    readonly parameter?: string;
    readonly valuing?: Valuing;
    readonly form?: string | undefined;
  } = {},
): Told {
  const written = [...writtenValues(programme.layouts.errors.fields, reason)];
  return withoutChance(() =>
    programme.renderFailure(reason, {
      at: sampleTime,
      form,
      sent: sampleSent(programme, written, absent, valuing),
      ...(absent.has('parameter') ? {} : { parameter }),
      ...(reason === 'invalid_scope' && !absent.has('scope') ? { scope: 'SCOPE' } : {}),
      ...(isRetried(reason) ? { retryAfter } : {}),
      ...(reason === 'throttled' ? { budget: sampleBudget } : {}),
    }),
  );
}

/** The answer to a reason for which no parameter is at fault. */
export function failureAnswer(programme: Programme, reason: FailureReason): Told {
  return render(programme, reason, new Set(), { valuing: 'fitting' });
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

/** Leaves out the failures of grants that are not offered, and of resources where none is read. */
function offeredReasons({ grants, tokenEndpoints }: Programme): readonly FailureReason[] {
  const named = new Set(
    tokenEndpoints.flatMap(({ reading }) =>
      reading.inputs.flatMap(({ whenMissing, whenInvalid, whenUnequal }) => [
        whenMissing,
        whenInvalid,
        whenUnequal,
      ]),
    ),
  );
  const others = new Set<FailureReason>([
    'invalid_target',
    ...grantTypes.flatMap((type) => (grants.has(type) ? [] : (grantFailures[type] ?? []))),
  ]);
  return failureReasons.filter((reason) => !others.has(reason) || named.has(reason));
}

/** The names of the parameters at fault by reason, of every failure that was found. */
export function namesByReason<Reason>(
  found: readonly (readonly [Reason, FailureFacts])[],
): ReadonlyMap<Reason, readonly string[]> {
  const names = new Map<Reason, readonly string[]>();
  for (const [reason, { parameter }] of found) {
    names.set(reason, [
      ...(names.get(reason) ?? []),
      ...(parameter === undefined ? [] : [parameter]),
    ]);
  }
  return new Map([...names].map(([reason, all]) => [reason, [...new Set(all)]]));
}
