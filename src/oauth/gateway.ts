// Owns the vocabulary of gateways, which ask for one programme whether a request may pass.

import type { Instant } from '../lib/clock.ts';
import type { ProgrammeId, StoredSecret } from './client.ts';

/** A gateway's identifier, unique within its programme. */
export type GatewayId = string & { readonly __brand: 'GatewayId' };

/** A gateway's registration with one programme (RFC 7662 2.1). */
export interface Gateway {
  readonly programme: ProgrammeId;
  readonly id: GatewayId;
  readonly name: string;
  /** One, or two during a rotation. */
  readonly secrets: readonly StoredSecret[];
  readonly status: 'active' | 'disabled';
  readonly createdAt: Instant;
}
