// Owns the command line's grammar of members: `member` and the verbs below it.

import type { Command } from 'commander';

import { reporting } from './grammar.ts';
import { addMember } from './member_add.ts';
import { listMembers } from './member_list.ts';

/** Adds `member` to the program. */
export function addMemberVerbs(program: Command): void {
  const member = program.command('member').description('look after the embedded member directory');
  reporting(member.command('add'))
    .description('add a member, whose password is read from standard input')
    .requiredOption('--programme <name>', 'programme the member belongs to')
    .requiredOption('--username <name>', 'what the member types to log in; case does not count')
    .requiredOption('--password-stdin', 'read the password from standard input')
    .option('--level <scope>', 'how securely the member is authenticated, such as AUTHN-LEVEL-12')
    .option('--membership-number <digits>', 'the number on the card: 16 to 24 digits')
    .action(addMember);
  reporting(member.command('list'))
    .description('list members')
    .option('--programme <name>', 'only those of this programme')
    .action(listMembers);
}
