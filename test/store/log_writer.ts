// Owns a process that writes until its store's log is moved by the store's thread, and says what
// came of it; log_checkpoints.test.ts traces it.

import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { openFileStore } from '../../src/store/sqlite/store.ts';
import { fillLog, logOf } from './log_length.ts';

const [path = '', ending = 'close'] = process.argv.slice(2);
const store = openFileStore({
  path,
  environment: 'staging',
  reserve: 1024 * 1024,
  onFatal: ({ message }) => writeSync(1, `fatal ${message}\n`),
});
const log = logOf(path);
await fillLog(store, 'token');
writeSync(1, 'written\n');
while (log.length().checkpointed === 0 && store.health().status === 'ready') await sleep(1);
writeSync(1, `${store.health().status}\n`);
log.close();
if (ending === 'close') await store.close();
