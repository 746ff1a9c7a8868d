// Owns revocations in memory: until when all that was issued to whom is dead, and which JWTs are.

import type { Instant } from '../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../oauth/client.ts';
import type { TokenOwner, UnrememberedToken } from './contract.ts';
import { diedAtOnce } from './judgement.ts';
import { MemoryTable } from './memory_table.ts';

/** One entry an owner, however much it was issued. */
export class MemoryRevocations {
  readonly #clients = new MemoryTable<Instant>();
  readonly #subjects = new MemoryTable<Instant>();
  /** When each ends by itself. */
  readonly #tokens = new MemoryTable<Instant>();

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

  /** Kills one token that is not remembered, for as long as it would have lived. */
  revokeToken(
    programme: ProgrammeId,
    { tokenId, expiresAt }: UnrememberedToken,
    now: Instant,
  ): void {
    if (expiresAt > now) raise(this.#tokens, programme, tokenId, expiresAt);
  }

  coversToken(programme: ProgrammeId, tokenId: string | undefined): boolean {
    return tokenId !== undefined && this.#tokens.get(programme, tokenId) !== undefined;
  }

  sweep(now: Instant, limit: number): number {
    return this.#tokens.sweep(limit, (expiresAt) => now >= expiresAt);
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
