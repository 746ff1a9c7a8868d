// Owns clients, members and signing keys in memory; not what is granted to them.

import type { Client } from '../oauth/client.ts';
import type { MemberRecord } from '../oauth/member.ts';
import type { SigningKeyRecord } from '../oauth/signing_key.ts';
import type { Store } from './contract.ts';
import { sameClient, sameMember, usernameTaken } from './judgement.ts';
import { frozenCopy, MemoryTable } from './memory_table.ts';

type ClientVerbs = Pick<Store, 'addClient' | 'findClient' | 'listClients' | 'changeClient'>;

/** The clients' verbs over a table of their own. */
export function memoryClients(): ClientVerbs {
  const clients = new MemoryTable<Client>();
  return {
    async addClient(client) {
      if (clients.get(client.programme, client.id) !== undefined) return 'taken';
      clients.set(client.programme, client.id, frozenCopy(client));
      return 'added';
    },
    async findClient(programme, id) {
      return clients.get(programme, id);
    },
    async listClients(programme) {
      return clients.filter((client) => client.programme === programme);
    },
    async changeClient(programme, id, change) {
      const before = clients.get(programme, id);
      if (before === undefined) return undefined;
      const after = frozenCopy(sameClient(before, change(before)));
      clients.set(programme, id, after);
      return after;
    },
  };
}

type MemberVerbs = Pick<
  Store,
  'addMember' | 'findMember' | 'findMemberBySubject' | 'listMembers' | 'changeMember'
>;

/** The members' verbs over a table by subject and one by username. */
export function memoryMembers(): MemberVerbs {
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
  };
}

type SigningKeyVerbs = Pick<Store, 'listSigningKeys' | 'ensureSigningKey'>;

/** The signing keys' verbs; there are never more than a handful. */
export function memorySigningKeys(): SigningKeyVerbs {
  const keys: SigningKeyRecord[] = [];
  const listed = (programme: string): SigningKeyRecord[] =>
    keys.filter((key) => key.programme === programme).toSorted((a, b) => a.createdAt - b.createdAt);
  return {
    async listSigningKeys(programme) {
      return listed(programme);
    },
    async ensureSigningKey(programme, algorithm, candidate) {
      const standing = listed(programme).findLast((key) => key.algorithm === algorithm);
      if (standing !== undefined) return standing;
      const added = frozenCopy(candidate);
      keys.push(added);
      return added;
    },
  };
}
