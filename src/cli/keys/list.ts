// Owns the verb `key list`, which never prints a private or secret key, sealed or not.

import { expectNoDamage } from '../../server/damage.ts';
import { say } from '../../server/ending.ts';
import { type KeyView, listedKeys, viewKey } from '../../server/keys/lines.ts';
import { type DamagedItem } from '../../store/unusable.ts';
import { withStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { type Columns, listing } from '../table.ts';
import { forKeys, type KeyOptions } from './programmes.ts';

const columns = {
  PROGRAMME: 'programme',
  KIND: 'kind',
  KEY: 'kid',
  ALGORITHM: 'algorithm',
  STATUS: 'status',
  'SIGNS FROM': 'signs_from',
  'RETIRES AT': 'retires_at',
} satisfies Columns<keyof KeyView>;

/** By programme, oldest first. */
export async function listKeys(options: KeyOptions): Promise<void> {
  const config = configOf(options);
  await forKeys(config, options, async (lines) => {
    const damage: DamagedItem[] = [];
    const listed = await withStore(config, ({ store, clock }) =>
      listedKeys(store, lines, clock.now(), (one) => damage.push(one)),
    );
    const views = listed.map(viewKey);
    if (options.json !== true && views.length + damage.length === 0) {
      return say('there are no keys; serve makes the first ones');
    }
    await printResult(options, views, listing(columns, views));
    expectNoDamage(damage);
  });
}
