// Owns the verbs below `member`.

import { testDirectory } from '../entities/directory_test.ts';
import { listOptions } from '../entities/listing.ts';
import { addMember } from '../entities/member_add.ts';
import { listMembers } from '../entities/member_list.ts';
import { removeMember } from '../entities/member_remove.ts';
import { setMember } from '../entities/member_set.ts';
import { showMember } from '../entities/member_show.ts';
import { disableMember, enableMember } from '../entities/member_status.ts';
import { unlockMember } from '../entities/member_unlock.ts';
import { importMembers } from '../import/members_verb.ts';
import type { OptionSpec, Verb } from './grammar.ts';

/** What a verb about one member has, which must be there. */
const ofOne = {
  argument: ['<username>', 'its username, or its subject'],
  reads: 'store',
  json: true,
} as const satisfies Partial<Verb>;

const itsProgramme: OptionSpec = {
  flags: '--programme <name>',
  description: 'its programme; needed where several have such a member',
};

const level: OptionSpec = {
  flags: '--level <scope>',
  description: 'how securely the member is authenticated, such as AUTHN-LEVEL-12',
};

const membershipNumber: OptionSpec = {
  flags: '--membership-number <digits>',
  description: 'the number on the card: 16 to 24 digits',
};

export const memberVerbs: readonly Verb[] = [
  {
    words: 'member add',
    summary: 'add a member, whose password is read from standard input',
    reads: 'store',
    json: true,
    options: [
      {
        flags: '--programme <name>',
        description: 'programme the member belongs to',
        required: true,
      },
      {
        flags: '--username <name>',
        description: 'what the member types to log in; case does not count',
        required: true,
      },
      {
        flags: '--password-stdin',
        description: 'read the password from standard input',
        required: true,
      },
      level,
      membershipNumber,
    ],
    example:
      'printf %s "$PASSWORD" | jetway member add --programme my-club --username ann --password-stdin',
    run: addMember,
  },
  {
    words: 'member import',
    summary: 'add members that exist elsewhere, with their passwords: all of them or none',
    details:
      'Columns: username, which every member needs, subject, level and membership_number, and of each member exactly one of password (as it is typed), bcrypt, argon2 (a PHC string) and pbkdf2. That is pbkdf2_sha256$ITERATIONS$SALT$HASH as Django has it, with the salt as text, or $pbkdf2-sha256$i=ITERATIONS$SALT$HASH and $pbkdf2-sha256$ITERATIONS$SALT$HASH as PHC and passlib have it, with the salt in base64; sha1 and sha512 in the place of sha256 too, and from 1000 to 10000000 iterations. Hashes are kept until the next login, and are argon2id from then on. bcrypt knows 72 bytes of a password: a longer one does not match such a hash; set it anew by member set.',
    argument: [
      '<file>',
      'a .csv with a header line, which nobody else should read; - for standard input',
    ],
    reads: 'store',
    json: true,
    options: [
      {
        flags: '--programme <name>',
        description: 'programme the members belong to',
        required: true,
      },
      { flags: '--dry-run', description: 'check everything and add nobody' },
    ],
    example: 'jetway member import members.csv --programme my-club --dry-run',
    exits: { 1: 'failed; what the file brings is there already, and not like this' },
    run: importMembers,
  },
  {
    words: 'member list',
    summary: 'list members, with the failed logins that count against them now',
    reads: 'store',
    json: true,
    options: [
      ...listOptions,
      { flags: '--username <text>', description: 'only those whose username holds this' },
      { flags: '--locked', description: 'only those locked by too many wrong passwords' },
    ],
    example: 'jetway member list --locked',
    run: listMembers,
  },
  {
    words: 'member show',
    summary: 'show a member, its failed logins, and until when it is locked',
    details:
      'Wrong passwords from browsers with which the member has logged in before are counted apart, and not shown.',
    ...ofOne,
    options: [itsProgramme],
    example: 'jetway member show ann',
    run: showMember,
  },
  {
    words: 'member set',
    summary: 'change what is kept of a member',
    ...ofOne,
    options: [
      itsProgramme,
      { flags: '--username <name>', description: 'another name to log in with' },
      { flags: '--password-stdin', description: 'read a new password from standard input' },
      level,
      { flags: '--no-level', description: "leave it to the programme's default" },
      membershipNumber,
      { flags: '--no-membership-number', description: 'take the number away' },
    ],
    example: 'jetway member set ann --level AUTHN-LEVEL-12',
    run: setMember,
  },
  {
    words: 'member disable',
    summary: 'let a member log in no more, and refuse its tokens',
    ...ofOne,
    options: [itsProgramme],
    example: 'jetway member disable ann',
    run: disableMember,
  },
  {
    words: 'member enable',
    summary: 'let a disabled member in again',
    ...ofOne,
    options: [itsProgramme],
    example: 'jetway member enable ann',
    run: enableMember,
  },
  {
    words: 'member unlock',
    summary: 'end the lock of a username that was tried with wrong passwords too often',
    ...ofOne,
    argument: ['<username>', 'the name that is locked, of whatever directory'],
    options: [
      {
        flags: '--programme <name>',
        description: 'the programme it is locked in; all of them without it',
      },
    ],
    example: 'jetway member unlock ann',
    run: unlockMember,
  },
  {
    words: 'member remove',
    summary: 'remove a member for good, with all its tokens',
    ...ofOne,
    options: [itsProgramme, { flags: '--yes', description: 'yes, for good' }],
    example: 'jetway member remove ann --yes',
    run: removeMember,
  },
  {
    words: 'member directory-test',
    summary: "test whether a programme's hook to an airline's member system keeps its contract",
    reads: 'configuration',
    json: true,
    options: [
      {
        flags: '--programme <name>',
        description: 'programme whose file has members.directory: http',
        required: true,
      },
      { flags: '--username <name>', description: 'a member that there is, to test a match with' },
      {
        flags: '--password-stdin',
        description: "read that member's password from standard input",
      },
    ],
    example: 'jetway member directory-test --programme my-club',
    exits: { 1: 'failed; a check did not pass' },
    run: testDirectory,
  },
];
