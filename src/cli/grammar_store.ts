// Owns the command line's grammar of the store as a whole: `store` and the verbs below it.

import type { Command } from 'commander';

import { reporting } from './grammar.ts';
import { backup } from './store_backup.ts';
import { restore } from './store_restore.ts';
import { verify } from './store_verify.ts';

/** Adds `store` to the program. */
export function addStoreVerbs(program: Command): void {
  const store = program.command('store').description('back the store up, restore and verify it');
  reporting(store.command('backup'))
    .description('copy the store to a file while servers go on; the master key is not in it')
    .argument('<file>', 'the file to be made')
    .option('--force', 'replace the file if it is there')
    .action(backup);
  reporting(store.command('restore'))
    .description('put a backup in the place of the store; all codes and tokens in it are void')
    .argument('<file>', 'a file that store backup made')
    .option('--yes', 'yes: what came into the store since the backup is put aside')
    .action(restore);
  reporting(store.command('verify'))
    .description('read the whole store, or a backup, and tell whether it is sound')
    .argument('[file]', 'a backup; the configured store without it')
    .action(verify);
}
