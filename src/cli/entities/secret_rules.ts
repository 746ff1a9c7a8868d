// Owns what secrets and API keys look like that are given to Jetway, and how long they must be.

import { countOf } from '../../oauth/cause.ts';
import { longestApiKey } from '../../oauth/client.ts';

/** An attacker with store and master key can guess shorter secrets. */
const shortestGoodSecret = 16;

/** Why a text cannot be a secret or API key, as the end of a sentence. */
export function secretFault(text: string): string | undefined {
  return /\p{Cc}/u.test(text) ? 'holds control characters' : undefined;
}

/** An API key must also be a legal header value. */
export function apiKeyFault(text: string): string | undefined {
  if (text.length > longestApiKey) return `has more than ${longestApiKey} characters`;
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text)
    ? undefined
    : 'cannot be sent in a header: expected ASCII without spaces around it';
}

/** A warning of a secret that can be guessed; `what` is `secret` or `API key`. */
export function secretWarning(what: string, text: string): string | undefined {
  return text.length < shortestGoodSecret
    ? `the ${what} has ${text.length} characters; with fewer than ${shortestGoodSecret} it can be guessed`
    : undefined;
}

/** The hint for a key that is too short. */
export const longer = `give it ${shortestGoodSecret} characters or more, as Jetway's have`;

/**
 * Why a text must not be all that names its client, as the end of a sentence: an API key, or a secret where
 * clients are found by it. A short one can be guessed, and no limit refuses the right one (HOSTILE 82).
 */
export function shortFault(text: string): string | undefined {
  return text.length < shortestGoodSecret
    ? `has only ${countOf(text.length, 'character')}: whoever guesses it is this client`
    : undefined;
}
