// Owns the lines of requests in the log: which requests get one, and their text.

import type { LogSettings } from '../../config/log_keys.ts';
import type { EndpointKind, Observer, RequestRecord } from '../../oauth/request_record.ts';
import { Bound, bounds } from '../bound.ts';
import { inLog, isError } from './facts.ts';
import { humanRequest } from './human_line.ts';
import { endpointMembersOf, membersOf, timeText } from './json_text.ts';

/** Where credentials or a token prove who asks, public clients excepted; elsewhere a client is only named. */
const proving: ReadonlySet<EndpointKind> = new Set([
  'token',
  'introspection',
  'revocation',
  'verification',
  'userinfo',
]);
const verifying: ReadonlySet<EndpointKind> = new Set(['verification', 'introspection', 'userinfo']);

const head = membersOf(inLog.head);
const place = endpointMembersOf(inLog.place);
const request = membersOf(inLog.request);
const refusal = membersOf(inLog.refusal);
const end = membersOf(inLog.end);

/** The line for programs. @param at milliseconds since the epoch */
export function jsonRequest(record: RequestRecord, at: number): string {
  const why = record.failure === undefined ? '' : refusal(record);
  const members = head(record) + place(record) + request(record) + why + end(record);
  return `{"time":"${timeText(at)}"${members}}\n`;
}

/** The lines of requests, of a log that takes them. */
export interface RequestLines {
  readonly observer: Observer;
  readonly follow: (settings: LogSettings, isHuman: boolean, isColoured: boolean) => void;
}

/**
 * What anybody can cause without a secret is bounded by the second (HOSTILE 59); clients and members
 * who pass have the throttles of their programme. A client that is refused is bounded by itself, so
 * that strangers cannot keep its lines out.
 *
 * @param put takes a line; returns false where there is no room
 * @param leaveOut counts a line that was left out, by kind
 */
export function requestLines(
  put: (line: string) => boolean,
  leaveOut: (kind: string) => void,
): RequestLines {
  let shares: Pick<LogSettings, 'requests' | 'verify'>;
  let errorsAlone = false;
  let write = jsonRequest;
  const alike = new Bound(bounds.alike);
  const strangers = new Bound(bounds.strangers);

  const isWithinBounds = (record: RequestRecord, isPassed: boolean): boolean => {
    const { client, member, failure, endpoint } = record;
    const isProving = proving.has(endpoint.kind) && !record.isPublicClient;
    const isProven = isProving && client !== undefined;
    if (record.isTurnedAway) return false;
    if (isPassed && (isProving || member !== undefined)) return true;
    const group = isProven
      ? `client ${client}`
      : `${endpoint.programme} ${failure?.reason ?? endpoint.kind}`;
    return alike.allows(group) && (isProven || strangers.allows('strangers'));
  };
  const answered = (record: RequestRecord): void => {
    const { status, failure, endpoint } = record;
    if (errorsAlone && !isError(record)) return;
    const isPassed = failure === undefined && status < 400;
    const { passed, refused } = verifying.has(endpoint.kind) ? shares.verify : shares.requests;
    const share = isPassed ? passed : refused;
    if (share < 1 && Math.random() >= share) return;
    const at = Date.now();
    if (isWithinBounds(record, isPassed) && put(write(record, at))) return;
    const { programme } = endpoint;
    leaveOut(programme === undefined ? 'request' : `request ${programme}`);
  };
  return {
    observer: { answered },
    follow: (settings, isHuman, isColoured) => {
      shares = settings;
      errorsAlone = settings.level === 'error';
      write = isHuman ? humanRequest(isColoured) : jsonRequest;
    },
  };
}
