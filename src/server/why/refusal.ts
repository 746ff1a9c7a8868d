// Owns a refusal in plain values, as servers remember and log it: nothing that was sent but names.

import type { Instant } from '../../lib/clock.ts';
import { ownCause } from '../../oauth/cause.ts';
import type {
  EndpointKind,
  RecordedFailure,
  RequestRecord,
  Step,
} from '../../oauth/request_record.ts';

export interface WhyFacts {
  readonly step: Step;
  /** Dotted path of the rule; of an endpoint's keys behind `@endpoint`. Absent for Jetway's own rules. */
  readonly rule?: string | undefined;
  readonly expected?: string | undefined;
  readonly came?: string | undefined;
  /** Wire name of the parameter or header at fault. */
  readonly parameter?: string | undefined;
  /** The partner may read what was expected and what came. */
  readonly own?: true | undefined;
  /** Which fault of a proof, by its name in the table (oauth/proofs). */
  readonly fault?: string | undefined;
  /** Seconds. */
  readonly retry_after?: number | undefined;
}

/** What the line of a log has of a request; those that are refused have `WhyFacts`, too. */
export interface Refusal extends WhyFacts {
  readonly request_id: string;
  readonly time: string;
  /** Absent where no programme was found. */
  readonly programme?: string | undefined;
  readonly endpoint: EndpointKind;
  /** As configured. */
  readonly path: string;
  readonly method: string;
  readonly status: number;
  readonly grant?: string | undefined;
  /** The client that has proved itself; of a login, the one that sent the member. */
  readonly client?: string | undefined;
  /** The identifier that was sent, where it was proved by nothing. */
  readonly claimed_client?: string | undefined;
  readonly reason: string;
}

const forced = ownCause(
  ['sandbox'],
  'a request for no failure',
  'one that asks the sandbox for it',
);

/** Characters of a text that are kept: a client may have any number of redirect URIs. */
const longestText = 500;

/** The refusal of a record; undefined for a request that was not refused, or whose caller hung up. */
export function refusalOf(record: RequestRecord, at: Instant): Refusal | undefined {
  const { endpoint, failure, client, claimedClient, grant } = record;
  if (failure === undefined || failure.reason === 'hung_up') return undefined;
  return {
    request_id: record.id,
    time: new Date(at).toISOString(),
    programme: endpoint.programme,
    endpoint: endpoint.kind,
    path: endpoint.path,
    method: record.method,
    status: record.status,
    grant,
    client,
    claimed_client: client === undefined ? claimedClient : undefined,
    reason: failure.reason,
    ...whyFacts(record, failure),
  };
}

/** What the line of a refused request in a log has besides, so that `why --log` can explain it. */
export function whyFacts({ step, isForced }: RequestRecord, { facts }: RecordedFailure): WhyFacts {
  const cause = isForced ? forced : facts.cause;
  return {
    step,
    rule: cause?.rule.join('.') || undefined,
    expected: cause && cut(cause.expected),
    came: cause && cut(cause.came),
    parameter: cause?.parameter,
    own: cause?.isOwn,
    fault: cause?.fault,
    retry_after: facts.retryAfter,
  };
}

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
