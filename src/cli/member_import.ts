// Owns the verb `member import`: members that exist elsewhere are added, all of them or none.

import { statSync } from 'node:fs';

import { shownPath } from '../config/programme_files.ts';
import { byPosition, errorAt, type Fault, formatFault, quote } from '../lib/fault.ts';
import { randomKey } from '../lib/random.ts';
import { readTextFile, UnreadableFile } from '../lib/read_file.ts';
import { checkPassword, hashPassword } from '../members/password.ts';
import type { MemberRecord, Subject } from '../oauth/member.ts';
import { compileProgramme } from '../programme/compile.ts';
import type { Programme } from '../programme/programme.ts';
import { CommandError, exitCodes } from './exit.ts';
import { type ImportedMember, judgeMembers } from './import_members.ts';
import { type OutputOptions, print, printJson, warn } from './output.ts';
import {
  configOf,
  expectDurableStore,
  loadNamed,
  type OpenStore,
  storeStands,
  withStore,
} from './workplace.ts';

export interface ImportMembersOptions extends OutputOptions {
  readonly config: string;
  readonly programme: string;
  readonly dryRun?: boolean;
}

/** Some 500,000 members. */
const mostBytes = 64 * 1024 * 1024;

/** `jetway member import FILE`. */
export async function importMembers(path: string, options: ImportMembersOptions): Promise<void> {
  const config = configOf(options);
  const { id, definition } = loadNamed(config, options.programme);
  const programme = compileProgramme(id, definition, config.publicUrl);
  expectDurableStore(config);
  const { members, faults } = judgeMembers(shownPath(path), readFile(path), programme);
  const { dryRun = false } = options;
  const settle = async (open?: OpenStore): Promise<ImportCount> => {
    const standing = open === undefined ? none : await findStanding(open, programme, members);
    report(faults, standing.faults);
    const fresh = members.filter((member) => !standing.unchanged.has(member));
    if (!dryRun && open !== undefined) await addAll(open, programme, fresh);
    return { imported: fresh.length, unchanged: standing.unchanged.size };
  };
  // A dry run makes no store, and there is nobody in one that is still to be made.
  const count = dryRun && !storeStands(config) ? await settle() : await withStore(config, settle);
  await tell(programme, count, options);
}

interface ImportCount {
  readonly imported: number;
  readonly unchanged: number;
}

function readFile(path: string): string {
  const file = shownPath(path);
  try {
    const text = readTextFile(path, mostBytes);
    if ((statSync(path).mode & 0o077) !== 0) {
      warn(`${file} holds secrets, and others can read it: chmod 600 it, and delete it afterwards`);
    }
    return text;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new CommandError(exitCodes.usage, `${file} ${error.message}`);
  }
}

interface Standing {
  /** Those that the store has like this: an import that was cut off can be run again. */
  readonly unchanged: ReadonlySet<ImportedMember>;
  readonly faults: readonly Fault[];
}

const none: Standing = { unchanged: new Set(), faults: [] };

async function findStanding(
  { store }: OpenStore,
  { id }: Programme,
  members: readonly ImportedMember[],
): Promise<Standing> {
  const unchanged = new Set<ImportedMember>();
  const faults: Fault[] = [];
  for (const member of members) {
    const { at, username, subject } = member;
    const named = await store.findMember(id, username);
    if (named !== undefined && (await isSame(member, named))) {
      unchanged.add(member);
      continue;
    }
    if (named !== undefined) {
      faults.push(errorAt(at, ['username'], `the username ${quote(username)} is taken in ${id}`));
    }
    const holder = subject && (await store.findMemberBySubject(id, subject as Subject));
    if (holder && holder.subject !== named?.subject) {
      faults.push(errorAt(at, ['subject'], `the subject ${quote(subject)} is taken in ${id}`));
    }
  }
  return { unchanged, faults };
}

/** Whether the store has the member as the file tells of it, password and all. */
async function isSame(member: ImportedMember, kept: MemberRecord): Promise<boolean> {
  const { secret, subject = kept.subject } = member;
  return (
    kept.subject === subject &&
    kept.level === member.level &&
    kept.membershipNumber === member.membershipNumber &&
    ('hash' in secret
      ? kept.passwordHash === secret.hash
      : await checkPassword(secret.password, kept.passwordHash))
  );
}

/** Prints what was found in the file and in the store; ends the command if any of it is an error. */
function report(inFile: readonly Fault[], inStore: readonly Fault[]): void {
  const faults = [...inFile, ...inStore].toSorted(byPosition);
  for (const fault of faults) console.error(formatFault(fault));
  const errors = faults.filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  // A file that is right, and comes too late, is no wrong usage.
  const exitCode = errors === inStore.length ? exitCodes.failed : exitCodes.usage;
  const message = `nothing is imported: ${errors} ${errors === 1 ? 'error' : 'errors'}`;
  throw new CommandError(exitCode, message);
}

/** As many as a store lets wait, and share commits. */
const addedAtOnce = 1000;

/** Every password is hashed before the first member is added: that takes long, and may be cut off. */
async function addAll(
  { store, clock }: OpenStore,
  { id }: Programme,
  members: readonly ImportedMember[],
): Promise<void> {
  const records: MemberRecord[] = [];
  for (const { at: _at, secret, subject, ...fields } of members) {
    records.push({
      programme: id,
      ...fields,
      subject: (subject ?? randomKey(16)) as Subject,
      passwordHash: 'hash' in secret ? secret.hash : await hashPassword(secret.password),
      status: 'active',
      createdAt: clock.now(),
    });
  }
  const added: MemberRecord[] = [];
  for (let from = 0; from < records.length; from += addedAtOnce) {
    const some = records.slice(from, from + addedAtOnce);
    const outcomes = await Promise.all(some.map((record) => store.addMember(record)));
    added.push(...some.filter((_, index) => outcomes[index] === 'added'));
    const taken = some.filter((_, index) => outcomes[index] === 'taken');
    if (taken.length === 0) continue;
    for (const { subject } of added) await store.removeMember(id, subject, clock.now());
    throw new CommandError(
      exitCodes.failed,
      `nothing is imported: ${taken.map(({ username }) => quote(username)).join(', ')} came to be taken in ${id} meanwhile`,
    );
  }
}

function tell(
  { id }: Programme,
  { imported, unchanged }: ImportCount,
  { json, dryRun = false }: ImportMembersOptions,
): Promise<void> {
  if (json === true) return printJson({ programme: id, imported, unchanged, dry_run: dryRun });
  const members = `${imported} ${imported === 1 ? 'member' : 'members'}`;
  const rest = unchanged === 0 ? '' : `; ${unchanged} of the file are there already, like this`;
  return print(
    dryRun
      ? `${members} would be imported into ${id}${rest}; nothing is written`
      : `${imported} ${imported === 1 ? 'member is' : 'members are'} imported into ${id}${rest}`,
  );
}
