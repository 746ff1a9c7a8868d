// Owns the MemberDirectory contract: who answers whether a member's credentials are right.

import type { Admission } from '../lib/gate.ts';
import type { ClientId } from '../oauth/client.ts';
import type { Member, Subject } from '../oauth/member.ts';

/**
 * What a member typed, and where it was typed. Where it is hung up before its work has begun, none is
 * begun, and the attempt rejects with the signal's reason; what has begun goes on, since its outcome
 * counts.
 */
export interface LoginAttempt extends Admission {
  /** Normalised: see username.ts. */
  readonly username: string;
  /** As it was typed, for directories that have rules of their own for names. */
  readonly typedUsername: string;
  readonly password: string;
  readonly client: ClientId;
  /** The member's address: the caller's own, or what a partner says of its customer. */
  readonly customerAddress?: string;
  /** False where the address is a partner's word. */
  readonly addressVerified: boolean;
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
  /**
   * Takes as long as a `no_match`, and rejects when `verify` would, for attempts that are not put to
   * the directory: that of a locked account must not be told from a wrong password (HOSTILE 17, 63).
   */
  decline(attempt: LoginAttempt): Promise<void>;
  /** Whether a member may still hold tokens; asked at every refresh (G-23). */
  isActive(subject: Subject): Promise<boolean>;
  /**
   * Whether `isActive` is answered from this service's own store: then it is asked at every use of
   * a member's access token too. Of a directory elsewhere that would cost each of them a call.
   */
  readonly isOwn: boolean;
}
