// Owns clients in memory, the identifiers of removed ones, and when their secrets were last used.

import type { Instant } from '../lib/clock.ts';
import type { Digest } from '../lib/digest.ts';
import type { Client } from '../oauth/client.ts';
import type { Store } from './contract.ts';
import { digestsOf, forever, isNewUse, sameClient } from './judgement.ts';
import type { MemoryRevocations } from './memory_revocations.ts';
import { frozenCopy, MemoryTable } from './memory_table.ts';

type ClientVerbs = Pick<
  Store,
  | 'addClient'
  | 'findClient'
  | 'listClients'
  | 'changeClient'
  | 'removeClient'
  | 'recordSecretUse'
  | 'secretUses'
>;

/** The clients' verbs over tables of their own. */
export function memoryClients(revocations: MemoryRevocations): ClientVerbs {
  const clients = new MemoryTable<Client>();
  const removed = new MemoryTable<true>();
  const uses = new MemoryTable<Map<Digest, Instant>>();
  return {
    async addClient(client) {
      const { programme, id } = client;
      if (clients.get(programme, id) ?? removed.get(programme, id)) return 'taken';
      clients.set(programme, id, frozenCopy(client));
      uses.set(programme, id, new Map());
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
      const held = new Set(digestsOf(after));
      const used = [...(uses.get(programme, id) ?? [])].filter(([digest]) => held.has(digest));
      uses.set(programme, id, new Map(used));
      return after;
    },
    async removeClient(programme, id) {
      if (clients.get(programme, id) === undefined) return false;
      clients.delete(programme, id);
      removed.set(programme, id, true);
      uses.delete(programme, id);
      revocations.revoke(programme, { client: id }, forever);
      return true;
    },
    recordSecretUse(programme, id, secret, now) {
      const used = uses.get(programme, id);
      if (used && isNewUse(used.get(secret), now)) used.set(secret, now);
    },
    async secretUses(programme, id) {
      return new Map(uses.get(programme, id));
    },
  };
}
