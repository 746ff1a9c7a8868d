// Owns the count of wrong API keys, whichever endpoint reads the key. It refuses nobody.

import { networkOf } from '../../lib/ip_address.ts';
import { counters } from '../../lib/metrics/families.ts';
import type { RequestRecord } from '../../oauth/request_record.ts';
import type { Service } from '../service.ts';

const wrongKeys = counters(
  'jetway_wrong_api_keys_total',
  'API keys that came and were no live key of an active client, or of the client that sent them.',
  'programme',
);

/**
 * Counts by the caller's address, if a trusted proxy has told it. Any other address may be the gateway's
 * own, from which right keys come too: then the programme's wrong keys are counted together, for the log
 * alone. Past the limit a wrong key gets the same answer as before, since a gateway would take another
 * for an outage (HOSTILE 58), but no line of the log. A right key never comes here.
 */
export async function countWrongKey(service: Service, record: RequestRecord): Promise<void> {
  const { programme, store, clock, reports, log } = service;
  const { id, clients } = programme;
  const limit = clients.failureLimit;
  wrongKeys({ programme: id }).add();
  if (limit === undefined) return;
  const now = clock.now();
  const address = record.forwarded?.();
  const { allowed } =
    address === undefined
      ? reports.count('wrong keys', limit, now)
      : await store.count('failed_key', id, networkOf(address), limit, now);
  if (allowed) return;
  record.isTurnedAway = address !== undefined;
  const once = { limit: 1, window: limit.window };
  if (!reports.count('wrong keys told', once, now).allowed) return;
  const from = address === undefined ? 'without an address to count by' : 'from one address';
  const detail = `more than ${limit.limit} wrong API keys within ${limit.window / 1000} s, ${from}: somebody guesses, or has an old key`;
  log.error('wrong_api_keys', { programme: id, request_id: record.id, detail });
}
