// Owns the server's log: one line of JSON per event on standard error. Requests never wait for the
// log's reader: its queue is bounded, and left-out lines are counted (FAULTS 31, HOSTILE 59).

import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

import type { Log } from '../../engine/service.ts';
import { legibleJson } from '../../lib/fault.ts';
import { counters } from '../../lib/metrics/families.ts';

export interface ServerLog extends Log {
  /** Something happened that operators asked for, or want to know of. */
  readonly info: Log['error'];
  /** Writes the counts of left-out lines; the process ends soon, even if the reader is stuck. */
  readonly end: () => void;
}

/** Lines of one kind within a span of milliseconds: callers can cause any number of events. */
const mostLines = 20;
const span = 10_000;
const lostLines = counters(
  'jetway_log_lines_left_out_total',
  'Lines left out of the log: too many of one kind, or its reader is behind.',
)();
/** Bytes that may wait for the reader. */
const mostWaiting = 256 * 1024;
/** Milliseconds that the reader has for them at the end. */
const lastPatience = 1000;

/** The log of this server process. Never log queries or bodies: they hold secrets. */
export function openLog(): ServerLog {
  const write = lineWriter();
  /** By kind: lines written in this span, and left-out lines that are not reported yet. */
  const written = new Map<string, number>();
  const leftOut = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const put = (level: 'error' | 'info', event: string, facts: object): boolean =>
    write(`${legibleJson({ time: new Date().toISOString(), level, event, ...facts })}\n`);
  const beginSpan = (): void => {
    written.clear();
    if (
      leftOut.size > 0 &&
      put('error', 'lines_left_out', { lines: Object.fromEntries(leftOut) })
    ) {
      leftOut.clear();
    }
    timer = leftOut.size === 0 ? undefined : setTimeout(beginSpan, span).unref();
  };
  const addOne = (counts: Map<string, number>, kind: string): void => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  };
  const report =
    (level: 'error' | 'info'): Log['error'] =>
    (event, facts) => {
      timer ??= setTimeout(beginSpan, span).unref();
      const { programme } = facts;
      const kind = programme === undefined ? event : `${event} ${programme}`;
      const isWritten = (written.get(kind) ?? 0) < mostLines && put(level, event, facts);
      addOne(isWritten ? written : leftOut, kind);
      if (!isWritten) lostLines.add();
    };
  return {
    error: report('error'),
    info: report('info'),
    end: () => {
      beginSpan();
      // Unread lines would keep the process alive.
      setTimeout(() => process.exit(), lastPatience).unref();
    },
  };
}

/** Writes a line to standard error, unless its queue is full. */
function lineWriter(): (line: string) => boolean {
  const stream: NodeJS.WritableStream = process.stderr;
  for (const one of [process.stdout, process.stderr]) neverBlock(one);
  if (stream instanceof Socket) {
    // A pipe, a socket or a terminal: node queues what the reader does not take at once.
    return (line) => {
      if (stream.writableLength > mostWaiting) return false;
      stream.write(line);
      return true;
    };
  }
  return (line) => {
    try {
      // A file: a stream would never write again after one failure, such as a full disk.
      writeSync(2, line);
      return true;
    } catch {
      return false;
    }
  };
}

interface BlockingHandle {
  readonly setBlocking?: (isBlocking: boolean) => unknown;
}

/** Node writes to pipes and sockets without blocking, but blocks on a paused terminal (Ctrl-S). */
function neverBlock(stream: NodeJS.WritableStream): void {
  if (!('isTTY' in stream)) return;
  const { _handle: handle } = stream as { readonly _handle?: BlockingHandle };
  handle?.setBlocking?.(false);
}
