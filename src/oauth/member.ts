// Owns the vocabulary of members, who log in.

import type { Instant } from '../lib/clock.ts';
import type { ProgrammeId } from './client.ts';

/** The directory's immutable name for a member; it outlives changes of username. */
export type Subject = string & { readonly __brand: 'Subject' };

/** The form of every directory's subjects: tokens, stores and commands hold them unencoded. */
export const subjectForm: RegExp = /^[!-~]{1,255}$/;

/** Properties of members: their names as those of clients', and their bounds. */
export const propertyLimits = { count: 32, length: 1000 } as const;
export const propertyNameForm: RegExp = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** Whether a text can be the value of a property: characters that can be seen. */
export function isPropertyValue(text: string): boolean {
  return text !== '' && text.length <= propertyLimits.length && !/\p{C}/u.test(text);
}

export function isSubject(text: string): text is Subject {
  return subjectForm.test(text);
}

/** A directory's facts of a member whose credentials matched. */
export interface Member {
  readonly subject: Subject;
  /** Level of the member's authentication; the programme's default if absent (G-12). */
  readonly level?: string;
  readonly membershipNumber?: string;
  /** What a dialect names as `member.NAME`; in codes and logins as they were when the member logged in. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** A member as the store's directory keeps it. */
export interface MemberRecord extends Member {
  readonly programme: ProgrammeId;
  /** Normalised: see members/username.ts. */
  readonly username: string;
  /** A PHC string (`$argon2id$…`). */
  readonly passwordHash: string;
  readonly status: 'active' | 'disabled';
  readonly createdAt: Instant;
}
