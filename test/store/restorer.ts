// Owns a process that restores a backup and says so; restore.test.ts kills it on the way.

import { writeSync } from 'node:fs';

import { restoreStore } from '../../src/store/sqlite/care/restore.ts';

const [backup = '', target = ''] = process.argv.slice(2);
await restoreStore(backup, target, { environment: 'staging' });
writeSync(1, 'restored\n');
