// Owns a process that starts for the first time, as often as it is told to: for each folder read
// from standard input it makes or reads the master key, opens the store, and prints the key.

import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { readConfig } from '../../src/config/config.ts';
import { readMasterKey } from '../../src/config/master_key.ts';
import { openFileStore } from '../../src/store/sqlite/store.ts';

for await (const folder of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await firstStart(folder)}\n`);
}

async function firstStart(folder: string): Promise<string> {
  try {
    const config = readConfig(join(folder, 'config.yaml'));
    const key = Buffer.from(readMasterKey(config)).toString('base64url');
    const path = join(folder, 'data/jetway.db');
    await openFileStore({ path, environment: config.environment }).close();
    return key;
  } catch (error) {
    return `failed: ${String(error).replaceAll('\n', ' ')}`;
  }
}
