// Owns finding an access token for its use: whether this programme issued it, it is live, and whose it is.

import { after, allowedDrift, earlier, instant, type Instant } from '../../lib/clock.ts';
import { type Soon, soon } from '../../lib/pause.ts';
import type { Client } from '../../oauth/client.ts';
import { type ExchangedFrom, type LoginState, scopeOf } from '../../oauth/grant.ts';
import type { Member } from '../../oauth/member.ts';
import type { StandingQuestion } from '../../store/grants.ts';
import { ownerText } from '../../token/jwt.ts';
import type { OpenedAccess } from '../../token/sealed/access_text.ts';
import { loginTagOf } from '../../token/sealed/refresh_text.ts';
import type { Service } from '../service.ts';
import { anyAge, isReplaced, ordinaryText } from '../token_forms.ts';
import { isStanding } from './exchanged.ts';

/**
 * A token that proved itself: what it says is what this programme once said. Whether it was revoked is
 * not judged.
 */
export interface ProvenToken {
  readonly kind: 'member' | 'client';
  readonly client: Client['id'];
  readonly subject: string;
  /** Its `sub`, where that is a text of the dialect's. */
  readonly toldSubject?: string | undefined;
  readonly scope?: string | undefined;
  /** Its `aud`, where a request asked for that. */
  readonly resource?: string | undefined;
  /** The login's row; absent for a client's own token that came without a refresh token. */
  readonly login?: LoginState;
  /** The member's token that it stands beside: then it is the client's own, whose login is that member's. */
  readonly beside?: string;
  /** Its `jti`, where the token is a JWT. */
  readonly jti?: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  readonly question: StandingQuestion;
  readonly exchangedFrom?: ExchangedFrom | undefined;
  /** The store has an answer of its login that is not older than the token. */
  readonly isKnown: boolean;
}

/** A live access token of an active client. */
export type StandingToken = Omit<ProvenToken, 'client'> & { readonly client: Client };

/** Why a token is not live, in the order in which it is judged. */
export type TokenFault =
  | 'unproven'
  | 'unknown'
  | 'login_ended'
  | 'replaced'
  | 'revoked'
  | 'client_disabled'
  | 'member_disabled';

/**
 * The token, if this programme issued it, it has not expired, it was not revoked by itself, with its login
 * or with all tokens of its owner, its client is active and, where the store is the directory, its member.
 * Only the proof may come from a cache: everything else is read at every call.
 *
 * @param known what was proved of the token already, within this request
 */
export async function findStandingToken(
  service: Service,
  text: string,
  now: Instant,
  known?: ProvenToken,
): Promise<StandingToken | TokenFault> {
  const { store, programme, directory } = service;
  const proving = known ?? proveToken(service, text, now);
  // What is known at once is not waited for.
  const proven = proving instanceof Promise ? await proving : proving;
  if (proven === undefined) return 'unproven';
  if (!proven.isKnown) return 'unknown';
  if (proven.login?.revoked === true) return 'login_ended';
  // A token whose issuer's clock was further ahead, and was set right since, would live until that
  // clock's end of it (FAULTS 11).
  if (proven.issuedAt > now + allowedDrift) return 'revoked';
  if (service.hasEndedTokens && (await isReplaced(service, leading(service, proven), now))) {
    return 'replaced';
  }
  const standing = isStanding(service, proven);
  if (!(standing instanceof Promise ? await standing : standing)) return 'revoked';
  // Client and member may be enabled again before the token ends.
  const finding = store.find('client', programme.id, proven.client);
  const client = finding instanceof Promise ? await finding : finding;
  if (client?.status !== 'active') return 'client_disabled';
  const subject = proven.login?.member?.subject;
  if (subject !== undefined && directory.isOwn) {
    const active = directory.isActive(subject);
    if (!(active instanceof Promise ? await active : active)) return 'member_disabled';
  }
  return { ...proven, client };
}

/**
 * The token with its login's row, if this programme issued it and it has not expired. A clock that was
 * ahead may have issued it later than `now`: it can be revoked before it is good.
 */
export function proveToken(
  service: Service,
  text: string,
  now: Instant,
): Soon<ProvenToken | undefined> {
  return soon(prove(service, text, now), (proven) =>
    proven === undefined || now >= proven.expiresAt ? undefined : proven,
  );
}

/** The same also of a token that has expired. */
export async function proveAnyAge(
  service: Service,
  text: string,
  now: Instant,
): Promise<ProvenToken | undefined> {
  const end = saidEnd(text);
  if (end === undefined || end > now) return prove(service, text, now, anyAge);
  // An expired JWT is proved as of its last second. One that ends before its issue is none of ours.
  const proven = await prove(service, text, instant(end - 1), anyAge);
  return proven !== undefined && proven.issuedAt < end ? proven : undefined;
}

/** The end that a text tells of itself, if it looks like a JWT. */
export function saidEnd(text: string): number | undefined {
  const [, payload, signature] = text.split('.', 3);
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

function prove(
  service: Service,
  token: string,
  now: Instant,
  keptAt: Instant = now,
): Soon<ProvenToken | undefined> {
  if (service.programme.forms.access_token === undefined) return proveText(service, token, now);
  return ordinaryText(service, 'access_token', token, keptAt).then((text) =>
    proveText(service, text, now),
  );
}

function proveText(service: Service, text: string, now: Instant): Soon<ProvenToken | undefined> {
  return isJwt(text) ? proveJwt(service, text, now) : proveSealed(service, text);
}

/** The token, unless its subject is another owner's. */
function ownOrNone(service: Service, proven: ProvenToken): ProvenToken | undefined {
  return isItsOwn(service, proven) ? proven : undefined;
}

/**
 * Whether the subject fits the kind of token by the present prefix of client subjects. After a change
 * of prefix the subject of an older token could be another owner's (C-9, HOSTILE 72).
 */
function isItsOwn({ programme }: Service, token: ProvenToken): boolean {
  const { clientSubject, isClientSubject } = programme;
  const { kind, subject, client, toldSubject = subject } = token;
  if (kind === 'client') return toldSubject === clientSubject(client);
  return !isClientSubject(subject) && !isClientSubject(toldSubject);
}

/** As the token that it is live with: the member's, of one that stands beside that. */
function leading({ programme }: Service, proven: ProvenToken): ProvenToken {
  const { beside, login } = proven;
  if (beside === undefined || login === undefined) return proven;
  return { ...proven, subject: subjectOf(programme, login) };
}

/** The member whom a token is about. A client's own is about none, even if it ends with a member's login. */
export function memberOf(token: Pick<ProvenToken, 'login' | 'beside'>): Member | undefined {
  return token.beside === undefined ? token.login?.member : undefined;
}

function kindOf({ member }: LoginState): ProvenToken['kind'] {
  return member === undefined ? 'client' : 'member';
}

/** Whom the tokens of a login are about. */
export function subjectOf(
  { clientSubject }: Service['programme'],
  { client, member }: LoginState,
): string {
  return member?.subject ?? clientSubject(client);
}

/** A JWT has two dots, a sealed token none. */
function isJwt(text: string): boolean {
  return text.includes('.');
}

async function proveJwt(
  service: Service,
  text: string,
  now: Instant,
): Promise<ProvenToken | undefined> {
  const { store, programme, verifyAccessToken, keyring } = service;
  const token = await verifyAccessToken?.(text, now);
  if (token === undefined) return undefined;
  const { client, tokenId, issuedAt, origin, owner, beside } = token;
  const facts = { ...token, jti: tokenId };
  if ('era' in origin) {
    const own = { client, era: origin.era, issuedAt };
    const question = { tokenId, expiresAt: token.expiresAt, own };
    return ownOrNone(service, { ...facts, kind: 'client', question, isKnown: true });
  }
  const login = await store.findLogin(programme.id, origin.place);
  // The place may be another login's, after a store was put back and its clock with it.
  if (login?.client !== client || login.resource !== token.resource) return undefined;
  const subject = subjectOf(programme, login);
  const isOwned =
    owner === undefined
      ? subject === token.subject
      : keyring.ownerDigest(ownerText(subject, beside)) === owner;
  if (!isOwned) return undefined;
  const expiresAt = earlier(token.expiresAt, login.endsAt);
  // When one of two tokens that end together is revoked, the store notes the member's.
  const question = { tokenId: beside ?? tokenId, expiresAt, loginEndsAt: login.endsAt };
  const toldSubject = owner === undefined ? undefined : token.subject;
  const whose =
    beside === undefined
      ? { kind: kindOf(login), subject, toldSubject, login }
      : { kind: 'client' as const, subject: programme.clientSubject(client), toldSubject, login };
  return ownOrNone(service, { ...facts, ...whose, expiresAt, question, isKnown: true });
}

function proveSealed(service: Service, text: string): Soon<ProvenToken | undefined> {
  const opened = service.openAccess(text, service.tokenKeys.find);
  return opened !== undefined && isVouched(service, opened)
    ? proveOpened(service, opened)
    : proveAnew(service, text);
}

/**
 * Another process may have added the key of a text just now, or a clock may have been accepted, by which the key
 * begins earlier.
 */
async function proveAnew(service: Service, text: string): Promise<ProvenToken | undefined> {
  const { openAccess, tokenKeys } = service;
  let isUnknown = false;
  const former = openAccess(text, (number) => {
    const key = tokenKeys.find(number);
    isUnknown = key === undefined;
    return key;
  });
  if (former === undefined && !isUnknown) return undefined;
  await tokenKeys.reloadIfMoved();
  const opened = former ?? openAccess(text, tokenKeys.find);
  if (opened === undefined || !isVouched(service, opened)) return undefined;
  return proveOpened(service, opened);
}

function isVouched({ tokenKeys }: Service, { access, key }: OpenedAccess): boolean {
  return tokenKeys.find(key.number) === key && tokenKeys.vouches(key.number, access.issuedAt);
}

function proveOpened(
  service: Service,
  { access, tag: tokenId, key }: OpenedAccess,
): Soon<ProvenToken | undefined> {
  const { store, programme, tokenKeys } = service;
  const { issuedAt } = access;
  const latest = tokenKeys.latestEnd(key.number);
  const said = after(issuedAt, access.span);
  const ended = latest === undefined ? said : earlier(said, latest);
  if (access.kind === 'client') {
    const { client, era, scope, resource, exchangedFrom } = access;
    const question = { tokenId, expiresAt: ended, own: { client, era, issuedAt } };
    const subject = programme.clientSubject(client);
    const facts = { client, subject, scope, resource, issuedAt, expiresAt: ended, exchangedFrom };
    return ownOrNone(service, { kind: 'client', ...facts, question, isKnown: true });
  }
  return soon(store.findLogin(programme.id, access.place), (login) => {
    // The place may have been given again, after a store was put back and its clock with it.
    if (login === undefined || loginTagOf(login.loginDigest) !== access.loginTag) return undefined;
    const { client, endsAt } = login;
    const expiresAt = earlier(ended, endsAt);
    const proven: ProvenToken = {
      kind: kindOf(login),
      client,
      subject: subjectOf(programme, login),
      scope: scopeOf(login.scope, access.ownScope),
      resource: login.resource,
      login,
      issuedAt,
      expiresAt,
      exchangedFrom: access.exchangedFrom,
      question: { tokenId: access.beside ?? tokenId, expiresAt, loginEndsAt: endsAt },
      isKnown: access.generation <= login.generation,
    };
    const { beside, ownScope } = access;
    if (beside === undefined) return ownOrNone(service, proven);
    const own = {
      kind: 'client',
      subject: programme.clientSubject(client),
      scope: ownScope,
    } as const;
    return ownOrNone(service, { ...proven, ...own, beside });
  });
}
