// Owns the verbs below `store`.

import { backup } from '../store/backup.ts';
import { restore } from '../store/restore.ts';
import { verify } from '../store/view.ts';
import { option, type Verb } from './grammar.ts';

export const storeVerbs: readonly Verb[] = [
  {
    words: 'store backup',
    summary: 'copy the store to a file while servers go on; the master key is not in it',
    operands: [['<file>', 'the file to be made; - for standard output']],
    reads: 'store',
    options: [option('--force', 'replace the file if it is there')],
    example: 'jetway store backup backup.db',
    run: backup,
  },
  {
    words: 'store restore',
    summary: 'put a backup in the place of the store; all codes and tokens in it are void',
    operands: [['<file>', 'a file that store backup made']],
    reads: 'store',
    options: [option('--yes', 'yes: what came into the store since the backup is put aside')],
    example: 'jetway store restore backup.db --yes',
    run: restore,
  },
  {
    words: 'store verify',
    summary: 'read the whole store, or a backup, and tell whether it is sound',
    operands: [['[file]', 'a backup; the configured store without it']],
    reads: 'store',
    example: 'jetway store verify backup.db',
    run: verify,
  },
];
