// Owns the lineage of access tokens that were exchanged (RFC 8693): what they came from, and that they end
// with it where it is revoked.

import { after, type Instant, later } from '../../lib/clock.ts';
import type { Soon } from '../../lib/pause.ts';
import { present } from '../../lib/present.ts';
import type { ExchangedFrom } from '../../oauth/grant.ts';
import type { StandingQuestion, TokenName } from '../../store/grants.ts';
import type { Service } from '../service.ts';

interface Lineage {
  readonly question: StandingQuestion;
  readonly exchangedFrom?: ExchangedFrom | undefined;
}

/** Whether neither the token nor any that it was exchanged from was revoked by itself. */
export function isStanding(service: Service, lineage: Lineage): Soon<boolean> {
  const { store, programme } = service;
  const { question, exchangedFrom } = lineage;
  if (exchangedFrom === undefined) return store.isStanding(programme.id, question);
  return areStanding(service, question, exchangedFrom);
}

async function areStanding(
  { store, programme }: Service,
  question: StandingQuestion,
  exchangedFrom: ExchangedFrom,
): Promise<boolean> {
  const { tokenId: _own, own: _owner, ...ends } = question;
  const former = exchangedFrom.map((name) => ({ ...ends, tokenId: exchangesOf(name) }));
  const found = await Promise.all(
    [question, ...former].map(async (one) => store.isStanding(programme.id, one)),
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

/** By what name the store remembers that what was exchanged from a token was revoked with it. */
function exchangesOf(name: string): string {
  return `from ${name}`;
}

/**
 * What is to be revoked with a token: all that was exchanged from it. Apart from the token itself, since
 * `live: one` ends a token by the one that it was exchanged for. Where what was exchanged from it does not
 * hold its name, all that was exchanged from the last name that it holds, the token included.
 */
export function exchangesRevokedWith(
  { tokenKeys }: Service,
  { exchangedFrom = [], question }: Lineage,
  now: Instant,
): TokenName {
  const { tokenId, expiresAt, loginEndsAt } = question;
  const last = exchangedFrom.length < mostNames ? undefined : exchangedFrom.at(-1);
  const until = later(expiresAt, after(now, tokenKeys.longestToken()));
  return present({ tokenId: exchangesOf(last ?? tokenId), expiresAt: until, loginEndsAt });
}
