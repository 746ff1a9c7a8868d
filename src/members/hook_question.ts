// Owns the questions that are put to a hook, member by member as the contract has them.

import { randomKey } from '../lib/random.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { Subject } from '../oauth/member.ts';

/** Version of the contract; `v` of every question. */
const hookVersion = 1;

/** A question ready to be signed and sent. */
export interface HookQuestion {
  /** Below the hook's URL. */
  readonly path: 'verify' | 'status';
  readonly requestId: string;
  readonly body: string;
}

export interface VerifyFacts {
  readonly username: string;
  readonly password: string;
  readonly clientId: string;
  /** Where the member is, if that is known, and whether it is more than a partner's word. */
  readonly customerIp: string | undefined;
  readonly ipVerified: boolean;
}

/** Asks whether username and password are a member's. */
export function verifyQuestion(programme: ProgrammeId, facts: VerifyFacts): HookQuestion {
  return question('verify', programme, {
    username: facts.username,
    password: facts.password,
    client_id: facts.clientId,
    customer_ip: facts.customerIp ?? null,
    ip_verified: facts.ipVerified,
  });
}

/** Asks whether a member may still hold tokens. */
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
