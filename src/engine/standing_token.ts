// Owns finding an access token for its use: whether this programme issued it, it is live, and whose it is.

import { allowedDrift, type Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import type { FamilyId } from '../oauth/grant.ts';
import type { Subject } from '../oauth/member.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { Programme } from '../programme/programme.ts';
import type { Service } from './service.ts';

/** A live access token of an active client. */
export interface StandingToken {
  readonly kind: 'member' | 'client';
  readonly client: Client;
  readonly subject: string;
  readonly scope?: string;
  readonly family?: FamilyId;
  /** Present where the token is a JWT. */
  readonly tokenId?: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
}

/** A live access token, whatever the status of its client and member. */
export type IssuedToken = Omit<StandingToken, 'client'> & { readonly client: Client['id'] };

/**
 * The token, if this programme issued it, it has not expired, and it was not revoked by itself, with
 * its login or with all tokens of its owner; undefined otherwise. Its client and its member may be
 * disabled: they may be enabled again before it ends.
 */
export async function findIssuedToken(
  service: Service,
  text: string,
  now: Instant,
): Promise<IssuedToken | undefined> {
  const find = isJwt(text) ? findJwt : findOpaque;
  const issued = await find(service, text, now);
  // A token whose issuer's clock was further ahead, and was set right since, would live until that
  // clock's end of it (FAULTS 11).
  return issued === undefined || issued.issuedAt > now + allowedDrift ? undefined : issued;
}

/**
 * Such a token of an active client and, where the store is the directory, an active member. Only the
 * signature may come from a cache: everything else is read at every call.
 */
export async function findStandingToken(
  service: Service,
  text: string,
  now: Instant,
): Promise<StandingToken | undefined> {
  const { store, programme, directory } = service;
  const issued = await findIssuedToken(service, text, now);
  if (issued === undefined || !isItsOwn(programme, issued)) return undefined;
  const client = await store.find('client', programme.id, issued.client);
  if (client?.status !== 'active') return undefined;
  const isMember = issued.kind === 'member';
  if (isMember && directory.isOwn && !(await directory.isActive(issued.subject as Subject))) {
    return undefined;
  }
  return { ...issued, client };
}

/**
 * Whether the subject fits the kind of token by the present prefix of client subjects. After a change
 * of prefix the subject of an older token could be another owner's (C-9, HOSTILE 72).
 */
function isItsOwn(
  { clientSubject, isClientSubject }: Programme,
  { kind, subject, client }: IssuedToken,
): boolean {
  return kind === 'client' ? subject === clientSubject(client) : !isClientSubject(subject);
}

/** A JWT has two dots, an opaque token of ours at most one. */
function isJwt(text: string): boolean {
  const first = text.indexOf('.');
  return first > 0 && text.includes('.', first + 1);
}

async function findJwt(
  { store, programme, verifyAccessToken }: Service,
  text: string,
  now: Instant,
): Promise<IssuedToken | undefined> {
  const token = await verifyAccessToken?.(text, now);
  if (token === undefined) return undefined;
  const isStanding = await store.isStanding(programme.id, token);
  // A client's own token descends from no login (HOSTILE 34).
  return isStanding
    ? { ...token, kind: token.family === undefined ? 'client' : 'member' }
    : undefined;
}

async function findOpaque(
  { store, programme }: Service,
  text: string,
  now: Instant,
): Promise<IssuedToken | undefined> {
  return store.findAccessToken(programme.id, tokenKey(text), now);
}
