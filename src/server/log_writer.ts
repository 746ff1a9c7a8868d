// Owns the server's log: one line per event and request. Requests never wait for the log's reader: its
// queue is bounded, and left-out lines are counted (FAULTS 31, HOSTILE 59).

import { type LogSettings, usualLog } from '../config/log_keys.ts';
import type { EventOf, Level } from '../engine/log_events.ts';
import type { Log } from '../engine/service.ts';
import { counters } from '../lib/metrics/families.ts';
import type { Observer } from '../oauth/request_record.ts';
import { Bound, bounds } from './bound.ts';
import { isSystemError } from './exit.ts';
import { type EventWriter, humanEvents, jsonEvents } from './log/events.ts';
import { openLogFile, type Sink, standardError } from './log/sink.ts';
import { requestLines } from './requests/lines.ts';

export interface ServerLog extends Log {
  /** Something happened that operators asked for, or want to know of. */
  readonly info: (event: EventOf<'info'>, facts: Readonly<Record<string, string | number>>) => void;
  /** Writes a line for each answered request. */
  readonly observer: Observer;
  /** Goes by these settings from now on; returns why not where the file cannot be opened. */
  readonly follow: (settings: LogSettings) => string | undefined;
  /** Takes whole lines of another process, without a bound. */
  readonly pass: (lines: string) => void;
  /** Whether lines are taken that may wait. */
  readonly hasRoom: () => boolean;
  /** Whether its standard error is a terminal. */
  readonly isTerminal: boolean;
  /** Opens the file anew: what was renamed is written no more. */
  readonly reopen: () => void;
  /** Writes the counts of left-out lines; the process ends soon, even if the reader is stuck. */
  readonly end: () => void;
}

/** Milliseconds between the lines that count what was left out. */
const span = 10_000;
const lostLines = counters(
  'jetway_log_lines_left_out_total',
  'Lines left out of the log: too many of one kind, or its reader is behind.',
)();
/** Characters that may wait for the reader. */
const mostWaiting = 1024 * 1024;
/** Of these for the lines of requests: however many they are, there is room for events. */
const mostWaitingRequests = mostWaiting * 0.75;
/** Milliseconds that the reader has for them at the end. */
const lastPatience = 1000;

/** The log of this server process, on standard error until `follow` says otherwise. */
export function openLog(): ServerLog {
  let settings = usualLog;
  /** Callers can cause any number of events. */
  const bound = new Bound(bounds.events);
  /** By kind: left-out lines that are not reported yet. */
  const leftOut = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const leaveOut = (kind: string, lines = 1): void => {
    timer ??= setTimeout(tellLeftOut, span).unref();
    leftOut.set(kind, (leftOut.get(kind) ?? 0) + lines);
    lostLines.add(lines);
  };
  const lost = (lines: number): void => leaveOut('not written', lines);
  let sink = standardError(lost);
  let write = writerFor(sink, settings);
  const put = (level: Level, event: string, facts: Parameters<EventWriter>[2]): boolean => {
    if (sink.waiting() > mostWaiting) return false;
    sink.put(write(level, event, facts), true);
    return true;
  };
  const tellLeftOut = (): void => {
    const lines = Object.fromEntries(leftOut);
    if (leftOut.size > 0 && put('error', 'lines_left_out', { lines })) leftOut.clear();
    timer = leftOut.size === 0 ? undefined : setTimeout(tellLeftOut, span).unref();
  };
  const report =
    <L extends Level>(level: L) =>
    (event: EventOf<L>, facts: Readonly<Record<string, string | number>>): void => {
      if (level === 'info' && settings.level === 'error') return;
      const { programme } = facts;
      const kind = programme === undefined ? event : `${event} ${programme}`;
      if (!bound.allows(kind) || !put(level, event, facts)) leaveOut(kind);
    };
  const putRequest = (line: string): boolean => {
    if (sink.waiting() > mostWaitingRequests) return false;
    sink.put(line, false);
    return true;
  };
  const lines = requestLines(putRequest, leaveOut);
  const use = (next: Sink): void => {
    if (next !== sink) sink.close();
    sink = next;
    write = writerFor(sink, settings);
    lines.follow(settings, isHuman(sink, settings), isColoured(sink));
  };
  lines.follow(settings, isHuman(sink, settings), isColoured(sink));
  const error = report('error');
  const open = ({ file }: LogSettings): Sink =>
    file === undefined ? standardError(lost) : openLogFile(file, lost);
  return {
    error,
    info: report('info'),
    pass: (foreign) => sink.put(foreign, true),
    hasRoom: () => sink.waiting() <= mostWaiting,
    isTerminal: sink.isTerminal,
    observer: lines.observer,
    follow: (next) => {
      try {
        const found = next.file === settings.file ? sink : open(next);
        settings = next;
        use(found);
        return undefined;
      } catch (thrown) {
        return `the log cannot be written to ${next.file}: ${reasonOf(thrown)}`;
      }
    },
    reopen: () => {
      if (settings.file === undefined) return;
      try {
        use(open(settings));
      } catch (thrown) {
        error('log_not_reopened', { file: settings.file, detail: reasonOf(thrown) });
      }
    },
    end: () => {
      tellLeftOut();
      sink.close();
      // Unread lines would keep the process alive.
      setTimeout(() => process.exit(), lastPatience).unref();
    },
  };
}

function reasonOf(thrown: unknown): string {
  return isSystemError(thrown) ? (thrown.code ?? thrown.message) : String(thrown);
}

function isHuman({ isTerminal }: Sink, { format }: LogSettings): boolean {
  return format === 'human' || (format === 'auto' && isTerminal);
}

/** https://no-color.org */
function isColoured({ isTerminal }: Sink): boolean {
  return isTerminal && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';
}

function writerFor(sink: Sink, settings: LogSettings): EventWriter {
  return isHuman(sink, settings) ? humanEvents(isColoured(sink)) : jsonEvents;
}
