// Owns the command line's grammar of what is signed and issued: `key` and `token`.

import { type Command, Option } from 'commander';

import { signingAlgorithms } from '../oauth/signing_key.ts';
import { reporting } from './grammar.ts';
import { listKeys } from './key_list.ts';
import { retireSigningKeys } from './key_retire.ts';
import { rotateSigningKeys } from './key_rotate.ts';
import { revokeTokens } from './token_revoke.ts';

/** Adds `key` to the program. */
export function addKeyVerbs(program: Command): void {
  const key = program.command('key').description('rotate the keys that sign tokens');
  one(
    key.command('list'),
    'list signing keys: which signs, which waits, which only verifies',
  ).action(listKeys);
  one(key.command('rotate'), 'publish a new key, which signs once every verifier has it')
    .option('--wait <duration>', 'how long it is published before it signs (default: 10m)')
    .option('--now', 'let it sign at once: verifiers that keep key sets refuse its first tokens')
    .addOption(
      new Option('--algorithm <name>', 'of a key for a change of algorithm to come').choices(
        signingAlgorithms,
      ),
    )
    .action(rotateSigningKeys);
  one(key.command('retire'), 'remove keys that have signed no token that still lives')
    .option('--kid <kid>', 'this key and no other')
    .option('--force', 'whatever it has signed: for a key that others may have')
    .action(retireSigningKeys);
}

/** Adds `token` to the program. */
export function addTokenVerbs(program: Command): void {
  const token = program.command('token').description('deal with tokens that were issued');
  one(token.command('revoke'), 'end all codes and tokens of a client or a member, at once')
    .option('--client <client-id>', 'those issued to this client')
    .option('--member <subject>', "those of this member's logins")
    .option('--username <name>', 'the same, by the name the member types to log in')
    .action(revokeTokens);
}

function one(verb: Command, description: string): Command {
  return reporting(verb)
    .description(description)
    .option('--programme <name>', 'in this programme alone; all of them without it');
}
