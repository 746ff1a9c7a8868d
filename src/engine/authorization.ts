// Owns what a token request hands to its grant.

import type { Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import type { Era } from '../oauth/grant.ts';
import type { RequestRecord } from '../oauth/request_record.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import type { Inputs } from '../programme/requests/input_rules.ts';
import type { Service } from './service.ts';

/** A token request that has passed every shared check. */
export interface GrantRequest {
  readonly service: Service;
  readonly client: Client;
  readonly inputs: Inputs;
  /** The requested scope, if any; it exists. */
  readonly scope: string | undefined;
  readonly now: Instant;
  /** The era in which the request began: a later revocation also ends the tokens issued here. */
  readonly era: Era;
  /** Makes a signal that aborts when the client hangs up, for work that takes long. */
  readonly hangUp: () => AbortSignal;
  readonly record: RequestRecord;
}

/** One grant: its tokens, once what they rest on is durable, or a `Refusal`. */
export type Grant = (request: GrantRequest) => Promise<TokenSet>;
