// Owns the verbs below `store`.

import { lazy, type Verb, verbOf } from './grammar.ts';
import { backupOptions, copyOptions, keepsDated, oneSource, restoreOptions } from './rows.ts';

export const storeVerbs: readonly Verb[] = [
  verbOf({
    words: 'store backup',
    summary: 'copy the store to a file while servers go on; the master key is not in it',
    details:
      'Of a PostgreSQL store the file has what is registered: clients, members, gateways, keys, revocations. Codes and logins are left out, since a restore voids them anyway. With --keep the operand is a folder. The backup gets the date as its name, and the oldest backups of this store in that folder go once it is whole.',
    operands: [
      [
        '<file>',
        'the file to be made; - for standard output; with --keep a folder',
        [['keep'], keepsDated, '-'],
      ],
    ],
    reads: 'store',
    options: backupOptions,
    example: 'jetway store backup backup.db',
    run: lazy(() => import('../store/verbs.ts'), 'backup'),
  }),
  verbOf({
    words: 'store restore',
    summary: 'put a backup in the place of the store; all codes and tokens in it are void',
    details:
      'A database that was brought back to an earlier time by its own means (point-in-time recovery) has codes that were spent since and tokens that were revoked since. Its servers refuse to start until --in-place has voided all of them.',
    operands: [['[file]', 'a file that store backup made']],
    reads: 'store',
    options: restoreOptions,
    asks: [['file', 'inPlace'], oneSource],
    example: 'jetway store restore backup.db --yes',
    run: lazy(() => import('../store/verbs.ts'), 'restore'),
  }),
  verbOf({
    words: 'store verify',
    summary: 'read the store, or a backup, and tell whether it is sound',
    details:
      'A file is read whole, and a restore of it is tried in a folder of its own (TMPDIR), by the configured master key too, if there is one: the configured store has no part in it. Of a PostgreSQL store the schema, the master key, replication, the clock and a sample of the rows are looked at; pg_amcheck reads the rest.',
    operands: [['[file]', 'a backup; the configured store without it']],
    reads: 'store',
    example: 'jetway store verify backup.db',
    run: lazy(() => import('../store/verbs.ts'), 'verify'),
  }),
  verbOf({
    words: 'store copy',
    summary: 'move the store to a file or a PostgreSQL database, with all codes and tokens',
    details:
      'Stop the servers first. Everything is copied, counted and compared; then the store that was left is marked as moved, and opens in no Jetway. The master key stays the same. A copy that was cut off may be run again.',
    reads: 'store',
    options: copyOptions,
    asks: [['from', 'to'], 'name --from, --to, or both'],
    example: 'jetway store copy --from file:./data/jetway.db',
    run: lazy(() => import('../store/verbs.ts'), 'copy'),
  }),
];
