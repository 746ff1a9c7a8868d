// Owns the vocabulary of members: who logs in, and how sure the service is of it.

import type { Instant } from '../lib/clock.ts';
import type { ProgrammeId } from './client.ts';

/** The directory's immutable name for a member; it outlives changes of username. */
export type Subject = string & { readonly __brand: 'Subject' };

/** What a subject can be, whatever directory it is of: it goes into tokens, stores and commands as it is. */
export const subjectForm: RegExp = /^[!-~]{1,255}$/;

/** What a directory tells of a member whose credentials matched. */
export interface Member {
  readonly subject: Subject;
  /** How securely members like this one are authenticated; absent, the programme's default (G-12). */
  readonly level?: string;
  readonly membershipNumber?: string;
}

/** A member as the embedded directory keeps it. */
export interface MemberRecord extends Member {
  readonly programme: ProgrammeId;
  /** Normalised: see members/username.ts. */
  readonly username: string;
  /** A PHC string (`$argon2id$…`). */
  readonly passwordHash: string;
  readonly status: 'active' | 'disabled';
  readonly createdAt: Instant;
}
