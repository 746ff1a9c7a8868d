// Owns the MemberDirectory contract: whether a member's credentials are right.

import type { Admission } from '../lib/gate.ts';
import type { ClientId } from '../oauth/client.ts';
import type { Member, Subject } from '../oauth/member.ts';

/**
 * What a member typed, and where. When the caller hangs up before the work has begun, the attempt
 * rejects with the signal's reason; work that has begun goes on, since its outcome counts.
 */
export interface LoginAttempt extends Admission {
  /** Normalised: see username.ts. */
  readonly username: string;
  /** As it was typed, for directories that have rules of their own for names. */
  readonly typedUsername: string;
  readonly password: string;
  readonly client: ClientId;
  /** The member's address: the caller's own, or the address that a partner claims for its customer. */
  readonly customerAddress?: string;
  /** False where a partner claims the address. */
  readonly addressVerified: boolean;
}

export type Verification =
  | { readonly outcome: 'match'; readonly member: Member }
  | { readonly outcome: 'no_match' };

/**
 * A programme's member directory. A directory that cannot answer rejects with `Unavailable`, never
 * with `no_match`.
 */
export interface MemberDirectory {
  verify(attempt: LoginAttempt): Promise<Verification>;
  /**
   * Takes as long as a `no_match`, and rejects when `verify` would, for attempts that the directory is
   * not to judge: a locked account must look like a wrong password (HOSTILE 17, 63).
   */
  decline(attempt: LoginAttempt): Promise<void>;
  /** Whether a member may still hold tokens; asked at every refresh (G-23). */
  isActive(subject: Subject): Promise<boolean>;
  /**
   * Whether `isActive` reads this service's own store: then it is asked at every use of a member's
   * access token too. For a directory elsewhere each use would cost a call.
   */
  readonly isOwn: boolean;
}
