// Owns the questions to a hook and their signature (docs/member-directory.md).

import { createHmac } from 'node:crypto';

import { epochSeconds, type Instant } from '../lib/clock.ts';
import { randomKey } from '../lib/random.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Subject } from '../oauth/member.ts';

/** Version of the contract; `v` of every question. */
const hookVersion = 1;

export interface HookQuestion {
  /** Path below the hook's URL. */
  readonly path: 'verify' | 'status';
  readonly requestId: string;
  readonly body: string;
}

export interface VerifyFacts {
  readonly username: string;
  readonly password: string;
  readonly clientId: string;
  /** The member's address, if known, and whether it is more than a partner's statement. */
  readonly customerIp: string | undefined;
  readonly ipVerified: boolean;
}

export function verifyQuestion(programme: ProgrammeId, facts: VerifyFacts): HookQuestion {
  return question('verify', programme, {
    username: facts.username,
    password: facts.password,
    client_id: facts.clientId,
    customer_ip: facts.customerIp ?? null,
    ip_verified: facts.ipVerified,
  });
}

export function statusQuestion(programme: ProgrammeId, subject: Subject): HookQuestion {
  return question('status', programme, { subject });
}

function question(
  path: HookQuestion['path'],
  programme: ProgrammeId,
  members: object,
): HookQuestion {
  const requestId = randomKey(16);
  const body = JSON.stringify({ v: hookVersion, request_id: requestId, programme, ...members });
  return { path, requestId, body };
}

export type SignatureHeaders = Readonly<Record<string, string>>;

/**
 * `Jetway-Timestamp`, in seconds since the epoch, and `Jetway-Signature`: HMAC-SHA256 of timestamp,
 * dot and body. One `v1=` for each valid secret, so that a secret can be replaced without refused
 * questions. Without secrets there is no signature: the client certificate authenticates.
 */
export function signatureHeaders(
  secrets: readonly string[],
  body: string,
  now: Instant,
): SignatureHeaders {
  if (secrets.length === 0) return {};
  const timestamp = String(epochSeconds(now));
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    return `v1=${mac}`;
  });
  return { 'Jetway-Timestamp': timestamp, 'Jetway-Signature': signatures.join(',') };
}
