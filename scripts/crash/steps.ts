// Owns the steps of a crash campaign's workers, their reports, and the fixed names in them.

import { type Instant, instant } from '../../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';

export const programme = 'campaign' as ProgrammeId;
export const client = 'partner' as ClientId;

/** What one try would leave in a login: of a spend its place, of a refresh a place that it has already. */
export interface Offer {
  readonly place: number;
  /** In hexadecimal. */
  readonly nonce: string;
}

/** One acknowledged or pending step of a lane; of several concurrent tries, one may win. */
export type Step =
  | { readonly act: 'start'; readonly place: number }
  | { readonly act: 'issue'; readonly code: string; readonly subject: string }
  | { readonly act: 'spend'; readonly code: string; readonly offers: readonly Offer[] }
  | { readonly act: 'refresh'; readonly generation: number; readonly offers: readonly Offer[] }
  | { readonly act: 'revoke'; readonly place: number }
  | { readonly act: 'revokeAll'; readonly subject: string }
  | Change;

/** The changes of operators, each made once; keys belong to a programme named after their owner. */
export type Change =
  | { readonly act: 'addClient' | 'disableClient' | 'removeClient'; readonly id: string }
  | { readonly act: 'firstKey' | 'rotateKey'; readonly owner: string }
  | { readonly act: 'unlock'; readonly account: string };

/** A worker writes a line before each step, and one after the store's answer. */
export type Line =
  | { readonly ready: number }
  | { readonly lane: string; readonly step: Step }
  | { readonly lane: string; readonly outcomes: readonly string[] };

/** Far enough in the future that nothing expires within a campaign. */
export function endOf(now: Instant): Instant {
  return instant(now + 86_400_000);
}
