// Owns the failures that partners force where a programme has a sandbox: which request gets one, and
// what is told of it. Nothing is read of the request but what it asks for, and the store is not asked.

import { milliseconds } from '../lib/clock.ts';
import type { Budget } from '../oauth/client.ts';
import { type FailureFacts, Refusal } from '../oauth/failure.ts';
import type { FailureReason } from '../oauth/reasons.ts';
import { jsonReply, type Reply } from '../oauth/reply.ts';
import type { RecordedFailure } from '../oauth/request_record.ts';
import type { PossibleFailures } from '../programme/requests/possible_failures.ts';
import type { Asking, Sandbox } from '../programme/sandbox.ts';
import { outageRetryAfter, type Steps } from './failure.ts';
import type { Service } from './service.ts';

/** Steps before which a request can force one of the failures that `failuresOf` names. */
export function forcing<Endpoint, Request extends Asking, Answer>(
  steps: Steps<Endpoint, Request, Answer>,
  failuresOf: (sandbox: Sandbox, endpoint: Endpoint) => PossibleFailures | undefined,
): Steps<Endpoint, Request, Answer | Reply> {
  // Not async, to cost requests nothing where there is no sandbox.
  return (service, endpoint, request) => {
    const { sandbox } = service;
    const asked = sandbox?.asked(request);
    if (sandbox === undefined || asked === undefined) return steps(service, endpoint, request);
    request.record.isForced = true;
    const failures = failuresOf(sandbox, endpoint) ?? new Map<FailureReason, FailureFacts>();
    const found = findForced(service, failures, asked);
    if (found !== undefined) return Promise.reject(new Refusal(found.reason, found.facts));
    request.record.failure = unknownFailure;
    return Promise.resolve(noSuchFailure([...failures.keys()]));
  };
}

/** Steps of an endpoint that is found by its path. */
export function forcingAt<Endpoint extends { readonly path: string }, Request extends Asking>(
  steps: Steps<Endpoint, Request, Reply>,
): Steps<Endpoint, Request, Reply> {
  return forcing(steps, (sandbox, { path }) => sandbox.failuresAt.get(path));
}

/** The failure that is asked for, with its facts; undefined where there is none of this name. */
export function findForced<Reason extends string>(
  service: Service,
  failures: PossibleFailures<Reason>,
  asked: string,
): { readonly reason: Reason; readonly facts: FailureFacts } | undefined {
  const reason = asked as Reason;
  const facts = failures.get(reason);
  return facts && { reason, facts: { ...facts, ...timesOf(service, reason) } };
}

/** A client that has just begun a window, and has used it up. */
function timesOf({ programme, clock }: Service, reason: string): FailureFacts {
  if (reason === 'temporarily_unavailable') return { retryAfter: outageRetryAfter };
  if (reason !== 'throttled') return {};
  const { throttle: limit, clients } = programme;
  const { window = usualWindow } = limit ?? clients.failureLimit ?? {};
  const retryAfter = window / 1000;
  if (limit === undefined) return { retryAfter };
  const budget: Budget = { limit, remaining: 0, at: clock.now(), resetAfter: milliseconds(window) };
  return { retryAfter, budget };
}

/** Where only clients with a limit of their own are throttled. */
const usualWindow = 60_000;

/** A request for a failure that the endpoint does not have. */
export const unknownFailure: RecordedFailure = Object.freeze({
  reason: 'unknown_sandbox_failure',
  facts: Object.freeze({}),
});

/** In no dialect's words: no client in earnest meets it. */
export function noSuchFailure(failures: readonly string[]): Reply {
  return jsonReply(400, {
    error: unknownFailure.reason,
    error_description:
      'this request asks the sandbox for a failure that this endpoint does not have',
    failures,
  });
}
