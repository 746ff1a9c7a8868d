// Owns the line of a request in the log as people read it.

import { spellOut } from '../../lib/fault.ts';
import type { RequestRecord } from '../../oauth/request_record.ts';
import { timeOfDay } from '../log/events.ts';
import { paints } from '../log/paint.ts';
import { roundedDuration } from './facts.ts';

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
