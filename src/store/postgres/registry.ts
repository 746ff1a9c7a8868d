// Owns the registered things' verbs in PostgreSQL, and what a node remembers of their rows.

import { BoundedMap } from '../../lib/bounded_map.ts';
import { frozen } from '../../lib/frozen.ts';
import { type Item, type Kind, kinds } from '../kinds.ts';
import { inOrder, noPlace, pageOf } from '../registrations.ts';
import type { Registry } from '../registry.ts';
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
  readHolders,
  readItem,
  readNamed,
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
  const named = batched<ItemName, Item<Kind> | undefined>({
    link,
    answer: async (asked, until) => {
      const rows = await link.run(findNamed, names.values(asked), until);
      return asked.map((name, index) => {
        const row = rows[index] ?? [];
        const held = fresh(epochs.note(row));
        const item = frozen(readNamed(name, row).item);
        const isRemembered = item !== undefined || kinds[name.kind].remembersAbsence;
        if (isRemembered) held?.set(nameOf(name), item ?? null);
        return item;
      });
    },
  });
  const holders = batched<KeyName, readonly Item<Kind>[]>({
    link,
    answer: async (asked, until) => {
      const rows = await link.run(findHolders, keysAsked(asked), until);
      const held = fresh(epochs.note(rows[0] ?? []));
      const found = readHolders(asked, rows);
      for (const [index, items] of found.entries()) {
        const name = asked[index];
        // Nothing is remembered of keys that nobody holds: strangers can think of any number.
        if (name !== undefined && items.length > 0) held?.set(keyOf(name), frozen(items));
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
      const found = remembered === undefined ? await named(name) : (remembered ?? undefined);
      return found as Item<typeof kind> | undefined;
    },
    findBy: async (kind, lookUp, programme, key) => {
      const name = { kind, programme, name: lookUp, key };
      if (!isText(key)) return [];
      const found = fresh(await epochs.current())?.get(keyOf(name)) ?? (await holders(name));
      return found as readonly Item<typeof kind>[];
    },
    isTaken: async (kind, programme, id) => {
      if (!isText(id)) return false;
      const name = { kind, programme, id };
      const [row = []] = await care.run(findNamed, names.values([name]));
      return readNamed(name, row).isTaken;
    },
    list: async (kind, programme, page = {}) => {
      const { after, limit } = page;
      if (kinds[kind].order === 'created') {
        const rows = await care.run(listRows, [kind, programme, null, null]);
        const items = rows.flatMap((row) => readItem(kind, row) ?? []) as Item<typeof kind>[];
        return pageOf(kind, inOrder(kind, items), page);
      }
      if (after !== undefined) {
        const name = { kind, programme, id: after };
        const [row = []] = await care.run(findNamed, names.values([name]));
        if (readNamed(name, row).item === undefined) throw noPlace(kind, after);
      }
      const rows = await care.run(listRows, [kind, programme, after ?? null, limit ?? null]);
      return rows.flatMap((row) => readItem(kind, row) ?? []);
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
