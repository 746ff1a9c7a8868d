// Owns the verbs that all kinds share; running servers apply changes at once.

import { expectNoDamage } from '../../server/damage.ts';
import { say } from '../../server/ending.ts';
import { expectYes, failed, refuseUsage } from '../../server/exit.ts';
import { type Id, type Item, kinds } from '../../store/kinds.ts';
import { DamagedItem } from '../../store/unusable.ts';
import type { Values } from '../grammar/options.ts';
import type { listOptions } from '../grammar/rows.ts';
import { withStore } from '../open_store.ts';
import { print, printJson, printResult, warn } from '../output.ts';
import { configOf, selectProgrammes } from '../programmes.ts';
import { listing, type View } from '../table.ts';
import { changeFields, complaintsOf, givenIn, inputsOf, lackingIn, valueOf } from './fields.ts';
import {
  called,
  changeItem,
  type Kind,
  removedMeanwhile,
  select,
  selectAny,
  type Selection,
  withItem,
} from './kind.ts';
import type { Noun } from './nouns.ts';
import { jsonOf, printShown } from './shown.ts';

type ItemVerb = <N extends Noun>(kind: Kind<N>, name: string, options: Selection) => Promise<void>;

export async function showItem<N extends Noun>(
  kind: Kind<N>,
  name: string,
  options: Selection,
): Promise<void> {
  const { warnings, values } = await withItem(kind, name, options, async (around, found) => ({
    warnings: kind.warnings?.(around, found.programme)(found) ?? [],
    values: await kind.show(around, found, 'show'),
  }));
  warnings.forEach(warn);
  await printShown(values, options);
}

export type ListOptions = Selection & Values<typeof listOptions>;

/**
 * By programme, in order of creation; says how many items a limit leaves out, and fails if some are
 * damaged, once all others are shown.
 */
export async function listItems<N extends Noun>(
  kind: Kind<N>,
  options: ListOptions,
): Promise<void> {
  const { status, limit, count, json } = options;
  const config = configOf(options);
  const programmes = selectProgrammes(config, options.programme);
  const damage: DamagedItem[] = [];
  const onDamage = (one: DamagedItem): void => void damage.push(one);
  await withStore(config, async (open) => {
    const lists = await Promise.all(
      programmes.map((one) => open.store.list(kind.noun, one, { onDamage })),
    );
    const items = lists.flat();
    const alike = items.filter((item) => item.status === (status ?? item.status));
    const matches = await Promise.all(
      alike.map((item) => kind.matches?.(open, item, options) ?? Promise.resolve(true)),
    );
    const found = alike.filter((_, index) => matches[index]);
    if (count === true) return print(String(found.length));
    const listed: View[] = [];
    const judges = new Map(programmes.map((one) => [one, kind.warnings?.(open, one)]));
    for (const item of found.slice(0, limit)) {
      listed.push(jsonOf(await kind.show(open, item, 'list')));
      judges
        .get(item.programme)?.(item)
        .forEach((words) => warn(`${kind.nameOf(item)}: ${words}`));
    }
    if (json === true) return printJson(listed);
    if (items.length === 0 && damage.length > 0) return;
    if (items.length === 0) return say(`there are no ${kind.noun}s`);
    if (found.length === 0) return say(`no ${kind.noun}s match, of ${items.length}`);
    await print(listing(kind.columns, listed));
    if (listed.length < found.length) {
      say(`${listed.length} of ${found.length} ${kind.noun}s`);
    }
  });
  expectNoDamage(damage);
}

/** Makes all requested changes, or none. */
export async function setItem<N extends Noun>(
  kind: Kind<N>,
  name: string,
  options: Selection,
): Promise<void> {
  const { fields, alsoSets } = kind;
  const given = givenIn(options, inputsOf(fields));
  const readsMore = alsoSets !== undefined && valueOf(options, alsoSets.option.flags) === true;
  const keeps = alsoSets !== undefined && valueOf(options, alsoSets.keeping.flags) === true;
  const endsTokens = readsMore && !keeps;
  const nothing = `nothing is to be changed: jetway help ${kind.noun} set lists what can`;
  refuseUsage([
    ...(given.size > 0 || readsMore ? [] : [nothing]),
    ...(keeps && !readsMore
      ? [`${alsoSets.keeping.flags} goes with ${alsoSets.option.flags}: nothing else ends logins`]
      : []),
    ...complaintsOf(fields, given).map(({ message }) => message),
  ]);
  const config = configOf(options);
  const more = readsMore ? await alsoSets.read() : {};
  const { warnings, values } = await withStore(config, async (around) => {
    const found = await select(kind, around, name, options);
    const judge = await kind.judgeChange?.(around, found, options);
    const change = (before: Item<N>): Item<N> => {
      const missing = lackingIn(fields, before, given);
      if (missing.length > 0) {
        const lines = missing.map((words) => `${kind.nameOf(before)} has no ${words}`);
        throw failed(lines.join('\n'));
      }
      const draft = { ...changeFields(fields, before, given), ...more };
      judge?.(draft);
      return draft;
    };
    const after = await changeItem(kind, around, found, change, undefined, endsTokens);
    return { warnings: judge?.(after) ?? [], values: await kind.show(around, after) };
  });
  warnings.forEach(warn);
  if (endsTokens) say(alsoSets.ended);
  await printShown(values, options);
}

export const disableItem: ItemVerb = (...given) => setStatus('disabled', ...given);
export const enableItem: ItemVerb = (...given) => setStatus('active', ...given);

/** Succeeds also if the item already has the status. */
async function setStatus<N extends Noun>(
  status: Item<N>['status'],
  kind: Kind<N>,
  name: string,
  options: Selection,
): Promise<void> {
  const { before, after, values } = await withItem(kind, name, options, async (around, found) => {
    const changedItem = await changeItem(kind, around, found, (item) => ({ ...item, status }));
    return { before: found, after: changedItem, values: await kind.show(around, changedItem) };
  });
  const already = before.status === status ? ' already' : '';
  const who = called(kind, kind.nameOf(after));
  const text = `${who} of ${after.programme} is ${after.status}${already}`;
  return printResult(options, jsonOf(values), text);
}

export async function removeItem<N extends Noun>(
  kind: Kind<N>,
  name: string,
  options: Selection & { readonly yes?: boolean },
): Promise<void> {
  const { loss, done, json } = kind.removal;
  expectYes(options, `${called(kind, name)} ${loss}`);
  const gone = await withStore(configOf(options), async (around) => {
    const { store, clock } = around;
    const found = await selectAny(kind, around, name, options);
    const isDamaged = found instanceof DamagedItem;
    const id = isDamaged ? (found.id as Id<N>) : kinds[kind.noun].idOf(found);
    const shownName = isDamaged ? id : kind.nameOf(found);
    const view = isDamaged ? {} : jsonOf(await kind.show(around, found));
    const isGone = await store.remove(kind.noun, found.programme, id, clock.now());
    if (!isGone) throw removedMeanwhile(kind, shownName);
    const idName = kind.noun === 'member' ? 'subject' : `${kind.noun}_id`;
    const values = isDamaged
      ? { [idName]: id, programme: found.programme, damaged: true }
      : Object.fromEntries(json.map((key) => [key, view[key]]));
    return { values, who: `${called(kind, shownName)} of ${found.programme}` };
  });
  return printResult(options, { ...gone.values, removed: true }, `${gone.who} is ${done}`);
}
