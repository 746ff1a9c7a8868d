// Owns the other process of tests: what it may be asked to do to a store, at once with others, on a
// disk that fails, or until it is killed. `children.ts` starts it.

import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import { readConfig } from '../../src/config/config.ts';
import { readMasterKey } from '../../src/config/master_key.ts';
import { instant, milliseconds } from '../../src/lib/clock.ts';
import { digest } from '../../src/lib/digest.ts';
import type { ProgrammeId } from '../../src/oauth/client.ts';
import { removeKey, retireKeys, rotateKeys } from '../../src/server/keys/changes.ts';
import type { KeyLine } from '../../src/server/keys/lines.ts';
import { fileCare } from '../../src/store/sqlite/care.ts';
import { type FileStore, openFileStore } from '../../src/store/sqlite/store.ts';
import { openKeyChest } from '../../src/token/key_chest.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { openTokenKeys } from '../../src/token/token_keys.ts';
import { ordersIn } from './faulty_disk.ts';
import { aClient, at, club, inParallel, loginNamed, partner } from './fixtures.ts';
import { fillLog, logOf } from './log_length.ts';

const say = (text: string): void => void writeSync(1, `${text}\n`);

function open(path: string, reserve = 0): FileStore {
  const onFatal = ({ message }: Error): void => say(`fatal ${message}`);
  return openFileStore({ path, environment: 'staging', reserve, onFatal });
}

/** The store that one verb after another is done to. */
let held: FileStore | undefined;
const shared = (path: string): FileStore => (held ??= open(path));

async function save(store: FileStore, name: string, told = name): Promise<void> {
  try {
    await store.startLogin(loginNamed(name));
    say(`saved ${told}`);
  } catch (error) {
    say(`refused ${told} ${String(error)}`);
  }
}

/** What a process may be asked to do; the first word is the path of a store unless a comment says otherwise. */
const verbs = {
  async open(path) {
    await shared(path).find('client', club, partner);
  },

  /** Begins logins and tells each one's name when, and only when, the store has answered. */
  write: (path, name) =>
    inParallel(8, async (lane) => {
      for (let n = 0; ; n += 1) {
        const login = `${name} ${lane} ${n}`;
        await shared(path).startLogin(loginNamed(login));
        say(login);
      }
    }),

  /** Saves one login after another, and says what became of each. */
  async save(path, count) {
    const store = open(path);
    for (let n = 0; n < Number(count); n += 1) await save(store, `login ${n}`, String(n));
    say(store.health().status);
    await store.close();
  },

  /** Writes until the store's thread moves its log, and says what came of it. */
  async fill(path, ending = 'close') {
    const store = open(path, 1024 * 1024);
    const log = logOf(path);
    await fillLog(store, 'token');
    say('written');
    while (log.length().checkpointed === 0 && store.health().status === 'ready') await sleep(1);
    say(store.health().status);
    log.close();
    if (ending === 'close') await store.close();
  },

  /** Restores the backup `path`. */
  async restore(path, target = '') {
    await fileCare(target).restore(path, 'staging');
    say('restored');
  },

  /** Closes a store while something of the disk fails, and says what becomes of it. */
  async close(path, scene = '') {
    try {
      const store = open(path, 1024 * 1024);
      await save(store, 'first');
      const under = await scenes[scene]?.(store);
      if (Array.isArray(under)) await Promise.all(under);
      await store.close();
      say('closed');
    } catch (error) {
      say(String(error));
    }
  },

  /** Starts for the first time in a folder, `path`: makes or reads the master key, opens the store. */
  async start(path) {
    const config = readConfig(join(path, 'config.yaml'));
    const masterKey = Buffer.from(readMasterKey(config)).toString('base64url');
    await open(join(path, 'data/jetway.db')).close();
    return masterKey;
  },

  async keys(path, act, count, second) {
    await changeKeys(path, act as KeyAct, Number(count), Number(second));
    say('done');
  },
} satisfies Readonly<Record<string, (path: string, ...args: string[]) => Promise<unknown>>>;

type Verb = keyof typeof verbs;

const { FAULTY_ORDERS: folder = '' } = process.env;
const { order } = ordersIn(folder);

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

/** `force` removes the key that signs, as whoever fears it stolen does; `start` is that of a server. */
export type KeyAct = 'start' | 'rotate' | 'now' | 'retire' | 'force';

export const keyRules = {
  kind: 'signing_key',
  algorithm: 'ES256',
  longestToken: milliseconds(60_000),
} as const satisfies KeyLine['rules'];
export const programmeOf = (round: number): ProgrammeId => `club-${round}` as ProgrammeId;

const keyring = createKeyring(new Uint8Array(32).fill(7));

/** Does it to the keys of each of so many programmes, at a second of the test's clock. */
export async function changeKeys(
  path: string,
  act: KeyAct,
  count: number,
  second: number,
): Promise<void> {
  const store = open(path);
  const now = at(second);
  for (let round = 0; round < count; round += 1) {
    const id = programmeOf(round);
    const programme = { id, rules: keyRules };
    if (act === 'start') {
      const options = {
        programme: id,
        records: store,
        keyring,
        clock: { now: () => instant(now) },
      };
      await openKeyChest({ ...options, rules: keyRules });
      const tokens = { kind: 'token_key', longestToken: keyRules.longestToken } as const;
      await openTokenKeys({ ...options, environment: 'staging', rules: tokens });
    } else if (act === 'retire') {
      await retireKeys(store, programme, now);
    } else if (act === 'force') {
      const [first] = await store.list('signing_key', id);
      if (first !== undefined) await removeKey(store, programme, first, now);
    } else {
      const wait = milliseconds(act === 'now' ? 0 : 600_000);
      await rotateKeys({ store, keyring }, programme, { wait }, now);
    }
  }
  await store.close();
}

/** A verb and its words. */
export type Order = readonly [verb: Verb, path: string, ...rest: readonly string[]];

async function perform([verb, path, ...rest]: Order): Promise<unknown> {
  const act: (path: string, ...args: string[]) => Promise<unknown> = verbs[verb];
  return act(path, ...rest);
}

if (process.argv[1] === import.meta.filename) {
  const told = process.argv.slice(2);
  if (told.length > 0) {
    await perform(told as unknown as Order);
  } else {
    process.on('message', (ordered: Order) => {
      // A failure goes back as its text, which no test takes for a result.
      void perform(ordered)
        .catch(String)
        .then((result) => process.send?.({ result }));
    });
    process.send?.('ready');
  }
}
