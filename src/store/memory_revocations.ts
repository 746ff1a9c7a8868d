// Owns whole-owner revocations in memory: until when all that was issued to whom is dead.

import type { Instant } from '../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type { TokenOwner } from './contract.ts';
import { diedAtOnce } from './judgement.ts';
import { MemoryTable } from './memory_table.ts';

/** One entry an owner, however much it was issued. */
export class MemoryRevocations {
  readonly #clients = new MemoryTable<Instant>();
  readonly #subjects = new MemoryTable<Instant>();

  /** Kills everything issued to the owner up to `at`; never less than an earlier call did. */
  revoke(programme: ProgrammeId, whose: TokenOwner, at: Instant): void {
    if ('client' in whose) raise(this.#clients, programme, whose.client, at);
    else raise(this.#subjects, programme, whose.subject, at);
  }

  /** Whether something issued then, to that client and for that member if any, is dead. */
  covers(
    programme: ProgrammeId,
    client: ClientId,
    subject: string | undefined,
    issuedAt: Instant,
  ): boolean {
    if (diedAtOnce(issuedAt, this.#clients.get(programme, client))) return true;
    return subject !== undefined && diedAtOnce(issuedAt, this.#subjects.get(programme, subject));
  }
}

function raise(
  table: MemoryTable<Instant>,
  programme: ProgrammeId,
  owner: string,
  at: Instant,
): void {
  const before = table.get(programme, owner);
  if (before === undefined || before < at) table.set(programme, owner, at);
}
