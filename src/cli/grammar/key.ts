// Owns the verbs below `key` and `token`.

import { signingAlgorithms } from '../../oauth/signing_key.ts';
import { shownKinds } from '../../server/keys/lines.ts';
import { lazy, option, type OptionSpec, type Verb } from './grammar.ts';
import { listExits } from './kind_verbs.ts';

const oneProgramme: OptionSpec = option(
  '--programme <name>',
  'in this programme alone; all of them without it',
);

const oneKind: OptionSpec = option(
  '--kind <kind>',
  'signing for keys of JWTs, token for keys of opaque tokens; both without it',
  { choices: shownKinds },
);

export const keyVerbs: readonly Verb[] = [
  {
    words: 'key list',
    summary: 'list keys: which signs, which waits, which only verifies',
    reads: 'store',
    options: [oneProgramme, oneKind],
    exits: listExits,
    example: 'jetway key list',
    run: lazy(() => import('../keys/list.ts'), 'listKeys'),
  },
  {
    words: 'key rotate',
    summary: 'add a new key, which signs once every server and verifier has it',
    reads: 'store',
    options: [
      oneProgramme,
      oneKind,
      option(
        '--wait <duration>',
        'how long verifiers have the new key before it signs (default: 10m)',
      ),
      option(
        '--now',
        'let the new key sign at once, a token key in 5 s: verifiers that keep key sets refuse its first JWTs',
      ),
      option(
        '--algorithm <name>',
        'algorithm of the new key, before tokens.access.algorithm is changed to it',
        {
          choices: signingAlgorithms,
        },
      ),
    ],
    example: 'jetway key rotate --programme my-club',
    run: lazy(() => import('../keys/rotate.ts'), 'rotateAllKeys'),
  },
  {
    words: 'key retire',
    summary: 'remove keys that have signed no token that still lives',
    reads: 'store',
    options: [
      oneProgramme,
      oneKind,
      option('--kid <kid>', 'this key and no other'),
      option('--force', 'whatever it has signed, such as a key that was stolen; needs --kid'),
    ],
    example: 'jetway key retire --programme my-club',
    run: lazy(() => import('../keys/retire.ts'), 'retireAllKeys'),
  },
  {
    words: 'token revoke',
    summary: 'end all codes and tokens of a client or a member, at once',
    details: 'One of --client, --member and --username must be given.',
    reads: 'store',
    options: [
      oneProgramme,
      option('--client <client-id>', 'those issued to this client'),
      option('--member <subject>', 'those issued at logins of the member with this subject'),
      option('--username <name>', 'the same, of the member with this username'),
    ],
    example: 'jetway token revoke --client partnerapi-12345',
    run: lazy(() => import('../keys/token_revoke.ts'), 'revokeTokens'),
  },
];
