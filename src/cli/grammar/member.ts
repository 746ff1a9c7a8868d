// Owns the verbs below `member`; entities/member_fields.ts holds its fields.

import { addOptions, newInputsOf } from '../entities/fields.ts';
import { addMember, unlockMember } from '../entities/member_add.ts';
import { memberFields, subjectInput } from '../entities/member_fields.ts';
import { memberKind } from '../entities/member_kind.ts';
import { listOptions } from '../entities/show.ts';
import { importMembers } from '../import/members.ts';
import { columnsHelp } from '../import/table.ts';
import { testDirectory } from '../server/directory_test.ts';
import { option, type Verb } from './grammar.ts';
import {
  importVerb,
  listVerb,
  programmeVerb,
  removeVerb,
  setVerb,
  showVerb,
  statusVerbs,
} from './kind_verbs.ts';

export const memberVerbs: readonly Verb[] = [
  programmeVerb(
    {
      words: 'member add',
      summary: 'add a member, whose password is read from standard input',
      options: [
        ...addOptions(memberFields),
        option('--password-stdin', 'read the password from standard input', { required: true }),
      ],
      example:
        'printf %s "$PASSWORD" | jetway member add --programme my-club --username ann --password-stdin',
      run: addMember,
    },
    'programme the member belongs to',
  ),
  importVerb(memberKind, 'programme the members belong to', {
    summary: 'add members that exist elsewhere, with their passwords: all of them or none',
    details: `Columns: ${columnsHelp('member', [...newInputsOf(memberFields), subjectInput])}, and of each member exactly one of password (as it is typed), bcrypt, argon2 (a PHC string) and pbkdf2. That is pbkdf2_sha256$ITERATIONS$SALT$HASH as Django has it, with the salt as text, or $pbkdf2-sha256$i=ITERATIONS$SALT$HASH and $pbkdf2-sha256$ITERATIONS$SALT$HASH as PHC and passlib have it, with the salt in base64; sha1 and sha512 in the place of sha256 too, and from 1000 to 10000000 iterations. Hashes are kept until the next login, and are argon2id from then on. bcrypt knows 72 bytes of a password: a longer one does not match such a hash; set it anew by member set.`,
    argument: [
      '<file>',
      'a .csv with a header line, which nobody else should read; - for standard input',
    ],
    run: importMembers,
  }),
  listVerb(memberKind, {
    summary: 'list members, with the failed logins that count against them now',
    options: [
      ...listOptions,
      option('--username <text>', 'only those whose username holds this'),
      option('--locked', 'only those locked by too many wrong passwords'),
    ],
    example: '--locked',
  }),
  showVerb(memberKind, 'show a member, its failed logins, and until when it is locked', {
    details:
      'Wrong passwords from browsers with which the member has logged in before are counted apart, and not shown.',
  }),
  setVerb(memberKind, 'change what is kept of a member', { example: '--level AUTHN-LEVEL-12' }),
  ...statusVerbs(
    memberKind,
    'let a member log in no more, and refuse its tokens',
    'let a disabled member in again',
  ),
  {
    words: 'member unlock',
    summary: 'end the lock of a username that was tried with wrong passwords too often',
    argument: ['<username>', 'the name that is locked, of whatever directory'],
    reads: 'store',
    json: true,
    options: [
      option('--programme <name>', 'the programme it is locked in; all of them without it'),
    ],
    example: 'jetway member unlock ann',
    run: unlockMember,
  },
  removeVerb(memberKind, 'remove a member for good, with all its tokens'),
  {
    words: 'member directory-test',
    summary: "test whether a programme's hook to an airline's member system keeps its contract",
    reads: 'configuration',
    json: true,
    options: [
      option('--programme <name>', 'programme whose file has members.directory: http', {
        required: true,
      }),
      option('--username <name>', 'a member that there is, to test a match with'),
      option('--password-stdin', "read that member's password from standard input"),
    ],
    example: 'jetway member directory-test --programme my-club',
    exits: { 1: 'failed; a check did not pass' },
    run: testDirectory,
  },
];
