// Owns a process that restores a backup and says so; restore.test.ts kills it on the way.

import { writeSync } from 'node:fs';

import { fileCare } from '../../src/store/sqlite/care.ts';

const [backup = '', target = ''] = process.argv.slice(2);
await fileCare(target).restore(backup, 'staging');
writeSync(1, 'restored\n');
