// Owns what a running server tells of one client on its control socket.

import { countedSince } from '../engine/client_uses.ts';
import { instant } from '../lib/clock.ts';
import { dateText } from '../lib/duration.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type { ProcessParts } from './lifecycle/process_parts.ts';

/** What a client did since a time: the first minute that counts, or the start of the server. */
export interface ClientUseView {
  readonly token_requests: number;
  readonly throttled: number;
  readonly failed_authentications: number;
  readonly since: string;
}

/** Of the client that the query names by `programme` and `client`. */
export function viewClientUse(
  { serving, started, clock }: ProcessParts,
  query: URLSearchParams,
): ClientUseView {
  const programme = query.get('programme') ?? '';
  const site = serving.served.get(programme as ProgrammeId)?.site;
  if (site === undefined) throw new Error(`${programme} is not served`);
  const at = clock.now();
  const use = site.service.uses.of((query.get('client') ?? '') as ClientId, at);
  return {
    token_requests: use.allowed,
    throttled: use.throttled,
    failed_authentications: use.failedAuthentications,
    since: dateText(instant(Math.max(started, countedSince(at)))),
  };
}
