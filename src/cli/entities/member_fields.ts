// Owns the fields of a member.

import { quote } from '../../lib/fault.ts';
import { longestUsername, normaliseUsername } from '../../members/username.ts';
import type { ClientId } from '../../oauth/client.ts';
import { type MemberRecord, subjectForm } from '../../oauth/member.ts';
import type { Programme } from '../../programme/programme.ts';
import { option, type OptionSpec } from '../grammar/options.ts';
import { warn } from '../output.ts';
import { fieldsOf, formFault, type Input, textField, textsOf } from './fields.ts';
import { memberProperties } from './properties_field.ts';

export type MemberFields = Pick<
  MemberRecord,
  'username' | 'status' | 'level' | 'membershipNumber' | 'properties'
>;

/** Checks the normalised name: normalising removes invisible characters. */
export function usernameFault(typed: string): string | undefined {
  const username = normaliseUsername(typed);
  if (username === '') return 'is empty';
  if (username.length > longestUsername) return `is longer than ${longestUsername} characters`;
  return /\p{C}/u.test(username) ? 'holds characters that cannot be seen' : undefined;
}

function levelFault(level: string, programme: Programme | undefined): string | undefined {
  if (programme === undefined || programme.scope.levels.includes(level)) return undefined;
  const { id, scope } = programme;
  return scope.levels.length === 0
    ? `must be left out: members of ${id} have no levels`
    : `${quote(level)} is none of ${id}: expected one of ${scope.levels.join(', ')}`;
}

export const memberFields = fieldsOf<MemberFields>()({
  username: {
    json: 'username',
    inputs: [
      {
        name: 'username',
        required: true,
        check: usernameFault,
        flags: '--username <name>',
        help: 'what the member types to log in; case does not count',
        helpAtSet: 'another name to log in with',
      },
    ],
    read: (given) => normaliseUsername(textsOf(given, 'username')[0] ?? ''),
  },
  status: { json: 'status', inputs: [], read: () => 'active' },
  level: textField(
    {
      name: 'level',
      check: levelFault,
      flags: '--level <scope>',
      help: 'how securely the member is authenticated, such as AUTHN-LEVEL-12',
    },
    "leave it to the programme's default",
  ),
  membershipNumber: textField(
    {
      name: 'membership_number',
      check: formFault(/^\d{1,24}$/, 'digits, at most 24'),
      flags: '--membership-number <digits>',
      help: 'the number on the card: 16 to 24 digits',
    },
    'take the number away',
  ),
  properties: memberProperties,
});

/** C-9, HOSTILE 34: no member's subject may look like a client's. Only files can set a subject. */
export const subjectInput: Input = {
  name: 'subject',
  check: (subject, programme) => {
    if (!subjectForm.test(subject))
      return 'must be 1 to 255 visible ASCII characters without spaces';
    if (programme?.isClientSubject(subject) !== true) return undefined;
    const prefix = programme.clientSubject('' as ClientId);
    return `begins with ${quote(prefix)}, as the subjects of clients do`;
  },
};

/** Warns of other forms than P-7's 16 to 24 digits, which some grants refuse (P-15). */
export function numberWarnings(
  { id, memberNumber: { neededBy, fits, form } }: Programme,
  number: string | undefined,
): readonly string[] {
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

/** Adding members is right before a change of directory; otherwise it is the wrong verb. */
export function warnOfDirectory({ members }: Programme): void {
  if (members.directory === 'store') return;
  warn(
    'members of this programme log in by its hook (members.url): those in the store count once its directory is store',
  );
}

export const newPasswordOption: OptionSpec = option(
  '--password-stdin',
  'read a new password from standard input',
);

/** A thief who knew the old password has logins of his own, so they end with it (HOSTILE 94). */
export const keepLoginsOption: OptionSpec = option(
  '--keep-logins',
  'with a new password: leave its logins, codes and tokens as they are',
);

/**
 * The members of one write, which is whole or not there (FAULTS 37). A file store takes up to 20 µs a
 * member, and the writes of a running server wait for it: they are refused after 1.5 s.
 */
export const addedAtOnce = 20_000;
