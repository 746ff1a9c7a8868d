// Owns the MemberDirectory contract, which checks a member's credentials.

import type { Admission } from '../lib/gate.ts';
import type { Soon } from '../lib/pause.ts';
import type { ClientId } from '../oauth/client.ts';
import type { Member, Subject } from '../oauth/member.ts';
import type { RequestRecord } from '../oauth/request_record.ts';

/**
 * The typed credentials and their sender. If the caller hangs up before the work has begun, the
 * attempt rejects with the signal's reason; work that has begun goes on, since its outcome counts.
 */
export interface LoginAttempt extends Admission {
  /** Normalised: see username.ts. */
  readonly username: string;
  /** As typed, for directories with their own rules for names. */
  readonly typedUsername: string;
  readonly password: string;
  readonly client: ClientId;
  /** The caller's own address, or the address that a partner states for its customer. */
  readonly customerAddress?: string;
  /** False if a partner states the address. */
  readonly addressVerified: boolean;
  /** Of the request that asks; absent where a command asks. */
  readonly record?: RequestRecord;
}

export type Verification =
  | { readonly outcome: 'match'; readonly member: Member }
  | { readonly outcome: 'no_match' };

/** If it cannot answer, a directory rejects with `Unavailable`, never with `no_match`. */
export interface MemberDirectory {
  verify(attempt: LoginAttempt): Promise<Verification>;
  /**
   * Fails like `verify`, in equal time: a locked account looks like a wrong password (HOSTILE 17,
   * 63).
   */
  decline(attempt: LoginAttempt): Promise<void>;
  /** Whether a member may still hold tokens; asked at every refresh (G-23). */
  isActive(subject: Subject, record?: RequestRecord): Soon<boolean>;
  /**
   * A member who may log in, found without a password for a client that vouches for it; `by` is what a
   * directory elsewhere cannot all do (`checks/assertions.ts`).
   */
  find(
    by: 'username' | 'subject',
    name: string,
    record?: RequestRecord,
  ): Promise<Member | undefined>;
  /**
   * `isActive` reads this service's own store, so it is also asked at every use of a member's
   * access token. With a directory elsewhere, each use would cost a call.
   */
  readonly isOwn: boolean;
  /** Whether it failed so often that it is not asked for a while; absent for the store's own. */
  readonly isCircuitOpen?: () => boolean;
}
