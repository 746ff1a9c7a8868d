// Owns how a request fails: what is told to the caller, and what is logged for operators.

import type { Soon } from '../lib/pause.ts';
import type { ClientId } from '../oauth/client.ts';
import { HungUp, InMaintenance, Overloaded, Refusal, Unavailable } from '../oauth/failure.ts';
import type { FailureReason } from '../oauth/reasons.ts';
import type { Reply } from '../oauth/reply.ts';
import type { RecordedFailure, RequestRecord } from '../oauth/request_record.ts';
import type { Programme } from '../programme/programme.ts';
import type { PossibleFailures, Asking, Sandbox } from '../programme/sandbox.ts';
import { countWrongKey } from './authentication/wrong_key.ts';
import { inMaintenance, outage, outageRetryAfter, unexpected } from './causes/trouble.ts';
import { expectInService } from './maintenance.ts';
import { forcedAnswer } from './sandbox.ts';
import type { Service } from './service.ts';

/** A failure as the caller is told of it. */
export interface ReportedFailure extends RecordedFailure {
  readonly reason: FailureReason;
}

/** The ordered steps of an endpoint: they return its answer, or throw a failure. */
type Steps<Endpoint, Request, Answer> = (
  service: Service,
  endpoint: Endpoint,
  request: Request,
) => Soon<Answer>;

interface Failing<Endpoint, Request> {
  /** Which failures a request can force where the programme has a sandbox; it forces none if left out. */
  readonly forcible?: (sandbox: Sandbox, endpoint: Endpoint) => PossibleFailures | undefined;
  /** The error in the names of the endpoint's inputs; as it is if left out. */
  readonly named?: (error: unknown, endpoint: Endpoint) => unknown;
  readonly render?: (
    service: Service,
    failure: ReportedFailure,
    record: Pick<RequestRecord, 'sent' | 'form'>,
  ) => Reply;
  /** What is noted of a request before anything can fail; nothing if left out. */
  readonly begin?: (endpoint: Endpoint, request: Request) => void;
}

/**
 * An endpoint's answer: what its steps return, or the failure that they throw, rendered. No step is
 * taken in maintenance, or of a request that forces its failure. Rejects with `HungUp` alone: the caller
 * has closed the connection.
 */
export function answering<Endpoint, Request extends Asking, Answer>(
  steps: Steps<Endpoint, Request, Answer>,
  {
    forcible,
    named = (error) => error,
    render = renderFailure,
    begin,
  }: Failing<Endpoint, Request> = {},
): (service: Service, endpoint: Endpoint, request: Request) => Promise<Answer | Reply> {
  return async (service, endpoint, request) => {
    const { record } = request;
    const { sandbox } = service;
    try {
      record.step = 'service';
      begin?.(endpoint, request);
      const expected = expectInService(service);
      if (expected instanceof Promise) await expected;
      const forced =
        forcible && sandbox && forcedAnswer(service, sandbox, request, forcible(sandbox, endpoint));
      const answer = forced ?? steps(service, endpoint, request);
      return answer instanceof Promise ? await answer : answer;
    } catch (error) {
      await keepClaim(service, record);
      if (record.hasWrongKey) await countWrongKey(service, record);
      const failure = reportFailure(service, named(error, endpoint), record);
      record.failure = failure;
      return render(service, failure, record);
    }
  };
}

/** Of an endpoint that is found by its path. */
export function forcibleAt(
  sandbox: Sandbox,
  { path }: { readonly path: string },
): PossibleFailures | undefined {
  return sandbox.failuresAt.get(path);
}

/** The failure in the dialect's words. */
export function renderFailure(
  { programme }: Service,
  { reason, facts }: ReportedFailure,
  { sent, form }: Partial<Pick<RequestRecord, 'sent' | 'form'>> = {},
): Reply {
  const isUsual = sent === undefined && form === undefined;
  return programme.renderFailure(reason, isUsual ? facts : { ...facts, sent, form });
}

/**
 * What was sent for an identifier may be a secret (credentials the wrong way round): of a refused
 * request it is noted only where it is certainly none.
 */
export async function keepClaim(
  { programme, store }: Service,
  record: RequestRecord,
): Promise<void> {
  const { client, claimedClient: id } = record;
  if (id === undefined || id === client || programme.clients.isTellable(id)) return;
  record.claimedClient = undefined;
  const found = store.find('client', programme.id, id as ClientId);
  record.claimedClient = (await Promise.resolve(found).catch((): undefined => undefined))?.id;
}

/**
 * The reason to tell for a thrown error. Logs an outage, and anything unknown as a server_error.
 * Throws `HungUp` again.
 */
export function reportFailure(
  service: Service,
  error: unknown,
  { id: request_id }: Pick<RequestRecord, 'id'>,
): ReportedFailure {
  if (error instanceof HungUp) throw error;
  const at = service.clock.now();
  if (error instanceof Refusal) return { reason: error.reason, facts: { ...error.facts, at } };
  if (error instanceof InMaintenance) {
    return {
      reason: 'temporarily_unavailable',
      facts: { retryAfter: error.retryAfter / 1000, at, cause: inMaintenance },
    };
  }
  const programme = service.programme.id;
  if (error instanceof Unavailable) {
    // Without a stack: the failure is known. Two events, each with its own limit in the log:
    // strangers can cause `overloaded` at will, and must not crowd out `unavailable` (HOSTILE 59).
    const event = error instanceof Overloaded ? 'overloaded' : 'unavailable';
    service.log.error(event, { programme, request_id, detail: error.message });
    const cause = outage(event, error);
    return {
      reason: 'temporarily_unavailable',
      facts: { retryAfter: outageRetryAfter, at, cause },
    };
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  service.log.error('server_error', { programme, request_id, detail });
  return { reason: 'server_error', facts: { at, cause: unexpected } };
}

/** For operators alone: the file changed its prefix, or the airline's system its subjects (C-9). */
export function clientLikeSubject({ id }: Programme): Unavailable {
  return new Unavailable(
    `a member of ${id} has a subject that begins as those of clients do: change tokens.client_subject_prefix, or the subject`,
  );
}
