// Owns making ordinary tokens, before they get a form: a login's, which follow from its row, and a client's own.

import type { Instant } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import { type Answer, type ExchangedFrom, type Login, scopeOf } from '../oauth/grant.ts';
import { placeText } from '../oauth/place.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import { accessClaims } from '../programme/answers/access_claims.ts';
import type { TokenFacts } from '../programme/answers/token_layout.ts';
import { accessEnd, refreshEnd } from '../store/judgement.ts';
import { refreshAudience } from '../token/jwt.ts';
import { counterMaker } from '../token/sealed/access_plaintext.ts';
import { sealAccess } from '../token/sealed/access_text.ts';
import { loginTagOf } from '../token/sealed/refresh_text.ts';
import { hasRefreshAudience } from '../token/token_ids.ts';
import type { GrantRequest } from './authorization.ts';
import type { Service } from './service.ts';
import type { RefreshTelling } from './token_forms.ts';

/**
 * The ordinary tokens of a login's answer, whether it is new or told again: everything follows from the
 * row and the refresh token. JWTs that are made again have the same claims, and under ES256 another
 * signature.
 *
 * @param refresh absent where the answer has no refresh token
 */
export async function makeLoginTokens(
  { service, client, grant }: GrantRequest,
  login: Login & Answer,
  refresh: RefreshTelling | undefined,
  exchangedFrom?: ExchangedFrom,
): Promise<TokenSet> {
  const { tokenIds, signRefresh } = service;
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
    level: member?.level,
    membershipNumber: member?.membershipNumber,
    memberProperties: member?.properties,
  };
  const accessToken = await makeAccessToken(service, client, login, facts, exchangedFrom);
  const { refreshExpiresAt } = facts;
  if (refresh === undefined || refreshExpiresAt === undefined) return { ...facts, accessToken };
  if (signRefresh === undefined || refresh.sent !== undefined) {
    return { ...facts, accessToken, refreshToken: refresh.sent ?? refresh.text };
  }
  const { issuer } = service.programme;
  const refreshToken = await signRefresh(answeredAt, {
    issuer,
    audience: hasRefreshAudience(refresh.first ?? login) ? refreshAudience : issuer,
    subject: facts.subject,
    clientId: client.id,
    tokenId: tokenIds.refresh(login),
    issuedAt: answeredAt,
    expiresAt: refreshExpiresAt,
    others: { rt: refresh.text },
  });
  return { ...facts, accessToken, refreshToken };
}

function makeAccessToken(
  service: Service,
  client: Client,
  login: Login & Answer,
  facts: TokenFacts,
  exchangedFrom: ExchangedFrom | undefined,
): string | Promise<string> {
  const { programme, signAccess, tokenKeys } = service;
  const { place, generation, answeredAt, accessSpan, ownScope } = login;
  if (signAccess !== undefined && programme.access.formats[facts.grant] === 'jwt') {
    const claims = accessClaims(programme, client, facts);
    return signAccess(answeredAt, { ...claims, family: placeText(place), exchangedFrom });
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
export async function makeClientToken(
  { service, client, grant, now, era }: GrantRequest,
  scope: string | undefined,
  exchangedFrom?: ExchangedFrom,
): Promise<TokenSet> {
  const { programme, tokenIds, tokenKeys, signAccess } = service;
  const span = programme.access.lifetimes[grant];
  const facts: TokenFacts = {
    grant,
    kind: 'client',
    // Its prefix, which no member's subject has, tells clients from members (C-9, HOSTILE 34).
    subject: programme.clientSubject(client.id),
    tokenId: programme.access.tellsIds ? tokenIds.own(now) : '',
    issuedAt: now,
    accessExpiresAt: (now + span) as Instant,
    refreshExpiresAt: undefined,
    scope,
    level: undefined,
    membershipNumber: undefined,
  };
  if (signAccess !== undefined && programme.access.formats[facts.grant] === 'jwt') {
    const claims = { ...accessClaims(service.programme, client, facts), era, exchangedFrom };
    return { ...facts, accessToken: await signAccess(now, claims) };
  }
  const accessToken = sealAccess(tokenKeys.signer(now), {
    kind: 'client',
    client: client.id,
    issuedAt: now,
    span,
    era,
    counter: nextCounter(),
    ...(scope === undefined ? {} : { scope }),
    ...(exchangedFrom === undefined ? {} : { exchangedFrom }),
  });
  return { ...facts, accessToken };
}
