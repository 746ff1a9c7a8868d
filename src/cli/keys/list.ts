// Owns the verb `key list`, which never prints a private or secret key, sealed or not.

import type { Instant } from '../../lib/clock.ts';
import type { Registry } from '../../store/registry.ts';
import { type DamagedItem, type OnDamage, refuseDamage } from '../../store/unusable.ts';
import { type KeyState, keyStates } from '../../token/key_line.ts';
import { expectNoDamage } from '../damage.ts';
import { withStore } from '../open_store.ts';
import { printResult, say } from '../output.ts';
import { configOf } from '../programmes.ts';
import { dateOrNull, dateText, table } from '../table.ts';
import { forKeys, type KeyLine, type KeyOptions, type ShownKind, shownKind } from './programmes.ts';

/** By programme, oldest first. */
export async function listKeys(options: KeyOptions): Promise<void> {
  const config = configOf(options);
  await forKeys(config, options, async (lines) => {
    const damage: DamagedItem[] = [];
    const views = await withStore(config, ({ store, clock }) =>
      viewKeys(store, lines, clock.now(), (one) => damage.push(one)),
    );
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

/** Of each line the keys, oldest first. */
export async function viewKeys(
  store: Registry,
  lines: readonly KeyLine[],
  now: Instant,
  onDamage: OnDamage = refuseDamage,
): Promise<readonly KeyView[]> {
  const lists = lines.map(async ({ id, rules }) =>
    keyStates(await store.list(rules.kind, id, { onDamage }), rules, now).map((state) =>
      viewKey(state, shownKind(rules)),
    ),
  );
  return (await Promise.all(lists)).flat();
}

export interface KeyView {
  readonly programme: string;
  readonly kind: ShownKind;
  readonly kid: string;
  readonly algorithm: string | null;
  readonly status: KeyState['status'] | 'ended';
  readonly created_at: string;
  readonly signs_from: string | null;
  readonly retires_at: string | null;
}

function viewKey({ key, status, retiresAt }: KeyState, kind: ShownKind): KeyView {
  return {
    programme: key.programme,
    kind,
    kid: key.kid,
    algorithm: key.algorithm ?? null,
    status: status === 'retiring' && 'ended' in key ? 'ended' : status,
    created_at: dateText(key.createdAt),
    signs_from: dateOrNull(key.signsFrom),
    retires_at: dateOrNull(retiresAt),
  };
}
