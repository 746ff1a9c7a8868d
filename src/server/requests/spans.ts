// Owns the text of traces for a collector: OTLP's JSON form of ExportTraceServiceRequest.

import type { RecordedSpan, RequestRecord } from '../../oauth/request_record.ts';
import { version as ownVersion } from '../version.ts';
import { type FactValue, inTraces, isError } from './facts.ts';

/** The kinds of spans in use (opentelemetry-proto, trace.proto). */
const kinds = { internal: 1, server: 2, client: 3 } as const;
const statusError = 2;

/** The spans of answered requests that have `trace` and `spans`. */
export function exportRequest(records: readonly RequestRecord[], environment: string): string {
  // Durations are those of the monotonic clock; both clocks are read once for all.
  const wall = Date.now() - performance.now();
  const version = ownVersion();
  const resource = {
    'service.name': 'jetway',
    'service.version': version,
    'deployment.environment.name': environment,
  };
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributes(Object.entries(resource)) },
        scopeSpans: [
          {
            scope: { name: 'jetway', version },
            spans: records.flatMap((record) => spansOf(record, wall)),
          },
        ],
      },
    ],
  });
}

function spansOf(record: RequestRecord, wall: number): readonly object[] {
  const { trace, spans = [], endpoint, method, startedAt, duration } = record;
  if (trace === undefined) return [];
  const { traceId, spanId = '', parentId, state } = trace;
  const { path } = endpoint;
  const own = {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    ...(state !== undefined && { traceState: state }),
    name: path === '' ? method : `${method} ${path}`,
    kind: kinds.server,
    startTimeUnixNano: nanoseconds(wall + startedAt),
    endTimeUnixNano: nanoseconds(wall + startedAt + duration),
    attributes: attributes(inTraces.map(([name, { of }]) => [name, of(record)])),
    // A refusal is no error of this service, in whatever status a dialect words it.
    ...(isError(record) && { status: { code: statusError } }),
  };
  return [own, ...spans.map((span) => partOf(traceId, spanId, span, wall))];
}

function partOf(
  traceId: string,
  parentSpanId: string,
  { name, spanId, startedAt, endedAt, isFailed }: RecordedSpan,
  wall: number,
): object {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: name.startsWith('hook ') ? kinds.client : kinds.internal,
    startTimeUnixNano: nanoseconds(wall + startedAt),
    endTimeUnixNano: nanoseconds(wall + endedAt),
    ...(isFailed && { status: { code: statusError } }),
  };
}

function attributes(
  values: readonly (readonly [key: string, value: FactValue])[],
): readonly object[] {
  return values.flatMap(([key, value]) => {
    if (value === undefined) return [];
    return { key, value: typeof value === 'number' ? { intValue: value } : { stringValue: value } };
  });
}

/** A decimal text: JSON's numbers are too short for it. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}
