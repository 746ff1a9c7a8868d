// Owns the audience of tokens where requests can ask for one (RFC 8707).

import { ownCause, type RulePath } from '../oauth/cause.ts';
import { Refusal } from '../oauth/failure.ts';
import type { GrantRequest } from './authorization.ts';
import type { Service } from './service.ts';

/**
 * The audience that was granted before, which a request may name again. Refuses one that names another
 * (HOSTILE 32).
 */
export function sameResource(
  { service, inputs, refuseOther }: GrantRequest,
  granted: string | undefined,
): string | undefined {
  const sent = inputs.get('resource');
  const right = granted ?? service.programme.audience;
  if (sent === undefined || sent === right) return granted;
  return refuseOther('resource', `${right}, as granted`, sent);
}

interface Targeted {
  readonly resource?: string | undefined;
}

/** `aud` of a token. */
export function audienceOf({ programme }: Service, { resource }: Targeted): string {
  return resource ?? programme.audience;
}

/** Whether Jetway's own endpoints take the token: one for another API opens nothing here. */
export function isForProgramme(service: Service, token: Targeted): boolean {
  return audienceOf(service, token) === service.programme.audience;
}

/** Refuses a token for another audience (RFC 9068 4). */
export function expectAudience(
  service: Service,
  token: Targeted,
  rule: RulePath,
  audience: string = service.programme.audience,
): void {
  const came = audienceOf(service, token);
  if (came === audience) return;
  const cause = ownCause(rule, `a token for ${audience}`, `one for ${came}`);
  throw new Refusal('invalid_token', { cause });
}
