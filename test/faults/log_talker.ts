// A process that writes far more to the log than a reader who does not read takes, and says so.

import { once } from 'node:events';

import { usualLog } from '../../src/config/log_keys.ts';
import { openLog } from '../../src/server/log_writer.ts';

const log = openLog();
log.follow({ ...usualLog, format: 'json' });
for (let line = 0; line < 20_000; line += 1) {
  log.error('store_warning', {
    programme: `club-${line % 200}`,
    detail: `${line} ${'x'.repeat(300)}`,
  });
}
process.on('message', (message) => {
  const end = (): void => {
    log.end();
    process.disconnect?.();
  };
  if (message === 'read' && process.stderr.writableNeedDrain) process.stderr.once('drain', end);
  else end();
});
process.send?.({ pid: process.pid, waiting: process.stderr.writableLength });
await once(process, 'disconnect');
