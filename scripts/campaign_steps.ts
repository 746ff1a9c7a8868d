// Owns the steps of a crash campaign's workers, their reports, and the fixed names in them.

import { type Instant, instant } from '../src/lib/clock.ts';
import type { ClientId, ProgrammeId } from '../src/oauth/client.ts';

export const programme = 'campaign' as ProgrammeId;
export const client = 'partner' as ClientId;

/** The rows of one try. */
export interface Offer {
  readonly family?: string;
  readonly refresh: string;
  readonly access: string;
}

/** One acknowledged or pending step of a lane; of several concurrent tries, one may win. */
export type Step =
  | { readonly act: 'save'; readonly access: string }
  | { readonly act: 'issue'; readonly code: string; readonly subject: string }
  | { readonly act: 'spend'; readonly code: string; readonly offers: readonly Offer[] }
  | { readonly act: 'rotate'; readonly token: string; readonly offers: readonly Offer[] }
  | { readonly act: 'revoke'; readonly family: string }
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
