// Owns the verbs below `key` and `token`.

import { lazy, type Verb, verbOf } from './grammar.ts';
import { listExits } from './kind_verbs.ts';
import {
  keyOptions,
  oneOwner,
  retireKeysOptions,
  revokeTokensOptions,
  rotateKeysOptions,
} from './rows.ts';

export const keyVerbs: readonly Verb[] = [
  verbOf({
    words: 'key list',
    summary: 'list keys: which signs, which waits, which only verifies',
    reads: 'store',
    options: keyOptions,
    exits: listExits,
    example: 'jetway key list',
    run: lazy(() => import('../keys/keys.ts'), 'listKeys'),
  }),
  verbOf({
    words: 'key rotate',
    summary: 'add a new key, which signs once every server and verifier has it',
    reads: 'store',
    options: rotateKeysOptions,
    example: 'jetway key rotate --programme my-club',
    run: lazy(() => import('../keys/keys.ts'), 'rotateAllKeys'),
  }),
  verbOf({
    words: 'key retire',
    summary: 'remove keys that have signed no token that still lives',
    reads: 'store',
    options: retireKeysOptions,
    example: 'jetway key retire --programme my-club',
    run: lazy(() => import('../keys/keys.ts'), 'retireAllKeys'),
  }),
  verbOf({
    words: 'token revoke',
    summary: 'end all codes and tokens of a client or a member, at once',
    details: 'One of --client, --member and --username must be given.',
    reads: 'store',
    options: revokeTokensOptions,
    asks: [['client', 'member', 'username'], oneOwner],
    example: 'jetway token revoke --client partnerapi-12345',
    run: lazy(() => import('../keys/token_revoke.ts'), 'revokeTokens'),
  }),
];
