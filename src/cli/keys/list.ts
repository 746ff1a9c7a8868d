// Owns the verb `key list`, which never prints a private key, sealed or not.

import { type KeyState, keyStates, type KeyStatus } from '../../token/key_rotation.ts';
import { withStore } from '../open_store.ts';
import { printResult, say } from '../output.ts';
import { configOf } from '../programmes.ts';
import { dateOrNull, dateText, table } from '../table.ts';
import { expectKeys, forProgrammes, type KeyOptions } from './programmes.ts';

/** By programme, oldest first. */
export async function listKeys(options: KeyOptions): Promise<void> {
  const config = configOf(options);
  await forProgrammes(config, options, async (programmes) => {
    const states = await withStore(config, async ({ store, clock }) => {
      await expectKeys(store, programmes, options);
      const now = clock.now();
      const lists = programmes.map(async ({ id, rules }) =>
        keyStates(await store.list('signing_key', id), rules, now),
      );
      return (await Promise.all(lists)).flat();
    });
    const views = states.map(viewKey);
    if (options.json !== true && views.length === 0) {
      return say('there are no keys; serve makes the first ones');
    }
    const headings = ['PROGRAMME', 'KEY', 'ALGORITHM', 'STATUS', 'SIGNS FROM', 'RETIRES AT'];
    const rows = views.map(({ programme, kid, algorithm, status, signs_from, retires_at }) =>
      [programme, kid, algorithm, status, signs_from, retires_at].map((value) => value ?? '-'),
    );
    return printResult(options, views, table(headings, rows));
  });
}

interface KeyView {
  readonly programme: string;
  readonly kid: string;
  readonly algorithm: string;
  readonly status: KeyStatus;
  readonly created_at: string;
  readonly signs_from: string | null;
  readonly retires_at: string | null;
}

function viewKey({ key, status, retiresAt }: KeyState): KeyView {
  return {
    programme: key.programme,
    kid: key.kid,
    algorithm: key.algorithm,
    status,
    created_at: dateText(key.createdAt),
    signs_from: dateOrNull(key.signsFrom),
    retires_at: dateOrNull(retiresAt),
  };
}
