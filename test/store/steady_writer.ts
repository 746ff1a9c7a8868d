// Owns a process that saves one login after another and says what became of each; disk.test.ts traces it.

import { writeSync } from 'node:fs';

import { openFileStore } from '../../src/store/sqlite/store.ts';
import { loginNamed } from './fixtures.ts';

const [path = '', count = '1'] = process.argv.slice(2);
const store = openFileStore({
  path,
  environment: 'staging',
  onFatal: ({ message }) => writeSync(1, `fatal ${message}\n`),
});
for (let n = 0; n < Number(count); n += 1) {
  try {
    await store.startLogin(loginNamed(`login ${n}`));
    writeSync(1, `saved ${n}\n`);
  } catch (error) {
    writeSync(1, `refused ${n} ${String(error)}\n`);
  }
}
writeSync(1, `${store.health().status}\n`);
await store.close();
