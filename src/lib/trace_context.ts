// Owns W3C Trace Context, level 2 (https://www.w3.org/TR/trace-context-2/): reading and writing
// `traceparent`.

import { randomBytes } from './random.ts';

/** The trace that a request belongs to. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of who called; absent where the trace begins here. 16 hexadecimal digits. */
  readonly parentId?: string;
  /** This process's own span, where it records one. */
  readonly spanId?: string;
  /**
   * Whether the caller may have recorded its span; of a new trace, whether we do. Absent where a stranger
   * called and nobody has decided here.
   */
  readonly isSampled?: boolean;
  /** Whether the last 56 bits of `traceId` are random. */
  readonly isRandom: boolean;
  /** What vendors tell each other, passed on unread. */
  readonly state?: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;
const randomFlag = 2;
/** Characters of a `tracestate` that all vendors pass on at least. */
const longestState = 512;
const stateForm = /^[\x20-\x7E\t]+$/;

/** The trace of a request's headers; undefined where `traceparent` is none. */
export function readTraceparent(
  traceparent: string,
  tracestate: string | undefined,
): TraceContext | undefined {
  const [, version = '', traceId = '', parentId = '', flagDigits = '', more] =
    form.exec(traceparent) ?? [];
  // A later version may add fields; ff is none.
  if (version === '' || version === 'ff' || (version === '00' && more !== undefined)) {
    return undefined;
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  const flags = Number.parseInt(flagDigits, 16);
  const isPassedOn =
    tracestate !== undefined && tracestate.length <= longestState && stateForm.test(tracestate);
  return {
    traceId,
    parentId,
    isSampled: (flags & sampledFlag) !== 0,
    isRandom: (flags & randomFlag) !== 0,
    ...(isPassedOn ? { state: tracestate } : {}),
  };
}

/**
 * What is taken over of a stranger's trace: its names, for correlation. Its flags and its state would
 * decide what we and whom we call record (HOSTILE 85).
 */
export function namesAlone({ traceId, parentId }: TraceContext): TraceContext {
  return { traceId, ...(parentId !== undefined && { parentId }), isRandom: false };
}

/** A trace that begins here. */
export function beginTrace(isSampled: boolean): TraceContext {
  return { traceId: newId(16), spanId: newSpanId(), isSampled, isRandom: true };
}

export function newSpanId(): string {
  return newId(8);
}

function newId(bytes: number): string {
  const id = randomBytes(bytes).toString('hex');
  // All zeroes are no identifier.
  return /[1-9a-f]/.test(id) ? id : newId(bytes);
}

/** Headers that hand a trace on. @param spanId the span that calls, where it is recorded */
export function traceHeaders(
  { traceId, spanId: own, parentId, isSampled, isRandom, state }: TraceContext,
  spanId: string | undefined = own ?? parentId,
): Readonly<Record<string, string>> {
  if (spanId === undefined) return {};
  const flags = (isSampled === true ? sampledFlag : 0) | (isRandom ? randomFlag : 0);
  const traceparent = `00-${traceId}-${spanId}-0${flags}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
