// Owns what may be said of a client on the command line, and what is wrong with it. No store here.

import { parseDuration } from '../lib/duration.ts';
import { quote } from '../lib/fault.ts';
import type { Client, Role, ThrottleLimit } from '../oauth/client.ts';
import { redirectUriFault } from '../oauth/redirect_uri.ts';
import { refuseUsage } from './exit.ts';

/** The options as they were typed. */
export interface ClientOptions {
  readonly name: string;
  readonly redirectUri?: readonly string[];
  readonly role?: readonly Role[];
  readonly businessContext?: string;
  readonly partnerId?: string;
  readonly throttleLimit?: string;
  readonly throttleWindow?: string;
}

export type ClientFields = Pick<
  Client,
  'name' | 'roles' | 'redirectUris' | 'businessContext' | 'partnerId' | 'throttle'
>;

/** A client's fields by its options; throws a usage error that names every fault at once. */
export function readClientFields(options: ClientOptions): ClientFields {
  const { name, redirectUri = [], role = [], businessContext, partnerId } = options;
  const throttle = readThrottle(options.throttleLimit, options.throttleWindow);
  refuseUsage([
    ...nameFaults(name),
    ...redirectUriFaults(redirectUri, role),
    ...shapeFaults('--business-context', businessContext, /^[A-Za-z]{1,50}$/, '1 to 50 letters'),
    ...shapeFaults('--partner-id', partnerId, /^[A-Za-z0-9]{8,20}$/, '8 to 20 letters and digits'),
    ...(typeof throttle === 'string' ? [throttle] : []),
  ]);
  return {
    name,
    roles: [...new Set(role)],
    redirectUris: [...new Set(redirectUri)],
    ...(businessContext === undefined ? {} : { businessContext }),
    ...(partnerId === undefined ? {} : { partnerId }),
    ...(typeof throttle === 'object' ? { throttle } : {}),
  };
}

function nameFaults(name: string): readonly string[] {
  const isPlain = name.trim() !== '' && name.length <= 200 && !/\p{C}/u.test(name);
  return isPlain ? [] : ['--name must be 1 to 200 characters that can be seen'];
}

/** RFC 9700 2.6, HOSTILE 7: what is registered is where codes are sent. */
function redirectUriFaults(uris: readonly string[], role: readonly Role[]): readonly string[] {
  const faults = uris.flatMap((uri) => {
    const fault = redirectUriFault(uri);
    return fault === undefined ? [] : [`--redirect-uri ${quote(uri)} ${fault}`];
  });
  return role.includes('member') && uris.length === 0
    ? ['--role member needs a --redirect-uri, where members return to after a login']
    : faults;
}

/** P-1 says what identifiers look like. */
function shapeFaults(
  option: string,
  value: string | undefined,
  shape: RegExp,
  words: string,
): readonly string[] {
  return value === undefined || shape.test(value)
    ? []
    : [`${option} must be ${words}, not ${quote(value)}`];
}

/** The limit, a fault in words, or undefined when none was asked for. */
function readThrottle(limit?: string, window?: string): ThrottleLimit | string | undefined {
  if (limit === undefined && window === undefined) return undefined;
  if (limit === undefined || window === undefined) {
    return '--throttle-limit and --throttle-window go together';
  }
  const count = /^\d{1,7}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > 1_000_000) {
    return `--throttle-limit must be a number from 1 to 1000000, not ${quote(limit)}`;
  }
  const span = parseDuration(window);
  if (span === undefined || span < 1000) {
    return `--throttle-window must be a duration of at least 1s, such as 1m, not ${quote(window)}`;
  }
  return { limit: count, window: span };
}
