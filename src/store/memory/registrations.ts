// Owns members and signing keys in memory; clients are in memory/clients.ts.

import { frozenCopy } from '../../lib/frozen.ts';
import type { MemberRecord } from '../../oauth/member.ts';
import type { SigningKeyRecord } from '../../oauth/signing_key.ts';
import type { Store } from '../contract.ts';
import { sameMember, signingKeyChanges, usernameTaken } from '../judgement.ts';
import type { MemoryRevocations } from './revocations.ts';
import { MemoryTable } from './table.ts';

type MemberVerbs = Pick<
  Store,
  | 'addMember'
  | 'findMember'
  | 'findMemberBySubject'
  | 'listMembers'
  | 'changeMember'
  | 'removeMember'
>;

/** The members' verbs over a table by subject and one by username. */
export function memoryMembers(revocations: MemoryRevocations): MemberVerbs {
  const bySubject = new MemoryTable<MemberRecord>();
  const byUsername = new MemoryTable<MemberRecord>();
  const put = (member: MemberRecord): MemberRecord => {
    const kept = frozenCopy(member);
    bySubject.set(kept.programme, kept.subject, kept);
    byUsername.set(kept.programme, kept.username, kept);
    return kept;
  };
  return {
    async addMember(member) {
      const { programme, username, subject } = member;
      if (byUsername.get(programme, username) ?? bySubject.get(programme, subject)) return 'taken';
      put(member);
      return 'added';
    },
    async findMember(programme, username) {
      return byUsername.get(programme, username);
    },
    async findMemberBySubject(programme, subject) {
      return bySubject.get(programme, subject);
    },
    async listMembers(programme) {
      return bySubject.filter((member) => member.programme === programme);
    },
    async changeMember(programme, subject, change) {
      const before = bySubject.get(programme, subject);
      if (before === undefined) return undefined;
      const after = sameMember(before, change(before));
      const holder = byUsername.get(programme, after.username);
      if (holder && holder.subject !== subject) throw usernameTaken(after.username);
      byUsername.delete(programme, before.username);
      return put(after);
    },
    async removeMember(programme, subject) {
      const member = bySubject.get(programme, subject);
      if (member === undefined) return false;
      bySubject.delete(programme, subject);
      byUsername.delete(programme, member.username);
      revocations.revoke(programme, { subject });
      return true;
    },
  };
}

type SigningKeyVerbs = Pick<Store, 'listSigningKeys' | 'changeSigningKeys' | 'signingKeyEpoch'>;

/** The signing keys' verbs; there are never more than a handful. */
export function memorySigningKeys(): SigningKeyVerbs {
  const keys = new MemoryTable<SigningKeyRecord>();
  let epoch = 0;
  const listed = (programme: string): SigningKeyRecord[] =>
    keys.filter((key) => key.programme === programme).toSorted((a, b) => a.createdAt - b.createdAt);
  return {
    async listSigningKeys(programme) {
      return listed(programme);
    },
    async changeSigningKeys(programme, change) {
      const before = listed(programme);
      const { added, changed, removed } = signingKeyChanges(programme, before, change(before));
      if (added.length + changed.length + removed.length === 0) return before;
      for (const { kid } of removed) keys.delete(programme, kid);
      for (const key of [...changed, ...added]) keys.set(programme, key.kid, frozenCopy(key));
      epoch += 1;
      return listed(programme);
    },
    async signingKeyEpoch() {
      return epoch;
    },
  };
}
