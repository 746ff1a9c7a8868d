// Owns how lists are printed, whatever of: only some of it, counted, as a table or as JSON.

import { refuseUsage } from '../exit.ts';
import type { OptionSpec } from '../grammar/grammar.ts';
import { type OutputOptions, print, printJson, say } from '../output.ts';
import { table } from '../table.ts';

/** Options of a verb that lists what there are many of. */
export interface ListOptions extends OutputOptions {
  readonly config: string;
  readonly programme?: string;
  readonly status?: 'active' | 'disabled';
  readonly limit?: string;
  readonly count?: boolean;
}

export const listOptions: readonly OptionSpec[] = [
  { flags: '--programme <name>', description: 'only those of this programme' },
  {
    flags: '--status <status>',
    description: 'only those of this status',
    choices: ['active', 'disabled'],
  },
  { flags: '--limit <number>', description: 'no more than so many, the oldest first' },
  { flags: '--count', description: 'print how many there are, and nothing of them' },
];

/** A list to be printed. */
export interface Listing<Item, View> {
  /** What is listed, of many. */
  readonly noun: string;
  /** All there are. */
  readonly items: readonly Item[];
  /** Those that were asked for. */
  readonly found: readonly Item[];
  readonly view: (item: Item) => Promise<View> | View;
  readonly headings: readonly string[];
  readonly row: (view: View) => readonly string[];
}

/** Reads `--limit`; throws a usage error. */
export function readLimit({ limit }: Pick<ListOptions, 'limit'>): number {
  if (limit === undefined) return Infinity;
  const isNumber = /^[1-9]\d{0,8}$/.test(limit);
  refuseUsage(isNumber ? [] : [`--limit must be a number from 1, not ${JSON.stringify(limit)}`]);
  return Number(limit);
}

/** Prints what was found, or how much that is; tells people of what the limit leaves out. */
export async function printListing<Item, View>(
  { noun, items, found, view, headings, row }: Listing<Item, View>,
  options: Pick<ListOptions, 'count' | 'json' | 'limit'>,
): Promise<void> {
  if (options.count === true) return print(String(found.length));
  const shown = found.slice(0, readLimit(options));
  const views: View[] = [];
  for (const item of shown) views.push(await view(item));
  if (options.json === true) return printJson(views);
  if (items.length === 0) return say(`there are no ${noun}`);
  if (found.length === 0) return say(`no ${noun} match, of ${items.length}`);
  await print(table(headings, views.map(row)));
  if (shown.length < found.length) {
    say(`${shown.length} of ${found.length} ${noun}`);
  }
}
