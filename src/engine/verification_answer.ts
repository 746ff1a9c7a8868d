// Owns what a gateway is told of a request that may pass: the X-Auth headers.

import { epochSeconds } from '../lib/clock.ts';
import { noStore, type Reply } from '../oauth/reply.ts';
import type { Caller } from '../programme/requests/verify_headers.ts';
import { membershipNumberOf } from './family_member.ts';
import type { Service } from './service.ts';
import type { StandingToken } from './standing_token.ts';

/**
 * 200 without a body. Every header is there every time, empty where nothing is known: a gateway
 * that copies them onto the request then overwrites each one that came from outside. So are the
 * headers of the dialect's own that name programme and client.
 */
export async function passed(
  service: Service,
  caller: Caller,
  token?: StandingToken,
): Promise<Reply> {
  const { programme, environment } = service;
  const { scope = '' } = token ?? {};
  const isLevel = programme.scope.levels.includes(scope);
  const number = await membershipNumberOf(service, token?.family);
  const told: Record<string, string> = {};
  for (const { name, valueFor } of programme.verification.toldHeaders) {
    told[name] = headerText(valueFor(caller));
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
      'X-Auth-Membership-Number': headerText(number),
      'X-Auth-Scope': headerText(scope),
      'X-Auth-Level': isLevel ? headerText(scope) : '',
      'X-Auth-Expires': token === undefined ? '' : String(epochSeconds(token.expiresAt)),
    },
    body: '',
  };
}

/** Visible ASCII and single spaces inside stay; the percent sign and all else is percent-encoded. */
function headerText(value = ''): string {
  return /^[!-$&-~]*$/.test(value) ? value : encode(value);
}

function encode(value: string): string {
  const text = value.toWellFormed();
  return text.replaceAll(/[^!-$&-~ ]+|^ | $| (?= )/g, (part) => encodeURIComponent(part));
}
