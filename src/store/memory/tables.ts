// Owns the tables in which the memory store keeps codes and logins.

import type { ProgrammeId } from '../../oauth/client.ts';
import type { AuthorizationCode, CodeKey, Era, LoginState, Place } from '../../oauth/grant.ts';
import type { SpentFor } from '../grants.ts';
import { MemoryTable } from './table.ts';

export type CodeRow = UnspentCode | SpentCode;

interface UnspentCode {
  readonly code: AuthorizationCode;
  readonly era: Era;
  readonly spentFor?: undefined;
}

interface SpentCode extends SpentFor {
  readonly programme: ProgrammeId;
  /** Until the code's `forgetAt`: its transaction gets no other code. */
  readonly whole?: AuthorizationCode;
}

/** One flat object a login, changed in place: a collection of garbage costs by the objects that survive it. */
export type LoginRow = {
  -readonly [Name in keyof Omit<LoginState, 'ownScope'>]: LoginState[Name];
} & { ownScope: string | undefined; readonly era: Era };

export interface GrantTables {
  readonly codes: MemoryTable<CodeRow, CodeKey>;
  /** The key of each login's code, by the login's transaction. */
  readonly transactions: MemoryTable<CodeKey>;
  readonly logins: MemoryTable<LoginRow, Place>;
}

export function grantTables(): GrantTables {
  return { codes: new MemoryTable(), transactions: new MemoryTable(), logins: new MemoryTable() };
}
