// Owns the verb `key list`, which never prints a private or secret key, sealed or not.

import { expectNoDamage } from '../../server/damage.ts';
import { say } from '../../server/ending.ts';
import { listedKeys, viewKey } from '../../server/keys/lines.ts';
import { type DamagedItem } from '../../store/unusable.ts';
import { withStore } from '../open_store.ts';
import { printResult } from '../output.ts';
import { configOf } from '../programmes.ts';
import { table } from '../table.ts';
import { forKeys, type KeyOptions } from './programmes.ts';

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
    const headings = [
      'PROGRAMME',
      'KIND',
      'KEY',
      'ALGORITHM',
      'STATUS',
      'SIGNS FROM',
      'RETIRES AT',
    ];
    const rows = views.map(({ programme, kind, kid, algorithm, status, signs_from, retires_at }) =>
      [programme, kind, kid, algorithm, status, signs_from, retires_at].map(
        (value) => value ?? '-',
      ),
    );
    await printResult(options, views, table(headings, rows));
    expectNoDamage(damage);
  });
}
