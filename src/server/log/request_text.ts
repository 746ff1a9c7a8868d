// Owns the text of a request's line in the log. Nothing of it is what a stranger sent: the path is the
// configured one, the client has proved itself or is registered, and no query or body is read.

import { legibleJson, spellOut } from '../../lib/fault.ts';
import type { EndpointFacts, RequestRecord } from '../../oauth/request_record.ts';
import { whyFacts } from '../why/refusal.ts';
import { timeOfDay } from './events.ts';
import { paints } from './paint.ts';

/** An attempt to log in has a name of its own. */
function eventOf({ endpoint, method }: RequestRecord): 'login' | 'request' {
  return endpoint.kind === 'login_page' && method === 'POST' ? 'login' : 'request';
}

/** Whether something broke here. An outage has an event of its own; what it refuses is no news. */
export function isError({ status, failure }: RequestRecord): boolean {
  return status === 500 || failure?.reason === 'server_error';
}

/** JSON, written by hand: at least four times as fast as JSON.stringify of an object made for it. */
export function jsonRequest(record: RequestRecord, at: number): string {
  const { endpoint, method, grant, client, claimedClient, failure, status, trace } = record;
  const level = isError(record) ? 'error' : 'info';
  let line = `{"time":"${timeText(at)}","level":"${level}","event":"${eventOf(record)}","request_id":"${record.id}"${endpointText(endpoint)},"method":"${method}"`;
  if (grant !== undefined) line += `,"grant":"${grant}"`;
  if (client !== undefined) line += `,"client":${quoted(client)}`;
  else if (claimedClient !== undefined && record.isClaimRegistered) {
    line += `,"claimed_client":${quoted(claimedClient)}`;
  }
  if (failure !== undefined) {
    // For `jetway why --log`.
    const why = legibleJson(whyFacts(record, failure));
    line += `,"reason":"${failure.reason}",${why.slice(1, -1)}`;
  }
  if (record.isForced) line += ',"forced":true';
  line += `,"status":${status},"duration_ms":${roundedDuration(record)}`;
  return trace === undefined ? `${line}}\n` : `${line},"trace_id":"${trace.traceId}"}\n`;
}

function roundedDuration({ duration }: RequestRecord): number {
  return Math.round(duration * 100) / 100;
}

let lastTime = 0;
let lastTimeText = '';

function timeText(at: number): string {
  if (at !== lastTime) {
    lastTime = at;
    lastTimeText = new Date(at).toISOString();
  }
  return lastTimeText;
}

/** Of endpoints in service; those of before a reload are let go. */
const endpointTexts = new WeakMap<EndpointFacts, string>();

function endpointText(endpoint: EndpointFacts): string {
  let text = endpointTexts.get(endpoint);
  if (text === undefined) {
    const { programme, kind, path } = endpoint;
    const facts = { programme, endpoint: kind, path: path === '' ? undefined : path };
    text = `,${legibleJson(facts).slice(1, -1)}`;
    endpointTexts.set(endpoint, text);
  }
  return text;
}

/** What JSON and terminals take as it is. */
const plain = /^[\w.:@/+=-]*$/;

function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : legibleJson(text);
}

/** `12:30:01 400 POST /harbour/token invalid_code authorization_code by partnerapi-00001 3.2 ms 7ZK…` */
export function humanRequest(isColoured: boolean): (record: RequestRecord, at: number) => string {
  const paint = paints(isColoured);
  return (record, at) => {
    const { endpoint, method, grant, client, claimedClient, failure, status } = record;
    const claim = record.isClaimRegistered ? claimedClient : undefined;
    const mark = status < 400 ? paint.green : paint.yellow;
    const colour = status < 500 ? mark : paint.red;
    const words = [
      paint.dim(timeOfDay(new Date(at))),
      colour(String(status)),
      method,
      endpoint.path === '' ? '(no endpoint)' : endpoint.path,
      ...(failure === undefined ? [] : [colour(failure.reason)]),
      ...(grant === undefined ? [] : [grant]),
      ...(client === undefined ? [] : [`by ${spellOut(client)}`]),
      ...(client === undefined && claim !== undefined ? [`for ${spellOut(claim)}`] : []),
      paint.dim(`${roundedDuration(record)} ms ${record.id}`),
    ];
    return `${words.join(' ')}\n`;
  };
}
