// Owns the causes for which an access token or an API key is refused.

import type { Instant } from '../../lib/clock.ts';
import { type Cause, describeAge, describeText } from '../../oauth/cause.ts';
import type { Client } from '../../oauth/client.ts';
import type { Service } from '../service.ts';
import { findIssuedToken, proveAnyAge } from '../standing_token.ts';
import { isLatest } from '../token_forms.ts';

const access = ['tokens', 'access'];

/** Why `findStandingToken` has not found a token. */
export async function deadToken(service: Service, text: string, now: Instant): Promise<Cause> {
  const because = (came: string, rule = access): Cause => ({
    rule,
    expected: 'a live access token of the programme',
    came,
  });
  // Of a JWT no signature is checked again to tell that it has expired.
  const said = saidEnd(text);
  const end = (at: number): string => `one that expired ${describeAge(now - at)}`;
  if (said !== undefined && said <= now) return because(end(said), [...access, 'lifetime']);
  const proven = await proveAnyAge(service, text, now);
  if (proven === undefined) {
    const made =
      service.programme.forms.access_token === undefined
        ? 'made under a key that it still has'
        : 'keeps';
    const came = `none that the programme ${made}: one that expired, of another programme or environment, or no token (${describeText(text)})`;
    return because(came);
  }
  if (proven.expiresAt <= now) return because(end(proven.expiresAt), [...access, 'lifetime']);
  if (!proven.isKnown) return because('one that is ahead of its login: was the store put back?');
  if (proven.login?.revoked === true) return because('one whose login was ended');
  if (!(await isLatest(service, proven, now))) {
    return because('one that a later token of its owner ended', [...access, 'live']);
  }
  if ((await findIssuedToken(service, text, now)) === undefined)
    return because('one that was revoked');
  const client = await service.store.find('client', service.programme.id, proven.client);
  if (client?.status !== 'active')
    return because('one whose client is disabled or gone', ['client']);
  return because('one whose member is disabled or gone', ['members']);
}

/** The end that a text tells of itself, if it looks like a JWT. */
function saidEnd(text: string): number | undefined {
  const [, payload, signature] = text.split('.', 3);
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

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
