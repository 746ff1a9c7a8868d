// Owns changing registered things in PostgreSQL: no row is locked while this process works a change out,
// and the changes of many nodes are all kept.

import { pause } from '../../lib/pause.ts';
import { randomKey } from '../../lib/random.ts';
import { Unavailable } from '../../oauth/failure.ts';
import { type Registrar, registrar } from '../registrar.ts';
import { Draft, type Facts, noFacts, type Questions } from './draft.ts';
import { type Epoch, epochOf, readEpoch } from './epoch.ts';
import type { Link } from './link/link.ts';
import { OutcomeUnknown, type Rows } from './link/statement.ts';
import {
  findHolders,
  findNamed,
  keysAsked,
  listRows,
  names,
  readHolders,
  readItems,
  readNamed,
} from './registered_rows.ts';
import { changeValues, confirmChange, type RowChanges, writeChanges } from './write_changes.ts';

/** Changes of other nodes may be faster this often. */
const mostTries = 200;

/** What a change came to, and what it wrote. */
interface Done<Result> {
  readonly result: Result;
  readonly changes: RowChanges;
}

/** Changes registered things by the steps of registrar.ts; `written` is told of what was written. */
export function changer(
  link: Link,
  written: (changes: RowChanges) => void,
): <Result>(steps: (registrar: Registrar) => Result) => Promise<Result> {
  // One after another: changes of this node need not get into each other's way.
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(steps: (registrar: Registrar) => Result): Promise<Result> => {
    const run = async (): Promise<Result> => {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const done = await tryOnce(link, steps);
        if (done !== undefined) {
          written(done.changes);
          return done.result;
        }
        await pause();
      }
      throw new Unavailable('store: registrations are changed faster than this change can be made');
    };
    const done = last.then(run);
    last = done.catch(() => undefined);
    return done;
  };
}

/**
 * Works a change out over what is known, reads what that lacks, and writes it if nothing else has changed
 * meanwhile; undefined if something has.
 */
async function tryOnce<Result>(
  link: Link,
  steps: (registrar: Registrar) => Result,
): Promise<Done<Result> | undefined> {
  const facts = noFacts();
  let epoch: Epoch | undefined;
  for (;;) {
    const draft = new Draft(facts);
    const outcome = outcomeOf(() => steps(registrar(draft, draft.consequences)));
    if (draft.isComplete) {
      if ('error' in outcome) throw outcome.error;
      const { changes } = draft;
      const done = { result: outcome.result, changes };
      if (Object.values(changes).every(({ length }) => length === 0)) return done;
      epoch ??= await readEpoch(link);
      return (await write(link, epoch, changes)) ? done : undefined;
    }
    const read = await learn(link, draft.questions, facts);
    if (epoch !== undefined && read.registrations !== epoch.registrations) return undefined;
    epoch = read;
  }
}

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

/** Adds the answers to the facts; the oldest epoch of them, so that no later change is written over. */
async function learn(link: Link, questions: Questions, facts: Facts): Promise<Epoch> {
  const read: Epoch[] = [];
  const note = (rows: Rows): void => void (rows[0] && read.push(epochOf(rows[0])));
  const named = [...questions.named];
  if (named.length > 0) {
    const rows = await link.run(findNamed, names.values(named.map(([, asked]) => asked)));
    note(rows);
    for (const [index, [name, asked]] of named.entries()) {
      facts.named.set(name, readNamed(asked, rows[index] ?? []));
    }
  }
  const holders = [...questions.holders];
  if (holders.length > 0) {
    const asked = holders.map(([, one]) => one);
    const rows = await link.run(findHolders, keysAsked(asked));
    note(rows);
    const found = readHolders(asked, rows);
    for (const [index, [name]] of holders.entries()) facts.holders.set(name, found[index] ?? []);
  }
  for (const [name, { kind, programme }] of questions.lists) {
    const rows = await link.run(listRows, [kind, programme, null, null]);
    note(rows);
    facts.lists.set(name, readItems(kind, rows));
  }
  return read.reduce((one, other) => (one.registrations <= other.registrations ? one : other));
}

/** False where something has changed since `epoch`, and nothing was written. */
async function write(link: Link, epoch: Epoch, changes: RowChanges): Promise<boolean> {
  const mark = randomKey(9);
  try {
    const rows = await link.run(writeChanges, changeValues(epoch, mark, changes));
    return rows.length > 0;
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    const rows = await link.run(confirmChange, [mark]);
    if (rows.length > 0) return true;
    throw new OutcomeUnknown(
      `${error.message}: the change may have been made (look before you try again)`,
      { cause: error },
    );
  }
}
