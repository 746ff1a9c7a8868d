// Owns revocations in memory: the current era, the last revoked era of each owner, and the revoked JWTs.

import type { Instant } from '../../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import type { StandingQuestion, TokenOwner, UnrememberedToken } from '../grants.ts';
import { type AcceptedTime, diedAtOnce, eraOf, firstEra, isOfThisLife } from '../judgement.ts';
import { MemoryTable } from './table.ts';

/** One entry an owner, for any number of codes and tokens. */
export class MemoryRevocations {
  readonly #clients = new MemoryTable<Era>();
  readonly #subjects = new MemoryTable<Era>();
  /** The end of each revoked JWT, by its `jti`. */
  readonly #tokens = new MemoryTable<Instant>();
  /** Revocations of JWTs that ended up to this instant may have been removed. */
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

  /** Whether a token of that era, client and member (if any) is revoked. */
  covers(programme: ProgrammeId, client: ClientId, subject: string | undefined, era: Era): boolean {
    if (diedAtOnce(era, this.#clients.get(programme, client))) return true;
    return subject !== undefined && diedAtOnce(era, this.#subjects.get(programme, subject));
  }

  /** The same for a JWT without a family. */
  coversUnremembered(programme: ProgrammeId, token: StandingQuestion): boolean {
    const { client, subject } = token;
    if (!isOfThisLife(token, this.#era, this.#accepted)) return true;
    return this.covers(programme, client, subject, eraOf(token));
  }

  #endEra(): Era {
    const ended = this.#era;
    this.#era = (ended + 1) as Era;
    return ended;
  }

  /** Revokes one JWT; the entry stays until the JWT would have expired. */
  revokeToken(
    programme: ProgrammeId,
    { tokenId, expiresAt }: UnrememberedToken,
    now: Instant,
  ): void {
    if (expiresAt > now) raise(this.#tokens, programme, tokenId, expiresAt);
  }

  coversToken(programme: ProgrammeId, { tokenId, expiresAt }: StandingQuestion): boolean {
    if (expiresAt !== undefined && expiresAt <= this.#forgotten) return true;
    return tokenId !== undefined && this.#tokens.get(programme, tokenId) !== undefined;
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
