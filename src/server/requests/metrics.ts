// Owns the metrics of requests: how many, how long, and why they failed. No label holds what a caller sent.

import {
  type Counter,
  counters,
  type Histogram,
  histograms,
  usualTimes,
} from '../../lib/metrics/families.ts';
import { present } from '../../lib/present.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { GrantType } from '../../oauth/grant.ts';
import type { EndpointFacts, Observer } from '../../oauth/request_record.ts';

const requests = counters(
  'jetway_requests_total',
  'Requests that were answered. Without a programme: those to no endpoint of one.',
  'programme',
  'endpoint',
  'grant',
  'status',
);
const failures = counters(
  'jetway_request_failures_total',
  'Requests that failed, by the reason of the closed list that dialects word, or by the page of a login; `unreadable` where a request could not be read, and `hung_up` where its sender was gone before.',
  'programme',
  'endpoint',
  'grant',
  'reason',
);
const forced = counters(
  'jetway_forced_failures_total',
  'Requests that asked a sandbox for their failure. They count as nothing else.',
  'programme',
  'endpoint',
);
const durations = histograms(
  'jetway_request_duration_seconds',
  'Time from the head of a request to its answer; of a login, also that its password waited.',
  usualTimes,
  'programme',
  'endpoint',
);

/** Reasons that an alert asks for by themselves, and where each is told. */
const watched = {
  server_error: 'token',
  temporarily_unavailable: 'token',
  client_authentication_failed: 'token',
  not_recognised: 'login_page',
} as const;

/**
 * Begins a programme's series that alerts ask for at 0: a series that begins with its first failure has not
 * increased, and no alert sees it.
 */
export function beginSeries(programme: ProgrammeId): void {
  for (const [reason, endpoint] of Object.entries(watched))
    failures({ programme, endpoint, reason });
}

/** The series of one endpoint that have been found: to find one costs a text. */
interface EndpointMetrics {
  readonly duration: Histogram;
  readonly forced: () => Counter;
  readonly grants: Map<GrantType | undefined, GrantMetrics>;
}

interface GrantMetrics {
  readonly answered: (status: number) => Counter;
  readonly failed: (reason: string) => Counter;
}

/** A reloaded programme has other facts, and the same series. */
const known = new WeakMap<EndpointFacts, EndpointMetrics>();

export const requestMetrics: Observer = {
  answered({ endpoint: facts, grant, status, failure, isForced, duration }) {
    const endpoint = known.get(facts) ?? beginEndpoint(facts);
    if (isForced) {
      endpoint.forced().add();
      return;
    }
    endpoint.duration.observe(duration / 1000);
    const { answered, failed } = endpoint.grants.get(grant) ?? beginGrant(facts, endpoint, grant);
    answered(status).add();
    if (failure !== undefined) failed(failure.reason).add();
  },
};

function beginEndpoint(facts: EndpointFacts): EndpointMetrics {
  const { programme, kind } = facts;
  const labels = present({ programme, endpoint: kind });
  const begun = { duration: durations(labels), forced: () => forced(labels), grants: new Map() };
  known.set(facts, begun);
  return begun;
}

function beginGrant(
  { programme, kind }: EndpointFacts,
  { grants }: EndpointMetrics,
  grant: GrantType | undefined,
): GrantMetrics {
  const labels = present({ programme, endpoint: kind, grant });
  const begun = {
    answered: kept((status: number) => requests({ ...labels, status: String(status) })),
    failed: kept((reason: string) => failures({ ...labels, reason })),
  };
  grants.set(grant, begun);
  return begun;
}

/** Makes each thing once. */
function kept<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const found = made.get(key);
    if (found !== undefined) return found;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
