// Owns writing a change of any number of registered things in one statement of PostgreSQL.

import type { Instant } from '../../lib/clock.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import { type Item, type Kind, kinds } from '../kinds.ts';
import { keysOf } from '../registrations.ts';
import { lookUps, registered, removed } from '../sql/tables.ts';
import type { Epoch } from './epoch.ts';
import type { Parameter, Statement } from './link/statement.ts';
import { type ItemName, names } from './registered_rows.ts';
import { putRevocations, revocationRows } from './revocations.ts';
import { arrayRows, tableRows } from './tables.ts';

/** A change of registered things, as rows. */
export interface RowChanges {
  readonly added: ItemRow[];
  readonly changed: ItemRow[];
  readonly removed: ItemName[];
  readonly buried: (ItemName & { readonly programme: ProgrammeId; readonly removed_at: Instant })[];
  readonly keysAdded: LookUpRow[];
  readonly keysDropped: LookUpRow[];
  /** Items whose keys go, whichever they are; asks all keys of the programme, as there is no index. */
  readonly keysLost: ItemName[];
  readonly revoked: {
    readonly programme: ProgrammeId;
    readonly owner: string;
    /** The current era if left out. */
    readonly until?: Era;
  }[];
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
    added: [],
    changed: [],
    removed: [],
    buried: [],
    keysAdded: [],
    keysDropped: [],
    keysLost: [],
    revoked: [],
    usesKept: [],
  };
}

export function itemRow<K extends Kind>(kind: K, item: Item<K>): ItemRow {
  const { programme } = item;
  return {
    position: null,
    kind,
    programme,
    id: kinds[kind].idOf(item),
    record: JSON.stringify(item),
  };
}

export function lookUpRows<K extends Kind>(kind: K, item: Item<K>): readonly LookUpRow[] {
  const { programme } = item;
  const id = kinds[kind].idOf(item);
  return keysOf(kind, item).map(({ lookUp: name, key }) => ({ kind, programme, name, key, id }));
}

export const items = tableRows(registered);
const burials = tableRows(removed);
const lookUpKeys = tableRows(lookUps);
const usesKept = arrayRows({ programme: 'text', id: 'text', held: 'text' });

/** Numbers the parameters of one statement. */
function parameters(start: number): (rows: { readonly length: number }) => number {
  let next = start;
  return ({ length }) => {
    const first = next;
    next += length;
    return first;
  };
}

const first = parameters(5);
const [
  addedAt,
  changedAt,
  removedAt,
  buriedAt,
  keysAddedAt,
  keysDroppedAt,
  keysLostAt,
  revokedAt,
  usesAt,
] = [items, items, names, burials, lookUpKeys, lookUpKeys, names, revocationRows, usesKept].map(
  first,
) as [number, number, number, number, number, number, number, number, number];

/** SQL that changes items, whose rows are the parameters from `at` on. */
export function changeItems(at: number, condition: string): string {
  return `UPDATE registered SET record = asked.record, sum = asked.sum
    FROM ${items.from('asked', at)} WHERE ${condition}
      AND registered.kind = asked.kind AND registered.programme = asked.programme AND registered.id = asked.id`;
}

const gated = 'EXISTS (SELECT FROM gate)';
const list = (columns: readonly string[]): string => columns.join(', ');

/**
 * Everything of a change or nothing: only while no registration and no era has changed since it was
 * judged. Parameters 1 to 4: registrations and era as they were judged, whether the era ends, and a mark
 * by which the change is recognised.
 */
export const writeChanges: Statement = {
  name: 'write_registered',
  text: `WITH gate AS (
      UPDATE epoch SET registrations = registrations + 1, era = era + ($3::boolean)::int, op = $4
      WHERE registrations = $1 AND era = $2 RETURNING 1
    ), dropped AS (
      DELETE FROM registered USING ${names.from('asked', removedAt)} WHERE ${gated}
        AND registered.kind = asked.kind AND registered.programme = asked.programme AND registered.id = asked.id
    ), changed AS (${changeItems(changedAt, gated)}
    ), added AS (
      INSERT INTO registered (${list(items.names)}) SELECT ${list(items.names)}
      FROM ${items.from('asked', addedAt)} WHERE ${gated} ORDER BY asked.n
    ), buried AS (
      INSERT INTO removed (${list(burials.names)}) SELECT ${list(burials.names)}
      FROM ${burials.from('asked', buriedAt)} WHERE ${gated} ON CONFLICT DO NOTHING
    ), keys_dropped AS (
      DELETE FROM look_up USING ${lookUpKeys.from('asked', keysDroppedAt)} WHERE ${gated}
        AND look_up.kind = asked.kind AND look_up.programme = asked.programme AND look_up.name = asked.name
        AND look_up.key = asked.key AND look_up.id = asked.id
    ), keys_lost AS (
      DELETE FROM look_up USING ${names.from('asked', keysLostAt)} WHERE ${gated}
        AND look_up.kind = asked.kind AND look_up.programme = asked.programme AND look_up.id = asked.id
    ), keys_added AS (
      INSERT INTO look_up (${list(lookUpKeys.names)}) SELECT ${list(lookUpKeys.names)}
      FROM ${lookUpKeys.from('asked', keysAddedAt)} WHERE ${gated} ON CONFLICT DO NOTHING
    ), revoked AS (
      ${putRevocations(`SELECT ${list(revocationRows.names)}
        FROM ${revocationRows.from('asked', revokedAt)} WHERE ${gated}`)}
    ), uses AS (
      DELETE FROM secret_use USING ${usesKept.from('asked', usesAt)} WHERE ${gated}
        AND secret_use.programme = asked.programme AND secret_use.client = asked.id
        AND NOT secret_use.digest = ANY (string_to_array(asked.held, ' '))
    )
    SELECT 1 FROM gate`,
  isRead: false,
};

/** Whether the last change of registered things is that of a mark. */
export const confirmChange: Statement = {
  name: 'confirm_registered',
  // A write: its commit waits for the standbys that the change may not have reached.
  text: 'UPDATE epoch SET op = op WHERE op = $1 RETURNING 1',
  isRead: false,
};

export function changeValues(
  { registrations, era }: Pick<Epoch, 'registrations' | 'era'>,
  mark: string,
  changes: RowChanges,
): readonly Parameter[] {
  const endsEra = changes.revoked.some(({ until }) => until === undefined);
  const revoked = changes.revoked.map(({ programme, owner, until = era }) => ({
    programme,
    owner,
    revoked_until: until,
  }));
  return [
    registrations,
    era,
    endsEra,
    mark,
    ...items.values(changes.added),
    ...items.values(changes.changed),
    ...names.values(changes.removed),
    ...burials.values(changes.buried),
    ...lookUpKeys.values(changes.keysAdded),
    ...lookUpKeys.values(changes.keysDropped),
    ...names.values(changes.keysLost),
    ...revocationRows.values(revoked),
    ...usesKept.values(changes.usesKept),
  ];
}
