// Owns the rows that the memory store keeps of what was granted, and the names of their verbs.

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { AccessToken, Era, FamilyId, TokenFamily, TokenKey } from '../../oauth/grant.ts';
import type { Grants } from '../grants.ts';
import type { CodeState } from '../judgement.ts';
import type { Keeping } from '../keeping.ts';

/** The verbs of grants, and the sweep that forgets what ended. */
export type GrantVerbs = Grants & Pick<Keeping, 'sweep'>;

/** Whether its owner was revoked is asked each time. */
export type CodeRow = Omit<CodeState, 'revoked'> & { readonly era: Era };

export interface AccessRow {
  readonly token: AccessToken;
  readonly era: Era;
}

export interface FamilyRow {
  readonly era: Era;
  readonly family: TokenFamily;
  revoked: boolean;
}

export interface RefreshRow {
  readonly programme: ProgrammeId;
  readonly key: TokenKey;
  readonly family: FamilyId;
  readonly expiresAt: Instant;
  readonly predecessor?: TokenKey;
  rotated: boolean;
  retry?: { readonly keptAnswer: string; readonly retryUntil: Instant } | undefined;
}
