// Owns the MemberDirectory contract: who answers whether a member's credentials are right.

import type { ClientId } from '../oauth/client.ts';
import type { Member, Subject } from '../oauth/member.ts';

/** What a member typed, and where it was typed. */
export interface LoginAttempt {
  readonly username: string;
  readonly password: string;
  readonly client: ClientId;
}

export type Verification =
  | { readonly outcome: 'match'; readonly member: Member }
  | { readonly outcome: 'no_match' };

/**
 * A programme's member directory. A directory that cannot answer rejects with `Unavailable`; it
 * never turns its own trouble into `no_match`.
 */
export interface MemberDirectory {
  verify(attempt: LoginAttempt): Promise<Verification>;
  /** Whether a member may still hold tokens; asked at every refresh (G-23). */
  isActive(subject: Subject): Promise<boolean>;
}
