// Owns the verbs `set`, `enable`, `disable` and `remove`; running servers apply changes at once.

import { type Item, kinds } from '../../store/kinds.ts';
import { CommandError, exitCodes, expectYes, refuseUsage } from '../exit.ts';
import { withStore } from '../open_store.ts';
import { print, printJson, warn } from '../output.ts';
import { configOf } from '../programmes.ts';
import { changeFields, complaintsOf, givenIn, inputsOf, lackingIn, valueOf } from './fields.ts';
import {
  called,
  type ChangeableKind,
  changeItem,
  type Kind,
  type Noun,
  removedMeanwhile,
  select,
  type Selection,
  withItem,
} from './kind.ts';
import { jsonOf, printShown } from './shown.ts';

/** Makes all requested changes, or none. */
export async function setItem<N extends Noun, Name extends keyof Item<N>>(
  kind: ChangeableKind<N, Name>,
  name: string,
  options: Selection,
): Promise<void> {
  const { fields, alsoSets } = kind;
  const given = givenIn(options, inputsOf(fields));
  const readsMore = alsoSets !== undefined && valueOf(options, alsoSets.option) === true;
  const nothing = `nothing is to be changed: jetway help ${kind.noun} set lists what can`;
  refuseUsage([
    ...(given.size > 0 || readsMore ? [] : [nothing]),
    ...complaintsOf(fields, given).map(({ message }) => message),
  ]);
  const config = configOf(options);
  const more = readsMore ? await alsoSets.read() : {};
  const { warnings, values } = await withStore(config, async (open) => {
    const around = { ...open, config };
    const found = await select(kind, around, name, options);
    const judge = await kind.judgeChange(around, found, options);
    const after = await changeItem(kind, open, found, (before) => {
      const missing = lackingIn(fields, before, given);
      if (missing.length > 0) {
        const lines = missing.map((words) => `${kind.nameOf(before)} has no ${words}`);
        throw new CommandError(exitCodes.failed, lines.join('\n'));
      }
      const draft = { ...changeFields(fields, before, given), ...more };
      judge(draft);
      return draft;
    });
    return { warnings: judge(after), values: await kind.show(around, after) };
  });
  warnings.forEach(warn);
  await printShown(values, options);
}

/** Succeeds also if the item already has the status. */
export async function setStatus<N extends Noun>(
  kind: Kind<N>,
  name: string,
  status: Item<N>['status'],
  options: Selection,
): Promise<void> {
  const { before, after, values } = await withItem(kind, name, options, async (around, found) => {
    const changedItem = await changeItem(kind, around, found, (item) => ({ ...item, status }));
    return { before: found, after: changedItem, values: await kind.show(around, changedItem) };
  });
  if (options.json === true) return printJson(jsonOf(values));
  const already = before.status === status ? ' already' : '';
  const who = called(kind, kind.nameOf(after));
  return print(`${who} of ${after.programme} is ${after.status}${already}`);
}

export async function removeItem<N extends Noun>(
  kind: Kind<N>,
  name: string,
  options: Selection & { readonly yes?: boolean },
): Promise<void> {
  const { loss, done, json } = kind.removal;
  expectYes(options, `${called(kind, name)} ${loss}`);
  const item = await withItem(kind, name, options, async (around, found) => {
    const { store, clock } = around;
    const id = kinds[kind.noun].idOf(found);
    const isGone = await store.remove(kind.noun, found.programme, id, clock.now());
    if (!isGone) throw removedMeanwhile(kind, found);
    return found;
  });
  if (options.json === true) return printJson({ ...json(item), removed: true });
  return print(`${called(kind, kind.nameOf(item))} of ${item.programme} is ${done}`);
}
