// Owns clients in memory, the identifiers of removed ones, and when their secrets were last used.

import type { Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import { frozenCopy } from '../../lib/frozen.ts';
import type { Client, ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Store } from '../contract.ts';
import { digestsOf, forever, isNewUse, sameClient, takenAmong } from '../judgement.ts';
import type { MemoryRevocations } from './revocations.ts';
import { MemoryTable } from './table.ts';

type ClientVerbs = Pick<
  Store,
  | 'addClient'
  | 'addClients'
  | 'findClient'
  | 'findClientsByApiKey'
  | 'listClients'
  | 'changeClient'
  | 'changeKeyHolders'
  | 'removeClient'
  | 'recordSecretUse'
  | 'secretUses'
>;

/** The clients' verbs over tables of their own. */
export function memoryClients(revocations: MemoryRevocations): ClientVerbs {
  const clients = new MemoryTable<Client>();
  const removed = new MemoryTable<true>();
  const uses = new MemoryTable<Map<Digest, Instant>>();
  const holders = new ApiKeyHolders();
  const isTaken = ({ programme, id }: Client): boolean =>
    (clients.get(programme, id) ?? removed.get(programme, id)) !== undefined;
  const add = (client: Client): void => {
    const { programme, id } = client;
    clients.set(programme, id, frozenCopy(client));
    uses.set(programme, id, new Map());
    holders.add(client);
  };
  const put = (before: Client, after: Client): Client => {
    const { programme, id } = after;
    clients.set(programme, id, after);
    holders.remove(before);
    holders.add(after);
    const held = new Set(digestsOf(after));
    const used = [...(uses.get(programme, id) ?? [])].filter(([digest]) => held.has(digest));
    uses.set(programme, id, new Map(used));
    return after;
  };
  return {
    async addClient(client) {
      if (isTaken(client)) return 'taken';
      add(client);
      return 'added';
    },
    async addClients(all) {
      const taken = takenAmong(all, isTaken);
      if (taken.length === 0) for (const client of all) add(client);
      return taken;
    },
    async findClientsByApiKey(programme, apiKey) {
      return holders.of(programme, apiKey).flatMap((id) => clients.get(programme, id) ?? []);
    },
    async findClient(programme, id) {
      return clients.get(programme, id);
    },
    async listClients(programme) {
      return clients.filter((client) => client.programme === programme);
    },
    async changeClient(programme, id, change) {
      const before = clients.get(programme, id);
      return before && put(before, frozenCopy(sameClient(before, change(before))));
    },
    async changeKeyHolders(apiKeys, change) {
      const changes = clients
        .filter((client) => client.apiKeys.some(({ digest }) => apiKeys.includes(digest)))
        .map((before) => [before, frozenCopy(sameClient(before, change(before)))] as const);
      return changes.map(([before, after]) => put(before, after));
    },
    async removeClient(programme, id) {
      const client = clients.get(programme, id);
      if (client === undefined) return false;
      holders.remove(client);
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

/** Which clients hold each API key. */
class ApiKeyHolders {
  readonly #ids = new MemoryTable<readonly ClientId[]>();

  add({ programme, id, apiKeys }: Client): void {
    for (const { digest } of apiKeys) {
      const others = this.#othersThan(id, programme, digest);
      this.#ids.set(programme, digest, [...others, id].toSorted());
    }
  }

  remove({ programme, id, apiKeys }: Client): void {
    for (const { digest } of apiKeys) {
      const others = this.#othersThan(id, programme, digest);
      if (others.length === 0) this.#ids.delete(programme, digest);
      else this.#ids.set(programme, digest, others);
    }
  }

  of(programme: ProgrammeId, apiKey: Digest): readonly ClientId[] {
    return this.#ids.get(programme, apiKey) ?? [];
  }

  #othersThan(id: ClientId, programme: ProgrammeId, apiKey: Digest): readonly ClientId[] {
    return this.of(programme, apiKey).filter((other) => other !== id);
  }
}
