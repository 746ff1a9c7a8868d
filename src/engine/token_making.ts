// Owns making ordinary tokens, before they get a form: a login's, which follow from its row, and a client's own.

import { after, earlier } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import {
  type Answer,
  type ExchangedFrom,
  type GrantType,
  type Login,
  scopeOf,
} from '../oauth/grant.ts';
import { placeText } from '../oauth/place.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import { accessClaims } from '../programme/answers/access_claims.ts';
import type { TokenFacts } from '../programme/answers/token_layout.ts';
import { accessEnd, refreshEnd } from '../store/judgement.ts';
import { ownerText, refreshAudience } from '../token/jwt.ts';
import { counterMaker } from '../token/sealed/access_plaintext.ts';
import { sealAccess } from '../token/sealed/access_text.ts';
import { loginTagOf } from '../token/sealed/refresh_text.ts';
import { hasRefreshAudience } from '../token/token_ids.ts';
import type { GrantRequest, OwnToken } from './authorization.ts';
import type { Service } from './service.ts';
import { type RefreshTelling, tokenName } from './token_forms.ts';

/**
 * The ordinary tokens of a login's answer, whether it is new or told again: everything follows from the
 * row and the refresh token. JWTs that are made again have the same claims, and under ES256 another
 * signature.
 *
 * @param refresh absent where the answer has no refresh token
 */
export function makeLoginTokens(
  request: GrantRequest,
  login: Login & Answer,
  refresh: RefreshTelling | undefined,
  exchangedFrom?: ExchangedFrom,
): TokenSet | Promise<TokenSet> {
  const made = makeTokens(request, login, refresh, exchangedFrom);
  const { service, client, grant, isByToken } = request;
  const { beside } = service.programme.access;
  if (!beside.grants.has(grant) || login.member === undefined) return made;
  // Whoever holds a member's token, or one of the client's own, gets no other of the client's by it alone.
  return isByToken === true || !beside.isFor(client)
    ? made
    : withBeside(service, client, login, made);
}

/** Adds the client's own token, which follows from the row, too. */
async function withBeside(
  service: Service,
  client: Client,
  login: Login & Answer,
  made: TokenSet | Promise<TokenSet>,
): Promise<TokenSet> {
  const { programme, signAccess, tokenKeys, tokenIds, keyring } = service;
  const { access, scope: scopes } = programme;
  const { place, generation, answeredAt } = login;
  const tokens = await made;
  const beside = tokenName(service, tokens);
  const expiresAt = earlier(after(answeredAt, access.beside.lifetime), login.endsAt);
  // What a client gets that asks for none: whatever the login was granted is the member's (HOSTILE 32, P-15).
  const scope = scopes.ofClient(undefined);
  const facts = clientFacts(service, client, 'client_credentials', {
    tokenId: access.tellsIds ? tokenIds.beside(login) : '',
    issuedAt: answeredAt,
    accessExpiresAt: expiresAt,
    scope,
    resource: login.resource,
  });
  if (signAccess !== undefined && access.formats.client_credentials === 'jwt') {
    const owner = keyring.ownerDigest(ownerText(tokens.subject, beside));
    const claims = accessClaims(programme, client, facts);
    const of = { owner, beside, family: placeText(place) };
    const accessToken = await signAccess(answeredAt, { ...claims, ...of });
    return { ...tokens, beside: { accessToken, expiresAt, scope } };
  }
  const accessToken = sealAccess(tokenKeys.find(login.keyNumber) ?? tokenKeys.signer(answeredAt), {
    kind: 'member',
    place,
    generation,
    loginTag: loginTagOf(login.loginDigest),
    issuedAt: answeredAt,
    span: access.beside.lifetime,
    beside,
    ...(scope === undefined ? {} : { ownScope: scope }),
  });
  return { ...tokens, beside: { accessToken, expiresAt, scope } };
}

function makeTokens(
  { service, client, grant }: GrantRequest,
  login: Login & Answer,
  refresh: RefreshTelling | undefined,
  exchangedFrom?: ExchangedFrom,
): TokenSet | Promise<TokenSet> {
  const { tokenIds } = service;
  const { member, answeredAt } = login;
  const facts: TokenFacts = {
    grant,
    kind: member === undefined ? 'client' : 'member',
    subject: member?.subject ?? service.programme.clientSubject(client.id),
    tokenId: service.programme.access.tellsIds ? tokenIds.access(login) : '',
    issuedAt: answeredAt,
    accessExpiresAt: accessEnd(login),
    refreshExpiresAt: refresh === undefined ? undefined : refreshEnd(login),
    scope: scopeOf(login.scope, login.ownScope),
    resource: login.resource,
    level: member?.level,
    membershipNumber: member?.membershipNumber,
    memberProperties: member?.properties,
  };
  const access = makeAccessToken(service, client, login, facts, exchangedFrom);
  const told = refresh && makeRefreshToken(service, client, login, facts, refresh);
  // Only RSA, which signs in another thread, is waited for.
  if (typeof access === 'string' && (told === undefined || typeof told === 'string')) {
    return withTokens(facts, access, told);
  }
  return Promise.all([access, told]).then((made) => withTokens(facts, ...made));
}

function withTokens(
  facts: TokenFacts,
  accessToken: string,
  refreshToken: string | undefined,
): TokenSet {
  if (refreshToken === undefined) return { ...facts, accessToken };
  return { ...facts, accessToken, refreshToken };
}

function makeRefreshToken(
  { programme: { issuer }, tokenIds, signRefresh }: Service,
  client: Client,
  login: Login & Answer,
  { subject }: TokenFacts,
  { sent, text, first = login }: RefreshTelling,
): string | Promise<string> {
  if (signRefresh === undefined || sent !== undefined) return sent ?? text;
  const { answeredAt } = login;
  return signRefresh(answeredAt, {
    issuer,
    audience: hasRefreshAudience(first) ? refreshAudience : issuer,
    subject,
    clientId: client.id,
    tokenId: tokenIds.refresh(login),
    issuedAt: answeredAt,
    expiresAt: refreshEnd(login),
    others: { rt: text },
  });
}

function makeAccessToken(
  service: Service,
  client: Client,
  login: Login & Answer,
  facts: TokenFacts,
  exchangedFrom: ExchangedFrom | undefined,
): string | Promise<string> {
  const { programme, signAccess, tokenKeys, keyring } = service;
  const { place, generation, answeredAt, accessSpan, ownScope } = login;
  if (signAccess !== undefined && programme.access.formats[facts.grant] === 'jwt') {
    const claims = accessClaims(programme, client, facts);
    const isTold = claims.subject === facts.subject;
    const owner = isTold ? undefined : keyring.ownerDigest(facts.subject);
    return signAccess(answeredAt, { ...claims, owner, family: placeText(place), exchangedFrom });
  }
  // A retry of an answer under a key that was ended tells a token that is dead; its refresh token is good.
  const key = tokenKeys.find(login.keyNumber) ?? tokenKeys.signer(answeredAt);
  return sealAccess(key, {
    kind: 'member',
    place,
    generation,
    loginTag: loginTagOf(login.loginDigest),
    issuedAt: answeredAt,
    span: accessSpan,
    ...(ownScope === undefined ? {} : { ownScope }),
    ...(exchangedFrom === undefined ? {} : { exchangedFrom }),
  });
}

const nextCounter = counterMaker();

/** A client's own token without a refresh token (RFC 6749 4.4.3). Nothing of an ordinary one is stored. */
export function makeClientToken(
  { service, client, grant, now, era, lifetime: span }: GrantRequest,
  { scope, resource, exchange }: OwnToken,
): TokenSet | Promise<TokenSet> {
  const { programme, tokenIds, tokenKeys, signAccess } = service;
  const exchangedFrom = exchange?.from;
  const facts = clientFacts(service, client, grant, {
    tokenId: programme.access.tellsIds ? tokenIds.own(now) : '',
    issuedAt: now,
    accessExpiresAt: after(now, span),
    scope,
    resource,
  });
  if (signAccess !== undefined && programme.access.formats[facts.grant] === 'jwt') {
    const claims = { ...accessClaims(service.programme, client, facts), era, exchangedFrom };
    const signed = signAccess(now, claims);
    if (typeof signed === 'string') return withTokens(facts, signed, undefined);
    return signed.then((accessToken) => withTokens(facts, accessToken, undefined));
  }
  const accessToken = sealAccess(tokenKeys.signer(now), {
    kind: 'client',
    client: client.id,
    issuedAt: now,
    span,
    era,
    counter: nextCounter(),
    ...(scope === undefined ? {} : { scope }),
    ...(resource === undefined ? {} : { resource }),
    ...(exchangedFrom === undefined ? {} : { exchangedFrom }),
  });
  return withTokens(facts, accessToken, undefined);
}

function clientFacts(
  { programme }: Service,
  client: Client,
  grant: GrantType,
  { tokenId, issuedAt, accessExpiresAt, scope, resource }: TokenTimes,
): TokenFacts {
  return {
    grant,
    kind: 'client',
    // Its prefix, which no member's subject has, tells clients from members (C-9, HOSTILE 34).
    subject: programme.clientSubject(client.id),
    tokenId,
    issuedAt,
    accessExpiresAt,
    refreshExpiresAt: undefined,
    scope,
    resource,
    level: undefined,
    membershipNumber: undefined,
  };
}

type TokenTimes = Pick<
  TokenFacts,
  'tokenId' | 'issuedAt' | 'accessExpiresAt' | 'scope' | 'resource'
>;
