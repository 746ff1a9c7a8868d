// Owns revocations in memory: the current era, the last revoked era of each owner, and single tokens.

import type { Instant } from '../../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import { type AcceptedTime, isOfThisLife, revokedUntil } from '../accepted_time.ts';
import type { StandingQuestion, TokenName, TokenOwner } from '../grants.ts';
import { diedAtOnce, firstEra } from '../judgement.ts';
import { MemoryTable } from './table.ts';

/** One entry an owner, for any number of codes and tokens. */
export class MemoryRevocations {
  readonly #clients = new MemoryTable<Era>();
  readonly #subjects = new MemoryTable<Era>();
  /** Until when each access token stays revoked by itself, by its `tokenId`. */
  readonly #tokens = new MemoryTable<Instant>();
  /** Of those up to this instant some may have been removed since a time was accepted last. */
  #forgotten = 0 as Instant;
  /** The last era of which all clients' own tokens are revoked. */
  #ownRevokedUntil: Era | undefined;
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

  /** See the member of that name. */
  get forgotten(): Instant {
    return this.#forgotten;
  }

  /** Accepts a time: see `isOfThisLife`. */
  accept(time: Instant): void {
    const former = this.#accepted;
    // Only one such mark is kept: a former one that still counts takes all of its tokens along.
    if (former !== undefined && former.forgotten > time) this.#ownRevokedUntil = former.era;
    this.#accepted = { time, era: this.#endEra(), forgotten: this.#forgotten };
    this.#forgotten = 0 as Instant;
  }

  /** Whether a code or login of that era, client and member is revoked. */
  covers(programme: ProgrammeId, client: ClientId, subject: string | undefined, era: Era): boolean {
    if (diedAtOnce(era, this.#clients.get(programme, client))) return true;
    return subject !== undefined && diedAtOnce(era, this.#subjects.get(programme, subject));
  }

  /** See `Grants.isStanding`. */
  isStanding(programme: ProgrammeId, { tokenId, expiresAt, own }: StandingQuestion): boolean {
    if (this.isRevoked(programme, tokenId)) return false;
    if (own === undefined) return true;
    if (!isOfThisLife(own, expiresAt, this.#era, this.#accepted)) return false;
    if (diedAtOnce(own.era, this.#ownRevokedUntil)) return false;
    return !diedAtOnce(own.era, this.#clients.get(programme, own.client));
  }

  #endEra(): Era {
    const ended = this.#era;
    this.#era = (ended + 1) as Era;
    return ended;
  }

  revokeToken(programme: ProgrammeId, token: TokenName, now: Instant): void {
    const until = revokedUntil(token);
    if (until > now) raise(this.#tokens, programme, token.tokenId, until);
    // Over by the clock, which may be set back later.
    else this.forget(until);
  }

  /** Whether that token was revoked by itself. */
  isRevoked(programme: ProgrammeId, tokenId: string): boolean {
    return this.#tokens.get(programme, tokenId) !== undefined;
  }

  sweep(now: Instant, limit: number): number {
    return this.#tokens.sweep(
      limit,
      (until) => now >= until,
      (until) => this.forget(until),
    );
  }

  /** Notes that what has ended tokens is removed, which was kept until then. */
  forget(until: Instant): void {
    if (until > this.#forgotten) this.#forgotten = until;
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
