// Owns the registered things' verbs in PostgreSQL, and what a node remembers of their rows.

import { BoundedMap } from '../../lib/bounded_map.ts';
import { frozen } from '../../lib/frozen.ts';
import { type Item, type Kind, kinds } from '../kinds.ts';
import { inOrder, noPlace, pageOf } from '../registrations.ts';
import type { Registry } from '../registry.ts';
import type { DamagedItem } from '../unusable.ts';
import { changer } from './changes.ts';
import { keyOf, nameOf } from './draft.ts';
import type { Epoch, Epochs } from './epoch.ts';
import { batched } from './link/batch.ts';
import type { Link } from './link/link.ts';
import {
  findHolders,
  findNamed,
  type ItemName,
  type KeyName,
  keysAsked,
  listRows,
  names,
  type NamedRow,
  readHolders,
  readItems,
  readNamed,
  wholeOf,
} from './registered_rows.ts';

export interface RegistryParts {
  readonly link: Link;
  /** For changes and lists, which may be large. */
  readonly care: Link;
  readonly epochs: Epochs;
  /** Told of what a change has written. */
  readonly written: Parameters<typeof changer>[1];
}

/** More items in use at once are read again. */
const mostKnown = 30_000;

/** As of one number of registrations; null for an item that is known not to be there. */
type Known = BoundedMap<string, Item<Kind> | null | readonly Item<Kind>[]>;

export function registryVerbs({ link, care, epochs, written }: RegistryParts): Registry {
  let known: Known = new BoundedMap(mostKnown);
  let knownAs = -1;
  /** What is remembered, once the epoch has been asked. */
  const fresh = ({ registrations }: Epoch): Known | undefined => {
    if (registrations > knownAs) {
      known = new BoundedMap(mostKnown);
      knownAs = registrations;
    }
    // Undefined for an answer that a later one has overtaken.
    return registrations === knownAs ? known : undefined;
  };
  // Damage is an answer here: an error would be that of all questions of the statement (FAULTS 36).
  const named = batched<ItemName, NamedRow>({
    link,
    answer: async (asked, until) => {
      const rows = await link.run(findNamed, names.values(asked), until);
      return asked.map((name, index) => {
        const row = rows[index] ?? [];
        const held = fresh(epochs.note(row));
        const found = readNamed(name, row);
        const item = frozen(found.item);
        const isAbsent = item === undefined && found.damage === undefined;
        const isRemembered = isAbsent ? kinds[name.kind].remembersAbsence : item !== undefined;
        if (isRemembered) held?.set(nameOf(name), item ?? null);
        return found;
      });
    },
  });
  const holders = batched<KeyName, readonly (Item<Kind> | DamagedItem)[]>({
    link,
    answer: async (asked, until) => {
      const rows = await link.run(findHolders, keysAsked(asked), until);
      const held = fresh(epochs.note(rows[0] ?? []));
      const found = readHolders(asked, rows);
      for (const [index, items] of found.entries()) {
        const name = asked[index];
        // Nothing is remembered of keys that nobody holds: strangers can think of any number.
        const whole = wholeOf(items, () => undefined);
        if (name !== undefined && whole.length > 0) held?.set(keyOf(name), frozen(whole));
      }
      return found;
    },
  });
  const change = changer(care, written);
  return {
    find: async (kind, programme, id) => {
      const name = { kind, programme, id };
      if (!isText(id)) return undefined;
      const remembered = fresh(await epochs.current())?.get(nameOf(name));
      if (remembered !== undefined) return (remembered ?? undefined) as Item<typeof kind>;
      const { item, damage } = await named(name);
      if (damage !== undefined) throw damage;
      return item;
    },
    findBy: async (kind, lookUp, programme, key) => {
      const name = { kind, programme, name: lookUp, key };
      if (!isText(key)) return [];
      const remembered = fresh(await epochs.current())?.get(keyOf(name));
      if (remembered !== undefined) return remembered as readonly Item<typeof kind>[];
      const found = await holders(name);
      const whole = wholeOf(found, () => undefined);
      return whole.length > 0 ? whole : wholeOf(found);
    },
    isTaken: async (kind, programme, id) => {
      if (!isText(id)) return false;
      const name = { kind, programme, id };
      const [row = []] = await care.run(findNamed, names.values([name]));
      return readNamed(name, row).isTaken;
    },
    list: async (kind, programme, page = {}) => {
      const { after, limit, onDamage } = page;
      if (kinds[kind].order === 'created') {
        const rows = await care.run(listRows, [kind, programme, null, null]);
        return pageOf(kind, inOrder(kind, readItems(kind, rows, onDamage)), page);
      }
      if (after !== undefined) {
        const name = { kind, programme, id: after };
        const [row = []] = await care.run(findNamed, names.values([name]));
        // Its place is known, even if its row is damaged.
        const { item, damage } = readNamed(name, row);
        if ((item ?? damage) === undefined) throw noPlace(kind, after);
      }
      const rows = await care.run(listRows, [kind, programme, after ?? null, limit ?? null]);
      return readItems(kind, rows, onDamage);
    },
    add: (...call) => change(({ add }) => add(...call)),
    change: (...call) => change((steps) => steps.change(...call)),
    changeAll: (...call) => change((steps) => steps.changeAll(...call)),
    remove: (...call) => change((steps) => steps.remove(...call)),
    epoch: async (kind) => (kinds[kind].hasEpoch ? (await epochs.current()).registrations : 0),
  };
}

/** Whether a text can be in a row: PostgreSQL has no NUL, so there is no such item. */
function isText(text: string): boolean {
  return !text.includes('\0');
}
