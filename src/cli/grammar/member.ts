// Owns the verbs below `member`; entities/member_fields.ts holds its fields.

import { addOptions, newInputsOf, setOptions } from '../entities/fields.ts';
import {
  addedAtOnce,
  keepLoginsOption,
  memberFields,
  newPasswordOption,
  subjectInput,
} from '../entities/member_fields.ts';
import { memberNoun } from '../entities/nouns.ts';
import { columnsHelp } from '../import/table.ts';
import { lazy, type Verb, verbOf } from './grammar.ts';
import {
  importVerb,
  itemVerbOf,
  listExits,
  listOf,
  ofProgramme,
  type LoadedKind,
  common,
} from './kind_verbs.ts';
import { option } from './options.ts';
import { directoryTestOptions, listOptions } from './rows.ts';

const memberKind: LoadedKind<'member'> = {
  ...memberNoun,
  load: async () => (await import('../entities/member_kind.ts')).memberKind,
};

const memberVerb = itemVerbOf(memberKind);

export const memberVerbs: readonly Verb[] = [
  verbOf({
    words: 'member add',
    summary: 'add a member, whose password is read from standard input',
    reads: 'store',
    options: [
      ofProgramme('programme the member belongs to'),
      ...addOptions(memberFields),
      option('--password-stdin', 'read the password from standard input', { required: true }),
    ],
    example:
      'printf %s "$PASSWORD" | jetway member add --programme my-club --username ann --password-stdin',
    run: lazy(() => import('../entities/member_kind.ts'), 'addMember'),
  }),
  importVerb('member', 'programme the members belong to', {
    summary: 'add members that exist elsewhere, with their passwords: all of them or none',
    details: `Columns of a .csv, keys of a .yaml: ${columnsHelp('member', [...newInputsOf(memberFields), subjectInput])}, and of each member exactly one of password (as it is typed), bcrypt, argon2 (a PHC string) and pbkdf2. That is pbkdf2_sha256$ITERATIONS$SALT$HASH as Django has it, with the salt as text, or $pbkdf2-sha256$i=ITERATIONS$SALT$HASH and $pbkdf2-sha256$ITERATIONS$SALT$HASH as PHC and passlib have it, with the salt in base64; sha1 and sha512 in the place of sha256 too, and from 1000 to 10000000 iterations. Hashes are kept until the next login, and are argon2id from then on. bcrypt knows 72 bytes of a password: a longer one does not match such a hash; set it anew by member set. More than ${addedAtOnce} members are added in parts of so many, each of them whole: where that is cut off, import the file again, which passes over those that are there.`,
    operands: [
      [
        '<file>',
        'a .csv with a header line, or a .yaml list, which nobody else should read; - for standard input',
      ],
    ],
    options: [],
    run: lazy(() => import('../import/members.ts'), 'importMembers'),
  }),
  verbOf({
    words: 'member list',
    summary: 'list members, with the failed logins that count against them now',
    reads: 'store',
    options: [
      ...listOptions,
      option('--username <text>', 'only those whose username holds this'),
      option('--locked', 'only those locked by too many wrong passwords'),
    ],
    exits: listExits,
    example: 'jetway member list --locked',
    run: listOf(memberKind),
  }),
  memberVerb({
    verb: 'show',
    summary: 'show a member, its failed logins, and until when it is locked',
    details:
      'Wrong passwords from browsers with which the member has logged in before are counted apart, and not shown.',
    run: common('showItem'),
  }),
  memberVerb({
    verb: 'set',
    summary: 'change what is kept of a member',
    details:
      'A new password ends the logins of the member so far, with all their codes and tokens, unless --keep-logins is given.',
    options: [...setOptions(memberFields), newPasswordOption, keepLoginsOption],
    example: '--level AUTHN-LEVEL-12',
    run: common('setItem'),
  }),
  memberVerb({
    verb: 'disable',
    summary: 'let a member log in no more, and refuse its tokens',
    run: common('disableItem'),
  }),
  memberVerb({
    verb: 'enable',
    summary: 'let a disabled member in again',
    run: common('enableItem'),
  }),
  verbOf({
    words: 'member unlock',
    summary: 'end the lock of a username that was tried with wrong passwords too often',
    operands: [['<username>', 'the locked username, whichever directory has it']],
    reads: 'store',
    options: [
      option('--programme <name>', 'the programme it is locked in; all of them without it'),
    ],
    example: 'jetway member unlock ann',
    run: lazy(() => import('../entities/member_kind.ts'), 'unlockMember'),
  }),
  memberVerb({
    verb: 'remove',
    summary: 'remove a member for good, with all its tokens',
    options: [option('--yes', 'yes, for good')],
    example: '--yes',
    run: common('removeItem'),
  }),
  verbOf({
    words: 'member directory-test',
    summary: "test whether a programme's hook to an airline's member system keeps its contract",
    reads: 'configuration',
    options: directoryTestOptions,
    example: 'jetway member directory-test --programme my-club',
    exits: { 1: 'failed; a check did not pass' },
    run: lazy(() => import('../programmes/directory_test.ts'), 'testDirectory'),
  }),
];
