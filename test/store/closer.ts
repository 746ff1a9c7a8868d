// Owns a process that closes its store while something of the disk fails, and says what becomes of
// it; faulty_disk.test.ts runs it on such a disk.

import { existsSync, writeSync } from 'node:fs';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import { digest } from '../../src/lib/digest.ts';
import { type FileStore, openFileStore } from '../../src/store/sqlite/store.ts';
import { ordersIn } from './faulty_disk.ts';
import { aClient, at, club, loginNamed, partner } from './fixtures.ts';
import { fillLog } from './log_length.ts';

const [scene = ''] = process.argv.slice(2);
const { FAULTY_STORE: path = '', FAULTY_ORDERS: folder = '' } = process.env;
const { order } = ordersIn(folder);
const say = (text: string): void => void writeSync(1, `${text}\n`);

async function save(store: FileStore, name: string): Promise<void> {
  try {
    await store.startLogin(loginNamed(name));
    say(`saved ${name}`);
  } catch (error) {
    say(`refused ${name} ${String(error)}`);
  }
}

/** What the disk is to do, and what is done then. */
const scenes: Readonly<Record<string, (store: FileStore) => Promise<unknown>>> = {
  async thread(store) {
    order('hold-file');
    order('fail-file');
    await fillLog(store, 'filler');
    while (!existsSync(`${folder}/begun-file`)) await sleep(1);
    const late = save(store, 'late');
    say('closing');
    return [late, store.close()];
  },
  async passenger(store) {
    await store.add('client', [aClient()]);
    store.recordSecretUse(club, partner, digest('secret'), at(0));
    order('fail-log');
  },
  async commit(store) {
    order('fail-log');
    await save(store, 'doubtful');
    await save(store, 'late');
  },
  async full(store) {
    order('full-log');
    order('fail-file');
    await save(store, 'late');
  },
  async index(store) {
    order('lose-index');
    await save(store, 'second');
    await turn();
  },
  async last() {
    order('fail-file');
  },
  async crash() {
    process.kill(process.pid, 'SIGKILL');
  },
};

try {
  const store = openFileStore({
    path,
    environment: 'staging',
    reserve: 1024 * 1024,
    onFatal: ({ message }) => say(`fatal ${message}`),
  });
  await save(store, 'first');
  const under = await scenes[scene]?.(store);
  if (Array.isArray(under)) await Promise.all(under);
  await store.close();
  say('closed');
} catch (error) {
  say(String(error));
}
