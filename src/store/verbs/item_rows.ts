// Owns the rows of registered things: the statements that read and write them, and what they say.

import type { Instant } from '../../lib/clock.ts';
import { frozen } from '../../lib/frozen.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import { type Item, type Kind, kinds } from '../kinds.ts';
import { inOrder, keysOf } from '../registrations.ts';
import type { Db, Values } from '../sql/db.ts';
import { from, leftJoined, partReader } from '../sql/parts.ts';
import { putRevocation } from '../sql/revocations.ts';
import { insertText, type Statement, statement } from '../sql/statement.ts';
import { type RowOf, some, sumOf, type Table, type Value, withSum } from '../sql/table.ts';
import { lookUps, registered, removed, revocations } from '../sql/tables.ts';
import { DamagedItem, type OnDamage, refuseDamage } from '../unusable.ts';

/** The name of an item. */
export interface ItemName {
  readonly kind: Kind;
  readonly programme: string;
  readonly id: string;
}

/** What is known of a name. */
export interface NamedRow<K extends Kind = Kind> {
  readonly item: Item<K> | undefined;
  /** There is an item, whose row is damaged. */
  readonly damage?: DamagedItem;
  /** By an item that is there, or was where that counts (see `Registry.add`). */
  readonly isTaken: boolean;
}

/** Items by a key of a look-up; in every programme where `programme` is null. */
export interface KeyName {
  readonly kind: Kind;
  readonly programme: string | null;
  readonly name: string;
  readonly key: string;
}

export type HeldItem = Item<Kind> | DamagedItem;

const { columns } = registered;
const row = partReader({ row: from(registered, 'registered') });
const named = partReader({
  row: leftJoined(registered, 'registered'),
  gone: leftJoined(some(removed, 'id'), 'removed'),
});

const isNamed = (table: string): string =>
  `${table}.kind = :kind AND ${table}.programme = :programme AND ${table}.id = :id`;

export const findNamed = statement(
  'find_named',
  columns,
  `SELECT ${named.columns} FROM (SELECT 1) AS one
    LEFT JOIN registered ON ${isNamed('registered')} LEFT JOIN removed ON ${isNamed('removed')}`,
);

export function readNamed(read: readonly Value[]): NamedRow {
  const { row: found, gone } = named.read(read);
  if (found === null) return { item: undefined, isTaken: gone !== null };
  const item = itemOf(found);
  return item instanceof DamagedItem
    ? { item: undefined, damage: item, isTaken: true }
    : { item, isTaken: true };
}

const held = `SELECT ${row.columns} FROM look_up JOIN registered ON registered.kind = look_up.kind
      AND registered.programme = look_up.programme AND registered.id = look_up.id
    WHERE look_up.kind = :kind AND look_up.name = :name AND look_up.key = :key`;

export const findHolders = statement(
  'find_holders',
  lookUps.columns,
  `${held} AND look_up.programme = :programme`,
);
export const findAnyHolders = statement('find_any_holders', lookUps.columns, held);

/** By programme and identifier. */
export function readHolders(rows: readonly (readonly Value[])[]): readonly HeldItem[] {
  const found = rows.map((read) => row.read(read).row);
  return found.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)).map(itemOf);
}

export const listItems = statement(
  'list_items',
  columns,
  `SELECT ${row.columns} FROM registered WHERE kind = :kind AND programme = :programme
    AND position > coalesce((SELECT before.position FROM registered AS before
      WHERE before.kind = :kind AND before.programme = :programme AND before.id = :after), 0)
    ORDER BY position LIMIT :most`,
  { types: { after: 'text', most: 'integer' } },
);

/** As `most` of a list without a limit. */
export const noLimit: number = 2 ** 31;

/** In the order of registration. */
export function readList(rows: readonly (readonly Value[])[]): readonly HeldItem[] {
  const found = rows.map((read) => row.read(read).row);
  const places = (one: RowOf<typeof registered>): number => one.position ?? 0;
  return found.toSorted((one, other) => places(one) - places(other)).map(itemOf);
}

const listEverywhere = statement(
  'list_everywhere',
  columns,
  `SELECT ${row.columns} FROM registered WHERE registered.kind = :kind`,
);

/** The items of a kind in every programme, in the order of their kind, without damaged ones. */
export function everywhere(db: Db): <K extends Kind>(kind: K) => Promise<readonly Item<K>[]> {
  const read = db.bulkReader(listEverywhere, readList);
  return async <K extends Kind>(kind: K) => {
    const [found = []] = await read([{ kind }]);
    return inOrder(kind, wholeOf(found, () => undefined) as readonly Item<K>[]);
  };
}

/** Without the damaged ones, of which `onDamage` is told. */
export function wholeOf(
  found: readonly HeldItem[],
  onDamage: OnDamage = refuseDamage,
): readonly Item<Kind>[] {
  return found.filter((one) => {
    if (!(one instanceof DamagedItem)) return true;
    onDamage(one);
    return false;
  }) as readonly Item<Kind>[];
}

/** The item of a row of `registered`. */
function itemOf(found: RowOf<typeof registered>): HeldItem {
  return sumOf(registered, found) === found.sum
    ? frozen(JSON.parse(found.record) as Item<Kind>)
    : new DamagedItem(found.kind, found.programme, found.id);
}

/** A change of registered things, as rows. */
export interface RowChanges {
  readonly removed: ItemName[];
  readonly changed: ItemRow[];
  readonly added: ItemRow[];
  readonly buried: (ItemName & { readonly programme: ProgrammeId; readonly removed_at: Instant })[];
  readonly keysDropped: LookUpRow[];
  /** Items whose keys go, whichever they are; asks all keys of the programme, as there is no index. */
  readonly keysLost: ItemName[];
  readonly keysAdded: LookUpRow[];
  readonly revoked: {
    readonly programme: ProgrammeId;
    readonly owner: string;
    /** The current era if left out. */
    readonly until?: Era;
  }[];
  /** `held`: digests with spaces between them. */
  readonly usesKept: { readonly programme: string; readonly id: string; readonly held: string }[];
}

export interface ItemRow extends ItemName {
  readonly position: null;
  readonly programme: ProgrammeId;
  readonly record: string;
}

export interface LookUpRow extends ItemName {
  readonly programme: ProgrammeId;
  readonly name: string;
  readonly key: string;
}

export function noChanges(): RowChanges {
  return {
    removed: [],
    changed: [],
    added: [],
    buried: [],
    keysDropped: [],
    keysLost: [],
    keysAdded: [],
    revoked: [],
    usesKept: [],
  };
}

export function itemRow<K extends Kind>(kind: K, item: Item<K>): ItemRow {
  const { programme } = item;
  const id = kinds[kind].idOf(item);
  return { position: null, kind, programme, id, record: JSON.stringify(item) };
}

export function lookUpRows<K extends Kind>(kind: K, item: Item<K>): readonly LookUpRow[] {
  const { programme } = item;
  const id = kinds[kind].idOf(item);
  return keysOf(kind, item).map(({ lookUp: name, key }) => ({ kind, programme, name, key, id }));
}

function nameOf({ programme, id }: { readonly programme: string; readonly id: string }): string {
  return `${programme}\0${id}`;
}

/** SQL that inserts rows whose position the database gives. */
function insertion(table: Table, conflict = ''): Statement {
  const names = table.names.filter((name) => name !== 'position');
  return statement(`add_${table.name}`, table.columns, insertText({ ...table, names }, conflict));
}

export const changeItem = statement(
  'change_item',
  columns,
  `UPDATE registered SET record = :record, sum = :sum WHERE ${isNamed('registered')}`,
);

/** What a change does with each of its rows, in the order in which it is done. */
const writes: readonly (readonly [
  Statement,
  (changes: RowChanges, era: Era) => readonly Values[],
])[] = [
  [
    statement('drop_item', columns, `DELETE FROM registered WHERE ${isNamed('registered')}`),
    (changes) => changes.removed.map((name) => ({ ...name })),
  ],
  [changeItem, (changes) => changes.changed.map((item) => withSum(registered, item))],
  [insertion(registered), (changes) => changes.added.map((item) => withSum(registered, item))],
  [
    insertion(removed, 'ON CONFLICT DO NOTHING'),
    (changes) => changes.buried.map((item) => withSum(removed, item)),
  ],
  [
    statement(
      'drop_key',
      lookUps.columns,
      `DELETE FROM look_up WHERE ${isNamed('look_up')} AND look_up.name = :name AND look_up.key = :key`,
    ),
    (changes) => changes.keysDropped.map((key) => ({ ...key })),
  ],
  [
    statement('lose_keys', lookUps.columns, `DELETE FROM look_up WHERE ${isNamed('look_up')}`),
    (changes) => changes.keysLost.map((name) => ({ ...name })),
  ],
  [
    insertion(lookUps, 'ON CONFLICT DO NOTHING'),
    (changes) => changes.keysAdded.map((key) => withSum(lookUps, key)),
  ],
  [
    putRevocation,
    (changes, era) =>
      changes.revoked.map(({ until = era, ...owned }) =>
        withSum(revocations, { ...owned, revoked_until: until }),
      ),
  ],
  [
    statement(
      'keep_uses',
      columns,
      // A digest that is not among those held.
      `DELETE FROM secret_use WHERE secret_use.programme = :programme AND secret_use.client = :id
        AND replace(:held, secret_use.digest, '') = :held`,
      { types: { held: 'text' } },
    ),
    (changes) => changes.usesKept,
  ],
];

/** The statements of a change, each over rows of its own. */
export const changeStatements: readonly Statement[] = writes.map(([one]) => one);

/** The rows of each of them; `era` is the one that revocations of all so far end. */
export function changeValues(changes: RowChanges, era: Era): readonly (readonly Values[])[] {
  return writes.map(([, valuesOf]) => valuesOf(changes, era));
}
