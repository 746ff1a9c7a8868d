// Owns the verbs `show` and `list` of every kind.

import { refuseUsage } from '../exit.ts';
import { option, type OptionSpec } from '../grammar/grammar.ts';
import { withStore } from '../open_store.ts';
import { print, printJson, say, warn } from '../output.ts';
import { configOf, selectProgrammes } from '../programmes.ts';
import { table } from '../table.ts';
import { type Kind, type Noun, type Selection, withItem } from './kind.ts';
import { jsonOf, printShown } from './shown.ts';

export async function showItem<N extends Noun>(
  kind: Kind<N>,
  name: string,
  options: Selection,
): Promise<void> {
  const { item, values } = await withItem(kind, name, options, async (around, found) => ({
    item: found,
    values: await kind.show(around, found, 'show'),
  }));
  kind.warnings?.(item).forEach(warn);
  await printShown(values, options);
}

export type ListOptions = Selection & {
  readonly status?: string;
  readonly limit?: string;
  readonly count?: boolean;
};

export const listOptions: readonly OptionSpec[] = [
  option('--programme <name>', 'only those of this programme'),
  option('--status <status>', 'only those of this status', { choices: ['active', 'disabled'] }),
  option('--limit <number>', 'no more than so many, the oldest first'),
  option('--count', 'print how many there are, and nothing of them'),
];

/** By programme, in order of creation; says how many items a limit leaves out. */
export async function listItems<N extends Noun>(
  kind: Kind<N>,
  options: ListOptions,
): Promise<void> {
  const { status, count, json } = options;
  const limit = readLimit(options);
  const config = configOf(options);
  const programmes = selectProgrammes(config, options.programme);
  await withStore(config, async (open) => {
    const lists = await Promise.all(programmes.map((one) => open.store.list(kind.noun, one)));
    const items = lists.flat();
    const alike = items.filter((item) => item.status === (status ?? item.status));
    const matches = await Promise.all(
      alike.map((item) => kind.matches?.(open, item, options) ?? Promise.resolve(true)),
    );
    const found = alike.filter((_, index) => matches[index]);
    if (count === true) return print(String(found.length));
    const listed: Readonly<Record<string, unknown>>[] = [];
    for (const item of found.slice(0, limit)) {
      listed.push(jsonOf(await kind.show({ ...open, config }, item, 'list')));
    }
    if (json === true) return printJson(listed);
    if (items.length === 0) return say(`there are no ${kind.noun}s`);
    if (found.length === 0) return say(`no ${kind.noun}s match, of ${items.length}`);
    const keys = Object.values(kind.columns);
    const rows = listed.map((item) => keys.map((key) => cellOf(item[key])));
    await print(table(Object.keys(kind.columns), rows));
    if (listed.length < found.length) {
      say(`${listed.length} of ${found.length} ${kind.noun}s`);
    }
  });
}

function cellOf(value: unknown): string {
  return [value ?? []].flat().map(String).join(', ') || '-';
}

function readLimit({ limit }: ListOptions): number {
  if (limit === undefined) return Infinity;
  const isNumber = /^[1-9]\d{0,8}$/.test(limit);
  refuseUsage(isNumber ? [] : [`--limit must be a number from 1, not ${JSON.stringify(limit)}`]);
  return Number(limit);
}
