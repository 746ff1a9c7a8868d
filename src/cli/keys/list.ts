// Owns the verb `key list`.

import { keyStates } from '../../token/key_rotation.ts';
import { withStore } from '../open_store.ts';
import { type OutputOptions, print, printJson, say } from '../output.ts';
import { configOf } from '../programmes.ts';
import { table } from '../table.ts';
import { forProgrammes, isSigning, type KeySelection, signsNothing } from './programmes.ts';
import { viewKey } from './view.ts';

export interface ListKeysOptions extends KeySelection, OutputOptions {
  readonly config: string;
}

/** `jetway key list`: by programme, oldest first. */
export async function listKeys(options: ListKeysOptions): Promise<void> {
  const config = configOf(options);
  await forProgrammes(config, options, async (programmes) => {
    const states = await withStore(config, async ({ store, clock }) => {
      const now = clock.now();
      const lists = programmes.map(async ({ id, rules }) =>
        keyStates(await store.list('signing_key', id), rules, now),
      );
      return (await Promise.all(lists)).flat();
    });
    const isNamed = options.programme !== undefined;
    if (isNamed && states.length === 0 && !programmes.some(isSigning)) throw signsNothing(options);
    const views = states.map(viewKey);
    if (options.json === true) return printJson(views);
    if (views.length === 0) return say('there are no keys; serve makes the first ones');
    const rows = views.map((view) => [
      view.programme,
      view.kid,
      view.algorithm,
      view.status,
      view.signs_from ?? '-',
      view.retires_at ?? '-',
    ]);
    const headings = ['PROGRAMME', 'KEY', 'ALGORITHM', 'STATUS', 'SIGNS FROM', 'RETIRES AT'];
    return print(table(headings, rows));
  });
}
