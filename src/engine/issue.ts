// Owns the issuing of tokens: from a grant's authorization to tokens that stand.

import { after, earlier, type Instant, type Milliseconds } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import { type FailureReason, Refusal } from '../oauth/failure.ts';
import type { AccessToken, Era, GrantType, RefreshToken } from '../oauth/grant.ts';
import { tokenKey } from '../oauth/token_key.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import { type TokenFacts, tokenValues } from '../programme/answers/token_layout.ts';
import type { TokenClaims } from '../token/token_format.ts';
import type { Authorization, GrantRequest, RepeatedAnswer } from './authorization.ts';
import { unavailableMember } from './open_directory.ts';
import type { Service } from './service.ts';

/** Makes the tokens of an authorization and settles it. */
export async function issueTokens(
  service: Service,
  client: Client,
  authorization: Authorization | RepeatedAnswer,
  { now, era }: Pick<GrantRequest, 'now' | 'era'>,
): Promise<TokenSet> {
  if ('repeated' in authorization) return authorization.repeated;
  const { accessTokens, refreshTokens } = service;
  const { kind, subject, successor } = authorization;
  // Also where a code or login is older than the programme's file is (HOSTILE 72).
  if (kind === 'member' && service.programme.isClientSubject(subject)) {
    throw unavailableMember(service.programme);
  }
  expectMemberNumber(service, authorization);
  const facts = planTokens(service, authorization, now);
  const accessToken =
    successor?.accessToken ??
    (await accessTokens.make(now, () => accessClaims(service, client, authorization, facts, era)));
  const access = accessTokens.opaque
    ? { access: accessRecord(service, client, authorization, facts, accessToken) }
    : {};
  const { refreshExpiresAt } = facts;
  if (refreshExpiresAt === undefined) {
    return authorization.settle({ tokens: { ...facts, accessToken }, ...access });
  }
  const refreshToken =
    successor?.refreshToken ??
    (await refreshTokens.make(now, () =>
      refreshClaims(service, client, authorization, facts, refreshExpiresAt),
    ));
  return authorization.settle({
    tokens: { ...facts, accessToken, refreshToken },
    ...access,
    refresh: refreshRecord(refreshToken, refreshExpiresAt),
  });
}

/** What to tell of a member whom no answer can be made for: the failure that each grant has itself. */
const memberRefusals: Readonly<Partial<Record<GrantType, FailureReason>>> = {
  authorization_code: 'invalid_code',
  refresh_token: 'invalid_refresh_token',
  password: 'invalid_member_credentials',
};

/**
 * An answer that is to hold the membership number is not made without one of the dialect's shape
 * (P-15). Nothing is spent yet.
 */
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
  const { family, scope } = authorization;
  const member = family?.member;
  const end = (span: Milliseconds): Instant =>
    family === undefined ? after(now, span) : earlier(after(now, span), family.endsAt);
  return {
    grant: authorization.grant,
    kind: authorization.kind,
    subject: authorization.subject,
    tokenId: service.newTokenId(now),
    issuedAt: now,
    accessExpiresAt: end(access.lifetimes[authorization.grant]),
    ...(authorization.withRefreshToken ? { refreshExpiresAt: end(refresh.lifetime) } : {}),
    ...(scope === undefined ? {} : { scope }),
    ...(member?.level === undefined ? {} : { level: member.level }),
    ...(member?.membershipNumber === undefined
      ? {}
      : { membershipNumber: member.membershipNumber }),
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

function refreshRecord(refreshToken: string, expiresAt: Instant): RefreshToken {
  return { key: tokenKey(refreshToken), expiresAt };
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
    ...(scope === undefined ? {} : { scope }),
    // A token of a family has its family's.
    ...(family === undefined ? { era } : { family: family.id }),
    others: programme.access.claims(tokenValues(facts, client, programme.values)),
  };
}

/** A refresh token is for the service itself, which finds it by digest and trusts none of this. */
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
