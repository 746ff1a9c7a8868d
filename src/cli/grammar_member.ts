// Owns the command line's grammar of members: `member` and the verbs below it.

import type { Command } from 'commander';

import { testDirectory } from './directory_test.ts';
import { reporting } from './grammar.ts';
import { addMember } from './member_add.ts';
import { importMembers } from './member_import.ts';
import { listMembers } from './member_list.ts';
import { removeMember } from './member_remove.ts';
import { setMember } from './member_set.ts';
import { disableMember, enableMember } from './member_status.ts';
import { unlockMember } from './member_unlock.ts';

/** Adds `member` to the program. */
export function addMemberVerbs(program: Command): void {
  const member = program.command('member').description('look after the embedded member directory');
  addEntries(member);
  reporting(member.command('list'))
    .description('list members')
    .option('--programme <name>', 'only those of this programme')
    .action(listMembers);
  one(member.command('set'), 'change what is kept of a member')
    .usage('<username> [options]')
    .option('--username <name>', 'another name to log in with')
    .option('--password-stdin', 'read a new password from standard input')
    .option('--level <scope>', 'how securely the member is authenticated, such as AUTHN-LEVEL-12')
    .option('--no-level', "leave it to the programme's default")
    .option('--membership-number <digits>', 'the number on the card: 16 to 24 digits')
    .option('--no-membership-number', 'take the number away')
    .action(setMember);
  one(member.command('disable'), 'let a member log in no more, and refuse its tokens').action(
    disableMember,
  );
  one(member.command('enable'), 'let a disabled member in again').action(enableMember);
  reporting(member.command('unlock'))
    .description('end the lock of a username that was tried with wrong passwords too often')
    .argument('<username>', 'the name that is locked, of whatever directory')
    .option('--programme <name>', 'the programme it is locked in; all of them without it')
    .action(unlockMember);
  one(member.command('remove'), 'remove a member for good, with all its tokens')
    .option('--yes', 'yes, for good')
    .action(removeMember);
  reporting(member.command('directory-test'))
    .description("test whether a programme's hook to an airline's member system keeps its contract")
    .requiredOption('--programme <name>', 'programme whose file has members.directory: http')
    .option('--username <name>', 'a member that there is, to test a match with')
    .option('--password-stdin', "read that member's password from standard input")
    .action(testDirectory);
}

/** A verb about one member, which must be there. */
function one(verb: Command, description: string): Command {
  return reporting(verb)
    .description(description)
    .argument('<username>', 'its username, or its subject')
    .option('--programme <name>', 'its programme; needed where several have such a member');
}

const importDescription = `add members that exist elsewhere, with their passwords: all of them or none

Columns: username, which every member needs, subject, level and membership_number, and of each member exactly one of password (as it is typed), bcrypt, argon2 (a PHC string) and pbkdf2 (pbkdf2_sha256$… or $pbkdf2-sha256$…). Hashes are kept until the next login, and are argon2id from then on.`;

function addEntries(member: Command): void {
  reporting(member.command('add'))
    .description('add a member, whose password is read from standard input')
    .requiredOption('--programme <name>', 'programme the member belongs to')
    .requiredOption('--username <name>', 'what the member types to log in; case does not count')
    .requiredOption('--password-stdin', 'read the password from standard input')
    .option('--level <scope>', 'how securely the member is authenticated, such as AUTHN-LEVEL-12')
    .option('--membership-number <digits>', 'the number on the card: 16 to 24 digits')
    .action(addMember);
  reporting(member.command('import'))
    .summary('add members that exist elsewhere: all of them or none')
    .description(importDescription)
    .argument('<file>', 'a .csv with a header line; nobody else should read it')
    .requiredOption('--programme <name>', 'programme the members belong to')
    .option('--dry-run', 'check everything and add nobody')
    .action(importMembers);
}
