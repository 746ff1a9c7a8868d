// Owns the tables in which the memory store keeps codes, token families and tokens.

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { AccessToken, Era, FamilyId, TokenFamily, TokenKey } from '../../oauth/grant.ts';
import type { CodeState } from '../judgement.ts';
import { MemoryTable } from './table.ts';

/** `revoked` is derived from the revocations at each look-up. */
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

export interface GrantTables {
  readonly codes: MemoryTable<CodeRow>;
  /** The key of each login's code, by the login's transaction. */
  readonly transactions: MemoryTable<TokenKey>;
  readonly families: MemoryTable<FamilyRow>;
  readonly refresh: MemoryTable<RefreshRow>;
  readonly access: MemoryTable<AccessRow>;
}

export function grantTables(): GrantTables {
  return {
    codes: new MemoryTable(),
    transactions: new MemoryTable(),
    families: new MemoryTable(),
    refresh: new MemoryTable(),
    access: new MemoryTable(),
  };
}
