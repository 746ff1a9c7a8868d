// Owns a refusal in plain values, as servers remember and log it: nothing that was sent but names.

import type { Instant } from '../../lib/clock.ts';
import type { EndpointKind, RequestRecord, Step } from '../../oauth/request_record.ts';
import { inMemory } from './facts.ts';
import { membersOf, timeText } from './json_text.ts';

/** What `inMemory` (facts.ts) tells, as it is read again. */
export interface Refusal {
  readonly request_id: string;
  readonly time: string;
  /** Absent where no programme was found. */
  readonly programme?: string;
  readonly endpoint: EndpointKind;
  /** As configured. */
  readonly path: string;
  readonly method: string;
  readonly status: number;
  readonly grant?: string;
  /** The client that has proved itself; of a login, the one that sent the member. */
  readonly client?: string;
  /** The identifier that was sent, where it was proved by nothing. */
  readonly claimed_client?: string;
  readonly reason: string;
  readonly step: Step;
  /** Dotted path of the rule; of an endpoint's keys behind `@endpoint`. Absent for Jetway's own rules. */
  readonly rule?: string;
  readonly expected?: string;
  readonly came?: string;
  /** Wire name of the parameter or header at fault. */
  readonly parameter?: string;
  /** The partner may read what was expected and what came. */
  readonly own?: true;
  /** Which fault of a proof, by its name in the table (oauth/proofs). */
  readonly fault?: string;
  /** Seconds. */
  readonly retry_after?: number;
}

const head = membersOf(inMemory.head);
const request = membersOf(inMemory.request);

/** The refusal of a record in JSON; undefined for a request that was not refused, or whose caller hung up. */
export function refusalText(record: RequestRecord, at: Instant): string | undefined {
  const { failure } = record;
  if (failure === undefined || failure.reason === 'hung_up') return undefined;
  return `{${head(record).slice(1)},"time":"${timeText(at)}"${request(record)}}`;
}

/** @param text what `refusalText` made */
export function readRefusal(text: string): Refusal {
  return JSON.parse(text) as Refusal;
}
