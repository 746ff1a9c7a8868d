// Owns the lineage of access tokens: what they were exchanged from (RFC 8693), or which member's token they
// stand beside, and that they end with it where it is revoked.

import { after, type Instant, later } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { ExchangedFrom } from '../../oauth/grant.ts';
import type { StandingQuestion, TokenName } from '../../store/grants.ts';
import type { Service } from '../service.ts';

interface Lineage {
  readonly question: StandingQuestion;
  readonly exchangedFrom?: ExchangedFrom | undefined;
  readonly beside?: string | undefined;
}

/** Whether neither the token nor any that it was exchanged from or stands beside was revoked by itself. */
export function isStanding(service: Service, lineage: Lineage): Promise<boolean> {
  const { store, programme } = service;
  const { question, exchangedFrom, beside } = lineage;
  if (beside !== undefined) return areStanding(service, question, [beside, exchangesOf(beside)]);
  if (exchangedFrom === undefined) return store.isStanding(programme.id, question);
  return areStanding(service, question, exchangedFrom.map(exchangesOf));
}

async function areStanding(
  { store, programme }: Service,
  question: StandingQuestion,
  names: readonly string[],
): Promise<boolean> {
  const { tokenId: _own, own: _owner, ...ends } = question;
  const former = names.map((tokenId) => ({ ...ends, tokenId }));
  const found = await Promise.all(
    [question, ...former].map((one) => store.isStanding(programme.id, one)),
  );
  return found.every(Boolean);
}

/**
 * Names of former tokens that a token holds. Beyond them it holds the first ones: a chain of exchanges may
 * be as long as a login, and no token grows with it.
 */
const mostNames = 4;

/** The names that a token exchanged from this one holds. */
export function namesWith({ exchangedFrom = [], question }: Lineage): ExchangedFrom {
  return exchangedFrom.length < mostNames ? [...exchangedFrom, question.tokenId] : exchangedFrom;
}

/** By what name the store remembers that what was exchanged from a token, or stands beside it, ended with it. */
function exchangesOf(name: string): string {
  return `from ${name}`;
}

/**
 * What is to be revoked if a token is: the token, or the one that it stands beside, and all that was exchanged
 * from it or stands beside it. These by a name apart from the token's own, since `live: one` ends a token by
 * the one that it was exchanged for. Where what was exchanged from it does not hold its name, all that was
 * exchanged from the last name that it holds, the token included.
 */
export function revokedWith(
  { tokenKeys }: Service,
  { exchangedFrom = [], beside, question }: Lineage,
  now: Instant,
): readonly TokenName[] {
  const { tokenId, expiresAt, loginEndsAt } = question;
  const until = later(expiresAt, after(now, tokenKeys.longestToken()));
  const named = (name: string): TokenName =>
    present({ tokenId: name, expiresAt: until, loginEndsAt });
  if (beside !== undefined) return [named(beside), named(exchangesOf(beside))];
  const last = exchangedFrom.length < mostNames ? undefined : exchangedFrom.at(-1);
  return [question, named(exchangesOf(last ?? tokenId))];
}
