// Owns the secrets and API keys of clients as commands make and read them.

import { randomKey } from '../../lib/random.ts';
import { longestApiKey } from '../../programme/requests/verification.ts';
import type { Environment } from '../../store/contract.ts';
import { refuseUsage } from '../exit.ts';
import { warn } from '../output.ts';
import { readLine } from '../standard_input.ts';

/** DESIGN, "Semantics": generated secrets and API keys have 256 bits. */
const keyBytes = 32;

/** Shorter ones fall to guessing by who has stolen store and master key. */
const shortestGoodSecret = 16;

export function newSecret(): string {
  return randomKey(keyBytes);
}

/** The prefix lets people and secret scanners see what they have found, and where it counts (C-3). */
export function newApiKey(environment: Environment): string {
  return `jw_${environment}_${randomKey(keyBytes)}`;
}

/** A secret that the partner has already, from standard input; warns when it is short. */
export async function readGivenSecret(): Promise<string> {
  const secret = await readLine('secret');
  const fault = secretFault(secret);
  if (fault !== undefined) refuseUsage([`the secret on standard input ${fault}`]);
  const warning = secretWarning('secret', secret);
  if (warning !== undefined) warn(warning);
  return secret;
}

/** Why a text cannot be a secret or API key, to follow its name in a sentence. */
export function secretFault(text: string): string | undefined {
  return /\p{Cc}/u.test(text) ? 'holds control characters' : undefined;
}

/** Why a text cannot be an API key: it has to arrive as the value of a header. */
export function apiKeyFault(text: string): string | undefined {
  if (text.length > longestApiKey) return `has more than ${longestApiKey} characters`;
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text)
    ? undefined
    : 'cannot be sent in a header: expected ASCII without spaces around it';
}

/** What to say of one that can be guessed; `what` is `secret` or `API key`. */
export function secretWarning(what: string, text: string): string | undefined {
  return text.length < shortestGoodSecret
    ? `the ${what} has ${text.length} characters; with fewer than ${shortestGoodSecret} it can be guessed`
    : undefined;
}
