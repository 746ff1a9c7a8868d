// Owns where lines of the log go: standard error or a file. Nothing waits for their reader or disk: what
// is not taken at once is kept within bounds (FAULTS 31).

import { closeSync, constants, openSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';

import { joined } from '../../lib/heap/flat_text.ts';

/** A place for lines. */
export interface Sink {
  /** Characters that wait. */
  readonly waiting: () => number;
  /** Takes lines; they are handed on within a moment, with others, or at once where they are urgent. */
  readonly put: (lines: string, isUrgent: boolean) => void;
  /** Hands on what waits. */
  readonly flush: () => void;
  /** The same, then gives up the file. */
  readonly close: () => void;
  readonly isTerminal: boolean;
}

/** @param lost called with the number of lines that could not be written */
export function standardError(lost: (lines: number) => void): Sink {
  const stream: NodeJS.WritableStream = process.stderr;
  for (const one of [process.stdout, process.stderr]) neverBlock(one);
  // A pipe, a socket or a terminal: node queues what the reader does not take at once.
  if (stream instanceof Socket) return streamSink(stream);
  // A stream would never write to a file again after one failure, such as a full disk.
  return fileSink(2, lost);
}

/** Appends to a file, which is made where there is none. Throws system errors. */
export function openLogFile(path: string, lost: (lines: number) => void): Sink {
  const { O_APPEND, O_CREAT, O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants;
  const flags = O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK | O_WRONLY;
  return fileSink(openSync(path, flags, 0o640), lost, closeSync);
}

function streamSink(stream: Socket): Sink {
  const batch = batchOf((lines) => stream.write(lines));
  // At a sudden end of the process a pipe takes them at once, where it has room.
  process.on('exit', batch.flush);
  return {
    ...batch,
    waiting: () => stream.writableLength + batch.waiting(),
    close: () => {
      process.off('exit', batch.flush);
      batch.flush();
    },
    isTerminal: 'isTTY' in stream && stream.isTTY === true,
  };
}

/** One write at a time, away from this thread: a slow disk must not hold up requests. */
function fileSink(
  fd: number,
  lost: (lines: number) => void,
  release: (fd: number) => void = () => undefined,
): Sink {
  let queued = '';
  let underWay = 0;
  let isClosed = false;
  /** Whether a failure has left half a line at the end of the file. */
  let isTorn = false;
  const next = (): void => {
    if (underWay > 0) return;
    if (queued === '') {
      if (isClosed) end();
      return;
    }
    const lines = queued;
    const bytes = Buffer.from(isTorn ? `\n${lines}` : lines);
    underWay = lines.length;
    queued = '';
    writeAll(fd, bytes, 0, (written, error) => {
      underWay = 0;
      isTorn = written > 0 ? bytes[written - 1] !== lineEnd : isTorn;
      if (error !== null) lost(linesIn(bytes.subarray(written)));
      next();
    });
  };
  /** At a sudden end of the process nothing that was begun later is finished. */
  const last = (): void => {
    try {
      const rest = queued + batch.take();
      if (rest !== '') writeSync(fd, rest);
    } catch {
      // Nobody is left to be told.
    }
  };
  const end = (): void => {
    process.off('exit', last);
    release(fd);
  };
  process.on('exit', last);
  const batch = batchOf((lines) => {
    queued += lines;
    next();
  });
  return {
    ...batch,
    waiting: () => queued.length + underWay + batch.waiting(),
    close: () => {
      isClosed = true;
      batch.flush();
      next();
    },
    isTerminal: false,
  };
}

const lineEnd = 0x0a;

function linesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === lineEnd) lines += 1;
  return lines;
}

function writeAll(
  fd: number,
  bytes: Uint8Array,
  from: number,
  done: (written: number, error: Error | null) => void,
): void {
  write(fd, bytes, from, bytes.length - from, null, (error, count) => {
    const written = from + (error === null ? count : 0);
    if (error !== null || written === bytes.length) done(written, error);
    else writeAll(fd, bytes, written, done);
  });
}

interface Batch extends Pick<Sink, 'waiting' | 'put' | 'flush'> {
  readonly take: () => string;
}

/** Milliseconds for which lines wait for others: each write costs more than many lines. */
const gathering = 10;

function batchOf(send: (lines: string) => void): Batch {
  let lines = '';
  let isPlanned = false;
  const take = (): string => {
    const taken = lines;
    lines = '';
    return taken;
  };
  const flush = (): void => {
    isPlanned = false;
    const taken = take();
    if (taken !== '') send(taken);
  };
  return {
    take,
    flush,
    waiting: () => lines.length,
    put: (more, isUrgent) => {
      lines += joined(more);
      if (isUrgent) flush();
      else if (!isPlanned) {
        isPlanned = true;
        setTimeout(flush, gathering);
      }
    },
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
