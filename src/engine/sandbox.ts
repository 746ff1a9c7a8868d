// Owns the failures that partners force where a programme has a sandbox: which request gets one, and
// what is told of it. Nothing is read of the request but what it asks for, and the store is not asked.

import { milliseconds } from '../lib/clock.ts';
import type { Budget } from '../oauth/client.ts';
import { type FailureFacts, Refusal } from '../oauth/failure.ts';
import { jsonReply, type Reply } from '../oauth/reply.ts';
import type { RequestRecord } from '../oauth/request_record.ts';
import type { PossibleFailures, Asking, Sandbox } from '../programme/sandbox.ts';
import { outageRetryAfter } from './causes/trouble.ts';
import type { Service } from './service.ts';

/**
 * What a request forces instead of its answer: nothing, or the answer that there is no such failure.
 *
 * @throws Refusal the failure that it asks for
 */
export function forcedAnswer(
  service: Service,
  sandbox: Sandbox,
  request: Asking,
  failures: PossibleFailures = new Map(),
): Reply | undefined {
  const asked = sandbox.asked(request);
  if (asked === undefined) return undefined;
  request.record.isForced = true;
  const found = findForced(service, failures, asked);
  if (found !== undefined) throw new Refusal(found.reason, found.facts);
  return noSuchFailure(request.record, [...failures.keys()]);
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

/** To a request for a failure that the endpoint does not have: in no dialect's words, no client in earnest meets it. */
export function noSuchFailure(record: RequestRecord, failures: readonly string[]): Reply {
  const reason = 'unknown_sandbox_failure';
  record.failure = { reason, facts: {} };
  return jsonReply(400, {
    error: reason,
    error_description:
      'this request asks the sandbox for a failure that this endpoint does not have',
    failures,
  });
}
