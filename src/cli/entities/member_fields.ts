// Owns what may be said of a member, and what is wrong with it. No store here.

import { quote } from '../../lib/fault.ts';
import { longestPassword } from '../../members/password.ts';
import { longestUsername } from '../../members/username.ts';
import type { ClientId } from '../../oauth/client.ts';
import { subjectForm } from '../../oauth/member.ts';
import type { Definition } from '../../programme/language/definition.ts';
import type { Programme } from '../../programme/programme.ts';
import { warn } from '../output.ts';

/** Rules take what they judge by the name it was given under: `--level`, or a column's. */
type Judged = readonly string[];

/** Judged as it is kept: what is typed loses its invisible characters first. */
export function usernameFaults(label: string, username: string): Judged {
  if (username === '') return [`${label} is empty`];
  if (username.length > longestUsername) {
    return [`${label} is longer than ${longestUsername} characters`];
  }
  return /\p{C}/u.test(username) ? [`${label} holds characters that cannot be seen`] : [];
}

export function levelFaults(
  label: string,
  { id, scope }: Programme,
  level: string | undefined,
): Judged {
  if (level === undefined || scope.levels.includes(level)) return [];
  return scope.levels.length === 0
    ? [`${label}: members of ${id} have no levels`]
    : [`${label} ${quote(level)} is none of ${id}: expected one of ${scope.levels.join(', ')}`];
}

export function membershipNumberFaults(label: string, number: string | undefined): Judged {
  return number === undefined || /^\d{1,24}$/.test(number)
    ? []
    : [`${label} must be digits, at most 24, not ${quote(number)}`];
}

/** C-9, HOSTILE 34: no member's subject may look like a client's. */
export function subjectFaults(label: string, programme: Programme, subject: string): Judged {
  if (!subjectForm.test(subject)) {
    return [`${label} must be 1 to 255 visible ASCII characters without spaces`];
  }
  if (!programme.isClientSubject(subject)) return [];
  const prefix = programme.clientSubject('' as ClientId);
  return [`${label} begins with ${quote(prefix)}, as the subjects of clients do`];
}

/** Never with the password in it. */
export function passwordFaults(label: string, password: string): Judged {
  return password.length > longestPassword
    ? [`${label} is longer than ${longestPassword} characters`]
    : [];
}

/** What partners may trip over: P-7 has 16 to 24 digits, and some grants refuse any other (P-15). */
export function numberWarnings(
  { id, memberNumber: { neededBy, fits, form } }: Programme,
  number: string | undefined,
): Judged {
  if (neededBy.size > 0 && !fits(number)) {
    const grants = [...neededBy].join(' and ');
    return [
      `the member has no membership number of ${form}: ${id} answers ${grants} with it, and refuses members without`,
    ];
  }
  return number === undefined || number.length >= 16
    ? []
    : [`the membership number has ${number.length} digits; partners expect 16 to 24`];
}

/** Who moves from one directory to the other may want to; everybody else took the wrong verb. */
export function warnOfDirectory({ members }: Definition): void {
  if (members.directory === 'store') return;
  warn(
    'members of this programme log in by its hook (members.url): those in the store count once its directory is store',
  );
}
