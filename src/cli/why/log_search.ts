// Owns finding a refusal in a log: the line of its request, and the other events of the same request.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { steps } from '../../oauth/request_record.ts';
import type { Refusal } from '../../server/requests/refusal.ts';

export interface LogFindings {
  readonly refusal: Refusal | undefined;
  /** Events of the request, such as `server_error`. */
  readonly events: readonly string[];
  /** Time of the first line that has one. */
  readonly since: string | undefined;
}

type Line = Readonly<Record<string, unknown>>;

/** @param path `-` for standard input */
export async function searchLog(path: string, id: string): Promise<LogFindings> {
  const input = path === '-' ? process.stdin : createReadStream(path);
  let refusal: Refusal | undefined;
  let since: string | undefined;
  const events: string[] = [];
  // An error of the stream ends the loop by itself only with this form.
  for await (const text of createInterface({ input, crlfDelay: Infinity })) {
    if (since !== undefined && !text.includes(id)) continue;
    const line = parseLine(text);
    if (line === undefined) continue;
    since ??= typeof line['time'] === 'string' ? line['time'] : undefined;
    if (line['request_id'] !== id) continue;
    if (isRefusal(line)) refusal = { path: '', ...line };
    else if (typeof line['detail'] === 'string') events.push(eventText(line));
  }
  return { refusal, events, since };
}

/** Lines of journals have other words before the JSON. */
function parseLine(text: string): Line | undefined {
  const start = text.indexOf('{');
  if (start < 0) return undefined;
  try {
    return JSON.parse(text.slice(start)) as Line;
  } catch {
    return undefined;
  }
}

/** A request to a path at which nothing is has no `path`. */
function isRefusal(line: Line): line is Line & Omit<Refusal, 'path'> {
  const { reason, step, endpoint } = line;
  const texts = [reason, endpoint].every((one) => typeof one === 'string');
  return texts && typeof step === 'string' && step in steps;
}

function eventText({ event, detail }: Line): string {
  const [first = ''] = String(detail).split('\n');
  return `the log: ${String(event)}: ${first}`;
}
