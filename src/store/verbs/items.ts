// Owns the verbs of registered things, each kind described in kinds.ts, and revoking all that an owner was
// issued. A change is worked out over what is known, and written if nothing else has changed meanwhile: the
// changes of many processes are all kept.

import { pause } from '../../lib/pause.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { TokenOwner } from '../grants.ts';
import { type Item, type Kind, kinds } from '../kinds.ts';
import { inOrder, keysOf, noPlace, pageOf } from '../registrations.ts';
import type { Registry } from '../registry.ts';
import type { Db, EditOptions } from '../sql/db.ts';
import { damaged } from '../sql/table.ts';
import { Draft, type Facts, noFacts, type Questions } from './item_draft.ts';
import {
  changeStatements,
  changeValues,
  findAnyHolders,
  findHolders,
  findNamed,
  type HeldItem,
  type NamedRow,
  listItems,
  noLimit,
  readHolders,
  readList,
  readNamed,
  type RowChanges,
  wholeOf,
} from './item_rows.ts';
import * as registrar from './registrar.ts';
import { untilDone } from './tries.ts';

/** More items in use at once are read again. */
const mostKnown = 30_000;
const tooFast = 'registrations are changed faster than this change can be made';

interface ItemVerbs extends Registry {
  /** Kills everything issued so far to a client or for a member. */
  readonly revokeOwner: (programme: ProgrammeId, whose: TokenOwner) => Promise<void>;
}

type Steps<Result> = (draft: Draft) => Result;

type ChangeOptions = Partial<Pick<EditOptions, 'isUrgent' | 'isRepeatable'>>;

/** What a change came to. */
interface Done<Result> {
  readonly result: Result;
}

/** `written` is told of what a change has written. */
export function itemVerbs(db: Db, written: (changes: RowChanges) => void): ItemVerbs {
  const known = db.reader(findNamed, readNamed, {
    nameOf: ({ kind, programme, id }) => `${String(kind)}\0${String(programme)}\0${String(id)}`,
    most: mostKnown,
    // Nothing is remembered of what is not there: strangers can think of any number.
    isHeld: ({ item, damage }, { kind }) =>
      item !== undefined || (damage === undefined && kinds[kind as Kind].remembersAbsence === true),
  });
  const holders = db.listReader(findHolders, readHolders, {
    nameOf: ({ kind, programme, name, key }) =>
      `${String(kind)}\0${String(programme)}\0${String(name)}\0${String(key)}`,
    most: mostKnown,
    isHeld: (found) => wholeOf(found, () => undefined).length > 0,
  });
  const lists = db.bulkReader(listItems, readList);
  const read = factsReader(db);
  const write = db.editor('registered', changeStatements);
  const holding = async <K extends Kind>(kind: K, name: string, programme: string, key: string) => {
    const found = (await holders.find({ kind, name, programme, key })) ?? none;
    const whole = wholeOf(found, () => undefined) as readonly Item<K>[];
    for (const item of whole) {
      const has = keysOf(kind, item).some((one) => one.lookUp === name && one.key === key);
      if (!has) throw damaged('look_up');
    }
    return whole.length > 0 || found.length === 0 ? whole : (wholeOf(found) as readonly Item<K>[]);
  };
  /** Undefined where something has changed since it was begun. */
  const tryOnce = async <Result>(
    steps: Steps<Result>,
    { isUrgent = true, isRepeatable = false }: ChangeOptions,
  ): Promise<Done<Result> | undefined> => {
    const facts = noFacts();
    // Before anything is read: what changes later than this is noticed.
    const life = await db.life();
    for (;;) {
      const draft = new Draft(facts);
      const outcome = outcomeOf(() => steps(draft));
      if (draft.isComplete) {
        const { changes } = draft;
        const isIdle = Object.values(changes).every(({ length }) => length === 0);
        if ('error' in outcome || isIdle) {
          // The facts were read one after another: an answer holds only if nothing has changed between.
          const now = await db.life();
          const isOfOneMoment = now.registrations === life.registrations && now.era === life.era;
          if (!isOfOneMoment) return undefined;
        }
        if ('error' in outcome) throw outcome.error;
        const done = { result: outcome.result };
        if (isIdle) return done;
        const endsEra = changes.revoked.some(({ until }) => until === undefined);
        const values = changeValues(changes, life.era);
        const settled = (): void => written(changes);
        const options = { endsEra, isUrgent, isRepeatable, settled };
        return (await write(life, options, values)) ? done : undefined;
      }
      await read(draft.questions, facts);
    }
  };
  // One after another: changes of this process need not get into each other's way.
  let last: Promise<unknown> = Promise.resolve();
  const change = <Result>(steps: Steps<Result>, options: ChangeOptions = {}): Promise<Result> => {
    const run = async (): Promise<Done<Result> | undefined> => {
      const done = await tryOnce(steps, options);
      if (done === undefined) await pause();
      return done;
    };
    const done = last.then(() => untilDone(tooFast, run));
    last = done.catch(() => undefined);
    return done.then(({ result }) => result);
  };
  const look = (kind: Kind, programme: string, id: string) =>
    isText(id) ? known.find({ kind, programme, id }) : undefined;
  const list: Registry['list'] = async (kind, programme, page = {}) => {
    const { after, limit = noLimit, onDamage } = page;
    const listed = async (from: string | null, most: number) => {
      const [found = []] = await lists([{ kind, programme, after: from, most }]);
      return wholeOf(found, onDamage) as readonly Item<typeof kind>[];
    };
    if (kinds[kind].order === 'created') {
      return pageOf(kind, inOrder(kind, await listed(null, noLimit)), page);
    }
    if (after !== undefined) {
      const found = await look(kind, programme, after);
      // Its place is known, even if its row is damaged.
      if ((found?.item ?? found?.damage) === undefined) throw noPlace(kind, after);
    }
    return listed(after ?? null, limit);
  };
  const whole = new Map<string, Listed>();
  /** The whole list, as long as no registered thing has changed. */
  const remembered = async <K extends Kind>(kind: K, programme: ProgrammeId) => {
    const name = `${kind}\0${programme}`;
    // Before the list is read: what changes later than this is noticed.
    const { registrations } = await db.life();
    const former = whole.get(name);
    if (former?.registrations === registrations) return former.items as readonly Item<K>[];
    const items = await list(kind, programme);
    whole.set(name, { registrations, items });
    return items;
  };
  return {
    find: (kind, programme, id, onGone) => {
      const found = look(kind, programme, id);
      // Every request asks several times, and usually it is remembered. Damage rejects.
      if (!(found instanceof Promise) && found?.damage === undefined) {
        return soundItem(found, onGone);
      }
      return Promise.resolve(found).then((row) => soundItem(row, onGone));
    },
    findBy: async (kind, lookUp, programme, key) =>
      isText(key) ? holding(kind, lookUp, programme, key) : [],
    list: async (kind, programme, page) => {
      if (page === undefined && kinds[kind].remembersList) return remembered(kind, programme);
      return list(kind, programme, page);
    },
    add: (...call) => change((draft) => registrar.add(draft, ...call), { isUrgent: false }),
    // On a full disk, too: a partner must be stopped, and a stolen key go.
    change: (...call) => change((draft) => registrar.change(draft, ...call)),
    changeAll: (...call) => change((draft) => registrar.changeAll(draft, ...call)),
    remove: (...call) => change((draft) => registrar.remove(draft, ...call)),
    revokeOwner: (...call) => change((draft) => draft.revoke(...call), { isRepeatable: true }),
  };
}

interface Listed {
  readonly registrations: number;
  readonly items: readonly Item<Kind>[];
}

const absent: NamedRow = { item: undefined, isTaken: false };

function soundItem(
  { item, damage, isTaken }: NamedRow = absent,
  onGone?: () => void,
): Item<Kind> | undefined {
  if (damage !== undefined) throw damage;
  if (item === undefined && isTaken) onGone?.();
  return item;
}

const none: readonly HeldItem[] = Object.freeze([]);

/** A draft with questions may fail for want of their answers: its error counts only if it has none. */
function outcomeOf<Result>(
  run: () => Result,
): { readonly result: Result } | { readonly error: unknown } {
  try {
    return { result: run() };
  } catch (error) {
    return { error };
  }
}

/** Adds the answers to the questions to the facts, all of them read anew. */
function factsReader(db: Db): (questions: Questions, facts: Facts) => Promise<void> {
  const named = db.bulkReader(findNamed, ([columns]) =>
    columns === undefined ? absent : readNamed(columns),
  );
  const holders = db.bulkReader(findHolders, readHolders);
  const anyHolders = db.bulkReader(findAnyHolders, readHolders);
  const lists = db.bulkReader(listItems, readList);
  return async (questions, facts) => {
    const [names, keys] = [[...questions.named], [...questions.holders]];
    const found = await named(names.map(([, name]) => ({ ...name })));
    for (const [index, [name]] of names.entries()) facts.named.set(name, found[index] as never);
    for (const isAnywhere of [false, true]) {
      const asked = keys.filter(([, { programme }]) => (programme === null) === isAnywhere);
      const rows = await (isAnywhere ? anyHolders : holders)(asked.map(([, key]) => ({ ...key })));
      for (const [index, [name]] of asked.entries()) facts.holders.set(name, rows[index] ?? none);
    }
    for (const [name, { kind, programme }] of questions.lists) {
      const [items = []] = await lists([{ kind, programme, after: null, most: noLimit }]);
      facts.lists.set(name, wholeOf(items));
    }
  };
}

/** Whether a text can be in a row: PostgreSQL has no NUL, so there is no such item. */
function isText(text: string): boolean {
  return !text.includes('\0');
}
