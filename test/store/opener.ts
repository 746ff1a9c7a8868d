// Owns a process that opens a store file, says so, and closes it; migrate.test.ts kills it while it migrates.

import { writeSync } from 'node:fs';

import { openFileStore } from '../../src/store/sqlite/store.ts';

const [path = ''] = process.argv.slice(2);
const store = openFileStore({ path, environment: 'staging' });
writeSync(1, 'opened\n');
await store.close();
