// Owns revocations in memory: the era, up to which one all that was issued to whom is dead, and which
// JWTs are.

import type { Instant } from '../../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import type { StandingQuestion, TokenOwner, UnrememberedToken } from '../grants.ts';
import { type AcceptedTime, diedAtOnce, eraOf, firstEra, isOfThisLife } from '../judgement.ts';
import { MemoryTable } from './table.ts';

/** One entry an owner, however much it was issued. */
export class MemoryRevocations {
  readonly #clients = new MemoryTable<Era>();
  readonly #subjects = new MemoryTable<Era>();
  /** When each ends by itself. */
  readonly #tokens = new MemoryTable<Instant>();
  /** JWTs that ended up to here may have been revoked, which is forgotten by now. */
  #forgotten = 0 as Instant;
  #era = firstEra;
  #accepted: AcceptedTime | undefined;

  /** The era of what is issued now. */
  get era(): Era {
    return this.#era;
  }

  /** Kills everything issued to the owner so far, or whatever it is `until`. */
  revoke(programme: ProgrammeId, whose: TokenOwner, until: Era = this.#endEra()): void {
    if ('client' in whose) raise(this.#clients, programme, whose.client, until);
    else raise(this.#subjects, programme, whose.subject, until);
  }

  /** Goes on at a time: see `isOfThisLife`. */
  accept(time: Instant): void {
    this.#accepted = { time, era: this.#endEra() };
  }

  /** Whether something issued in that era, to that client and for that member if any, is dead. */
  covers(programme: ProgrammeId, client: ClientId, subject: string | undefined, era: Era): boolean {
    if (diedAtOnce(era, this.#clients.get(programme, client))) return true;
    return subject !== undefined && diedAtOnce(era, this.#subjects.get(programme, subject));
  }

  /** The same of a token that is not remembered and has no family. */
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

  /** Kills one token that is not remembered, for as long as it would have lived. */
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
