// Owns the verb `member import`: members that exist elsewhere are added, all of them or none.

import { errorAt, type Fault, quote } from '../../lib/fault.ts';
import { randomKey } from '../../lib/random.ts';
import { checkPassword, hashPassword } from '../../members/password.ts';
import type { MemberRecord, Subject } from '../../oauth/member.ts';
import type { Programme } from '../../programme/programme.ts';
import { warnOfDirectory } from '../entities/member_fields.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { expectDurableStore, type OpenStore } from '../open_store.ts';
import { configOf, loadCompiled } from '../programmes.ts';
import type { Step } from '../progress.ts';
import { type ImportedMember, judgeMembers } from './members.ts';
import {
  type Import,
  importName,
  type ImportOptions,
  importRows,
  readImportFile,
  type Standing,
} from './verb.ts';

/** Some 500,000 members. */
const mostBytes = 64 * 1024 * 1024;

/** `jetway member import FILE`. */
export async function importMembers(path: string, options: ImportOptions): Promise<void> {
  const config = configOf(options);
  const { loaded, programme } = loadCompiled(config, options.programme);
  expectDurableStore(config);
  const text = await readImportFile(path, mostBytes);
  const { members, faults } = judgeMembers(importName(path), text, programme);
  const memberImport: Import<ImportedMember> = {
    rows: members,
    faults,
    noun: ['member', 'members'],
    findStanding: (open, step) => findStanding(open, programme, members, step),
    addAll: (open, fresh, step) => addAll(open, programme, fresh, step),
  };
  await importRows(config, programme, memberImport, options);
  warnOfDirectory(loaded.definition);
}

async function findStanding(
  { store }: OpenStore,
  { id }: Programme,
  members: readonly ImportedMember[],
  step: Step,
): Promise<Standing<ImportedMember>> {
  const unchanged = new Set<ImportedMember>();
  const faults: Fault[] = [];
  for (const member of members) {
    step();
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

/** As many as a store lets wait, and share commits. */
const addedAtOnce = 1000;

/** Every password is hashed before the first member is added: that takes long, and may be cut off. */
async function addAll(
  { store, clock }: OpenStore,
  { id }: Programme,
  members: readonly ImportedMember[],
  step: Step,
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
    step();
  }
  const added: MemberRecord[] = [];
  for (let from = 0; from < records.length; from += addedAtOnce) {
    const some = records.slice(from, from + addedAtOnce);
    const outcomes = await Promise.all(some.map((record) => store.addMember(record)));
    added.push(...some.filter((_, index) => outcomes[index] === 'added'));
    const taken = some.filter((_, index) => outcomes[index] === 'taken');
    if (taken.length === 0) continue;
    for (const { subject } of added) await store.removeMember(id, subject);
    throw new CommandError(
      exitCodes.failed,
      `nothing is imported: ${taken.map(({ username }) => quote(username)).join(', ')} came to be taken in ${id} meanwhile`,
    );
  }
}
