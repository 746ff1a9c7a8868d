// Owns the issuing of tokens: from a grant's authorization to stored tokens.

import { after, earlier, type Instant, type Milliseconds } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import { type FailureReason, Refusal } from '../oauth/failure.ts';
import type { AccessToken, Era, GrantType } from '../oauth/grant.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import { type TokenFacts, tokenValues } from '../programme/answers/token_layout.ts';
import type { TokenClaims } from '../token/token_format.ts';
import type { Authorization, GrantRequest, RepeatedAnswer } from './authorization.ts';
import { clientLikeSubject } from './failure.ts';
import type { Service } from './service.ts';

/** Makes the tokens of an authorization and has it persist them. */
export async function issueTokens(
  service: Service,
  client: Client,
  authorization: Authorization | RepeatedAnswer,
  { now, era }: Pick<GrantRequest, 'now' | 'era'>,
): Promise<TokenSet> {
  if ('repeated' in authorization) return authorization.repeated;
  const { accessTokens, refreshTokens } = service;
  const { kind, subject, successor } = authorization;
  // Also where a code or login is older than the programme's file (HOSTILE 72).
  if (kind === 'member' && service.programme.isClientSubject(subject)) {
    throw clientLikeSubject(service.programme);
  }
  expectMemberNumber(service, authorization);
  const facts = planTokens(service, authorization, now);
  const accessToken =
    successor?.accessToken ??
    (await accessTokens.make(now, () => accessClaims(service, client, authorization, facts, era)));
  const access = accessTokens.opaque
    ? { access: accessRecord(service, client, authorization, facts, accessToken) }
    : {};
  const { refreshExpiresAt: expiresAt } = facts;
  if (expiresAt === undefined) {
    return authorization.persist({ tokens: { ...facts, accessToken }, ...access });
  }
  const refreshToken =
    successor?.refreshToken ??
    (await refreshTokens.make(now, () =>
      refreshClaims(service, client, authorization, facts, expiresAt),
    ));
  return authorization.persist({
    tokens: { ...facts, accessToken, refreshToken },
    ...access,
    refresh: { key: tokenKey(refreshToken), expiresAt },
  });
}

/** The failure that each grant has for a member it cannot answer for. */
const memberRefusals: Readonly<Partial<Record<GrantType, FailureReason>>> = {
  authorization_code: 'invalid_code',
  refresh_token: 'invalid_refresh_token',
  password: 'invalid_member_credentials',
};

/** Refuses, before anything is spent, where the answer needs a membership number of the dialect's form (P-15). */
function expectMemberNumber(
  { programme: { memberNumber } }: Service,
  { grant, kind, family }: Authorization,
): void {
  if (kind !== 'member' || !memberNumber.neededBy.has(grant)) return;
  if (memberNumber.fits(family?.member.membershipNumber)) return;
  throw new Refusal(memberRefusals[grant] ?? 'server_error', {
    detail: `the member's number must be ${memberNumber.form}`,
  });
}

/** Everything but the tokens themselves. */
function planTokens(service: Service, authorization: Authorization, now: Instant): TokenFacts {
  const { access, refresh } = service.programme;
  const { grant, kind, subject, family, scope, withRefreshToken } = authorization;
  const end = (span: Milliseconds): Instant =>
    family === undefined ? after(now, span) : earlier(after(now, span), family.endsAt);
  return {
    grant,
    kind,
    subject,
    tokenId: service.newTokenId(now),
    issuedAt: now,
    accessExpiresAt: end(access.lifetimes[grant]),
    refreshExpiresAt: withRefreshToken ? end(refresh.lifetime) : undefined,
    scope,
    level: family?.member.level,
    membershipNumber: family?.member.membershipNumber,
  };
}

function accessRecord(
  service: Service,
  client: Client,
  { kind, subject, scope, family }: Authorization,
  facts: TokenFacts,
  accessToken: string,
): AccessToken {
  return {
    programme: service.programme.id,
    key: tokenKey(accessToken),
    client: client.id,
    kind,
    subject,
    ...(family === undefined ? {} : { family: family.id }),
    ...(scope === undefined ? {} : { scope }),
    issuedAt: facts.issuedAt,
    expiresAt: facts.accessExpiresAt,
  };
}

function accessClaims(
  { programme }: Service,
  client: Client,
  { subject, scope, family }: Authorization,
  facts: TokenFacts,
  era: Era,
): TokenClaims {
  return {
    issuer: programme.issuer,
    audience: programme.audience,
    subject,
    clientId: client.id,
    tokenId: facts.tokenId,
    issuedAt: facts.issuedAt,
    expiresAt: facts.accessExpiresAt,
    scope,
    family: family?.id,
    // A revocation finds a member's token by its family, a client's own by its era.
    era: family === undefined ? era : undefined,
    others: programme.access.claims(tokenValues(facts, client, programme.values)),
  };
}

/** Only this service takes a refresh token: it finds the token by digest and trusts no claim. */
function refreshClaims(
  { programme, newTokenId }: Service,
  client: Client,
  { subject }: Authorization,
  { issuedAt }: TokenFacts,
  expiresAt: Instant,
): TokenClaims {
  return {
    issuer: programme.issuer,
    audience: programme.issuer,
    subject,
    clientId: client.id,
    tokenId: newTokenId(issuedAt),
    issuedAt,
    expiresAt,
  };
}
