// Owns revocations in memory: the current era, the last revoked era of each owner, and single tokens.

import type { Instant } from '../../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import type { StandingQuestion, TokenName, TokenOwner } from '../grants.ts';
import { type AcceptedTime, diedAtOnce, firstEra, isOfThisLife } from '../judgement.ts';
import { MemoryTable } from './table.ts';

/** One entry an owner, for any number of codes and tokens. */
export class MemoryRevocations {
  readonly #clients = new MemoryTable<Era>();
  readonly #subjects = new MemoryTable<Era>();
  /** The end of each access token that was revoked by itself, by its `tokenId`. */
  readonly #tokens = new MemoryTable<Instant>();
  /** Revocations of tokens that ended up to this instant may have been removed. */
  #forgotten = 0 as Instant;
  #era = firstEra;
  #accepted: AcceptedTime | undefined;

  /** The era of new codes and tokens. */
  get era(): Era {
    return this.#era;
  }

  /** Revokes all codes and tokens of the owner up to the era `until`, which is the current era if left out. */
  revoke(programme: ProgrammeId, whose: TokenOwner, until: Era = this.#endEra()): void {
    if ('client' in whose) raise(this.#clients, programme, whose.client, until);
    else raise(this.#subjects, programme, whose.subject, until);
  }

  /** Accepts a time: see `isOfThisLife`. */
  accept(time: Instant): void {
    this.#accepted = { time, era: this.#endEra() };
  }

  /** Whether a code or login of that era, client and member is revoked. */
  covers(programme: ProgrammeId, client: ClientId, subject: string | undefined, era: Era): boolean {
    if (diedAtOnce(era, this.#clients.get(programme, client))) return true;
    return subject !== undefined && diedAtOnce(era, this.#subjects.get(programme, subject));
  }

  /** See `Grants.isStanding`. */
  isStanding(programme: ProgrammeId, { tokenId, expiresAt, own }: StandingQuestion): boolean {
    if (expiresAt <= this.#forgotten || this.isRevoked(programme, tokenId)) return false;
    if (own === undefined) return true;
    if (!isOfThisLife(own, this.#era, this.#accepted)) return false;
    return !diedAtOnce(own.era, this.#clients.get(programme, own.client));
  }

  #endEra(): Era {
    const ended = this.#era;
    this.#era = (ended + 1) as Era;
    return ended;
  }

  /** Revokes one token; the entry stays until the token would have expired. */
  revokeToken(programme: ProgrammeId, { tokenId, expiresAt }: TokenName, now: Instant): void {
    if (expiresAt > now) raise(this.#tokens, programme, tokenId, expiresAt);
  }

  /** Whether that token was revoked by itself. */
  isRevoked(programme: ProgrammeId, tokenId: string): boolean {
    return this.#tokens.get(programme, tokenId) !== undefined;
  }

  sweep(now: Instant, limit: number): number {
    const note = (expiresAt: Instant): void => {
      if (expiresAt > this.#forgotten) this.#forgotten = expiresAt;
    };
    return this.#tokens.sweep(limit, (expiresAt) => now >= expiresAt, note);
  }
}

function raise<Until extends Era | Instant>(
  table: MemoryTable<Until>,
  programme: ProgrammeId,
  owner: string,
  until: Until,
): void {
  const before = table.get(programme, owner);
  if (before === undefined || before < until) table.set(programme, owner, until);
}
