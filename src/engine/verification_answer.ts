// Owns what a gateway is told of a request that may pass: the X-Auth headers.

import { epochSeconds } from '../lib/clock.ts';
import { headerText, noStore, type Reply } from '../oauth/reply.ts';
import type { Caller } from '../programme/requests/client_values.ts';
import type { Inputs } from '../programme/requests/inputs.ts';
import { memberOf, type StandingToken } from './presented/access_token.ts';
import type { Service } from './service.ts';

/**
 * 200 without a body. Every header is always there, empty where nothing is known: a gateway that
 * copies the headers onto the request overwrites each one that a stranger sent. The same goes for
 * the dialect's own headers for programme and client.
 */
export function passed(
  { programme, environment }: Service,
  caller: Caller,
  headers: Inputs,
  token?: StandingToken,
): Reply {
  const { scope = '' } = token ?? {};
  const member = token && memberOf(token);
  const isLevel = programme.scope.levels.includes(scope);
  const told: Record<string, string> = {};
  for (const { name, role, valueFor } of programme.verification.toldHeaders) {
    const sent = role === undefined ? undefined : headers.get(role);
    told[name] = headerText(valueFor(caller, sent, member));
  }
  return {
    status: 200,
    headers: {
      ...noStore,
      ...told,
      'X-Auth-Environment': environment,
      'X-Auth-Programme': programme.id,
      'X-Auth-Kind': token?.kind ?? 'none',
      'X-Auth-Client-Id': headerText(caller.id),
      'X-Auth-Context': headerText(caller.businessContext),
      'X-Auth-Partner-Id': headerText(caller.partnerId),
      'X-Auth-Subject': headerText(token?.subject),
      'X-Auth-Membership-Number': headerText(member?.membershipNumber),
      'X-Auth-Scope': headerText(scope),
      'X-Auth-Level': isLevel ? headerText(scope) : '',
      'X-Auth-Expires': token === undefined ? '' : String(epochSeconds(token.expiresAt)),
    },
    body: '',
  };
}
