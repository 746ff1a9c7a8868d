// Owns the report on a store: what is in it, and what is wrong with it.

import { present } from '../../lib/present.ts';
import type { StoreReport, VerifyOptions } from '../care.ts';
import { type Item, type Kind, kindNames } from '../kinds.ts';
import { statement } from '../sql/statement.ts';
import { wholeness } from '../sql/table.ts';
import { lookUps, registered, tables } from '../sql/tables.ts';
import { lookUpRows } from '../verbs/item_rows.ts';
import { factsOf } from './facts.ts';
import { type Count, numberOf, type Place } from './place.ts';

/** The report, as of one moment. Reads all rows, or a sample of a large table on a server. */
export function reportOn(place: Place, { keyCheck }: VerifyOptions = {}): Promise<StoreReport> {
  return place.transaction(async () => {
    const { environment, createdAt, recordedTime, keyCheck: kept } = await factsOf(place);
    const found = await place.tables();
    const counted = await countsOf(place, found);
    const damage = [...(await damageOf(place, counted))];
    if (keyCheck !== undefined && kept !== undefined && keyCheck !== kept) {
      damage.push('the configured master key is not the one that the store was made with');
    }
    return present({
      path: place.name,
      size: await place.size(),
      schema: place.schema,
      environment,
      createdAt,
      recordedTime,
      counts: await shownCounts(place, counted),
      damage,
      ...(await place.server?.()),
    });
  });
}

type Counts = ReadonlyMap<string, Count>;

async function countsOf(place: Place, names: readonly string[]): Promise<Counts> {
  const counts = new Map<string, Count>();
  for (const name of names) counts.set(name, await place.count(name));
  return counts;
}

/** By table, and of registered things by kind. */
async function shownCounts(
  { run }: Place,
  counted: Counts,
): Promise<Readonly<Record<string, number>>> {
  const shown: (readonly [string, number])[] = [];
  for (const [name, { rows, isExact }] of counted) {
    if (name !== registered.name || !isExact) shown.push([name, rows]);
    else {
      const found = await run('SELECT kind, count(*) FROM registered GROUP BY kind');
      const byKind = new Map(found as readonly (readonly [string, number])[]);
      shown.push(...kindNames.map((kind) => [kind, byKind.get(kind) ?? 0] as const));
    }
  }
  return Object.fromEntries(shown.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** All damage of a store, in words; empty if there is none. Call it in a transaction. */
export async function damageOf(place: Place, counted?: Counts): Promise<readonly string[]> {
  const own = await place.ownDamage();
  if (own.length > 0) return own;
  const counts = counted ?? (await countsOf(place, await place.tables()));
  const unfit = new Map<string, number>();
  for (const table of tables) {
    const isWhole = wholeness(table);
    const sample = place.sample(table.name, countIn(counts, table.name));
    for await (const rows of place.chunks(`SELECT ${table.names.join(', ')} FROM ${sample}`)) {
      addTo(unfit, table.name, rows.filter((row) => !isWhole(row)).length);
    }
  }
  const lost = await lostLookUps(place, counts);
  const orphaned = await numberOf(
    place,
    `SELECT count(*) FROM ${place.sample(lookUps.name, countIn(counts, lookUps.name))}
     WHERE NOT EXISTS (SELECT 1 FROM registered WHERE registered.kind = look_up.kind
       AND registered.programme = look_up.programme AND registered.id = look_up.id)`,
  );
  return [
    ...describe('rows do not fit their checksums', unfit),
    ...describe('keys are missing in look_up', lost),
    ...(orphaned > 0 ? [`keys of look_up lead to nothing: ${orphaned}`] : []),
  ];
}

const findLookUp = statement(
  'find_look_up',
  lookUps.columns,
  `SELECT 1 FROM look_up WHERE look_up.kind = :kind AND look_up.programme = :programme
    AND look_up.name = :name AND look_up.key = :key AND look_up.id = :id`,
);

/** Counts the keys of registered things by which `look_up` does not find them, by kind. */
async function lostLookUps(place: Place, counts: Counts): Promise<ReadonlyMap<string, number>> {
  const isWhole = wholeness(registered);
  const [kindAt, recordAt] = ['kind', 'record'].map((name) => registered.names.indexOf(name));
  const sample = place.sample(registered.name, countIn(counts, registered.name));
  const lost = new Map<string, number>();
  const select = `SELECT ${registered.names.join(', ')} FROM ${sample}`;
  for await (const rows of place.chunks(select)) {
    // A damaged row is counted already; its record may be no JSON.
    const byKind = Map.groupBy(rows.filter(isWhole), (row) => row[kindAt ?? 0] as Kind);
    for (const [kind, items] of byKind) {
      const wanted = items.flatMap((row) =>
        lookUpRows(kind, JSON.parse(String(row[recordAt ?? 0])) as Item<typeof kind>),
      );
      addTo(
        lost,
        kind,
        await place.missing(
          findLookUp,
          wanted.map((key) => ({ ...key })),
        ),
      );
    }
  }
  return lost;
}

function countIn(counts: Counts, table: string): Count {
  return counts.get(table) ?? { rows: 0, isExact: true };
}

function addTo(counts: Map<string, number>, name: string, more: number): void {
  if (more > 0) counts.set(name, (counts.get(name) ?? 0) + more);
}

/** A fault with where and how often it was found; none if nowhere. */
export function describe(fault: string, counts: ReadonlyMap<string, number>): readonly string[] {
  if (counts.size === 0) return [];
  return [`${fault}: ${[...counts].map(([table, count]) => `${count} of ${table}`).join(', ')}`];
}
