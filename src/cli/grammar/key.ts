// Owns the verbs below `key` and `token`.

import { signingAlgorithms } from '../../oauth/signing_key.ts';
import { listKeys } from '../keys/list.ts';
import { retireSigningKeys } from '../keys/retire.ts';
import { rotateSigningKeys } from '../keys/rotate.ts';
import { revokeTokens } from '../keys/token_revoke.ts';
import { option, type OptionSpec, type Verb } from './grammar.ts';

const oneProgramme: OptionSpec = option(
  '--programme <name>',
  'in this programme alone; all of them without it',
);

export const keyVerbs: readonly Verb[] = [
  {
    words: 'key list',
    summary: 'list signing keys: which signs, which waits, which only verifies',
    reads: 'store',
    options: [oneProgramme],
    example: 'jetway key list',
    run: listKeys,
  },
  {
    words: 'key rotate',
    summary: 'publish a new key, which signs once every verifier has it',
    reads: 'store',
    options: [
      oneProgramme,
      option('--wait <duration>', 'how long it is published before it signs (default: 10m)'),
      option('--now', 'let it sign at once: verifiers that keep key sets refuse its first tokens'),
      option('--algorithm <name>', 'of a key for a change of algorithm to come', {
        choices: signingAlgorithms,
      }),
    ],
    example: 'jetway key rotate --programme my-club',
    run: rotateSigningKeys,
  },
  {
    words: 'key retire',
    summary: 'remove keys that have signed no token that still lives',
    reads: 'store',
    options: [
      oneProgramme,
      option('--kid <kid>', 'this key and no other'),
      option('--force', 'whatever it has signed: for a key that others may have; needs --kid'),
    ],
    example: 'jetway key retire --programme my-club',
    run: retireSigningKeys,
  },
  {
    words: 'token revoke',
    summary: 'end all codes and tokens of a client or a member, at once',
    details: 'One of --client, --member and --username must be given.',
    reads: 'store',
    options: [
      oneProgramme,
      option('--client <client-id>', 'those issued to this client'),
      option('--member <subject>', "those of this member's logins"),
      option('--username <name>', 'the same, by the name the member types to log in'),
    ],
    example: 'jetway token revoke --client partnerapi-12345',
    run: revokeTokens,
  },
];
