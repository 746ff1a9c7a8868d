// Owns what a contract tells of failed requests: the answer to each reason, in the dialect's words.

import { type FailureReason, failureReasons } from '../../oauth/failure.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { Definition } from '../language/definition.ts';
import { writtenValues } from '../language/value_tree.ts';
import type { Programme } from '../programme.ts';
import { answers, type BodyForm, type Item, type Told } from './item.ts';
import { type Absent, sampleBudget, sampleTime, withoutChance } from './samples.ts';

/** The name of a parameter at fault, with what a dialect may leave out of it. */
const sampleParameter = 'sample-parameter';

/** Seconds, for the reasons that tell when to try again. */
const retryAfter = 5;
const retried: ReadonlySet<FailureReason> = new Set(['throttled', 'temporarily_unavailable']);

/** The answer to each failure that some request can have. */
export function failureItems(definition: Definition, programme: Programme): readonly Item[] {
  const { errors } = definition;
  return reachableReasons(definition).map((reason) => {
    const told = writtenValues(errors.fields, reason);
    return answers(reason, {
      form: bodyFormOf(errors.encoding),
      mayHold: [
        ...(told.has('parameter') ? ['parameter'] : []),
        ...(reason === 'invalid_scope' && told.has('scope') ? ['scope'] : []),
      ],
      render: (absent) => render(programme, reason, absent),
    });
  });
}

function render(programme: Programme, reason: FailureReason, absent: Absent): Told {
  return withoutChance(() =>
    programme.renderFailure(reason, {
      at: sampleTime,
      ...(absent.has('parameter') ? {} : { parameter: sampleParameter }),
      ...(reason === 'invalid_scope' && !absent.has('scope') ? { scope: 'SCOPE' } : {}),
      ...(retried.has(reason) ? { retryAfter } : {}),
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

export function bodyFormOf(encoding: Definition['errors']['encoding']): BodyForm {
  return encoding === 'json' || encoding === 'form' ? encoding : 'text';
}

/** Leaves out the failures of grants that are not offered. */
function reachableReasons({ grants, token_endpoints }: Definition): readonly FailureReason[] {
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
