// Owns the causes for which an access token or an API key is refused.

import type { Instant } from '../../lib/clock.ts';
import { type Cause, describeAge, describeText, type RulePath } from '../../oauth/cause.ts';
import type { Client } from '../../oauth/client.ts';
import { proveAnyAge, saidEnd, type TokenFault } from '../presented/access_token.ts';
import type { Service } from '../service.ts';

const access = ['tokens', 'access'];

/** Why a token is not live, in words. */
export async function deadToken(
  service: Service,
  fault: TokenFault,
  text: string,
  now: Instant,
): Promise<Cause> {
  const because = (came: string, rule: RulePath = access): Cause => ({
    rule,
    expected: 'a live access token of the programme',
    came,
  });
  if (fault !== 'unproven') return because(...faults[fault]);
  // Of a JWT no signature is checked again to tell that it has expired.
  const said = saidEnd(text);
  const end =
    said !== undefined && said <= now ? said : (await proveAnyAge(service, text, now))?.expiresAt;
  // Between the two looks a key may have been reloaded, by which a live token proves itself.
  if (end !== undefined && end <= now) {
    return because(`one that expired ${describeAge(now - end)}`, [...access, 'lifetime']);
  }
  const made =
    service.programme.forms.access_token === undefined
      ? 'made under a key that it still has'
      : 'keeps';
  return because(
    `none that the programme ${made}: one that expired, of another programme or environment, or no token (${describeText(text)})`,
  );
}

const faults: Readonly<Record<Exclude<TokenFault, 'unproven'>, readonly [string, RulePath?]>> = {
  unknown: ['one that is ahead of its login: was the store put back?'],
  login_ended: ['one whose login was ended'],
  replaced: ['one that a later token of its owner ended', [...access, 'live']],
  revoked: ['one that was revoked'],
  client_disabled: ['one whose client is disabled or gone', ['client']],
  member_disabled: ['one whose member is disabled or gone', ['members']],
};

/** @param clients those that have the key, live or not */
export function deadKey(clients: readonly Client[], key: string): Cause {
  const rule = ['verify', 'api_key_header'];
  const expected = 'a live API key of an active client';
  if (clients.length === 0) {
    return { rule, expected, came: `one that no client has, of ${describeText(key)}` };
  }
  const isDisabled = clients.every(({ status }) => status !== 'active');
  return { rule, expected, came: isDisabled ? 'one of a disabled client' : 'one that has ended' };
}
