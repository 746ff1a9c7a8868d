// Owns the issuing of tokens: from a grant's authorization to tokens that stand.

import { randomUUID } from 'node:crypto';
import { after, earlier, type Instant, type Milliseconds } from '../lib/clock.ts';
import type { Client } from '../oauth/client.ts';
import type { AccessToken } from '../oauth/grant.ts';
import { newToken, tokenKey } from '../oauth/token_key.ts';
import type { TokenSet } from '../oauth/token_set.ts';
import { tokenValues, type UnsignedTokens } from '../programme/token_layout.ts';
import { signAccessToken } from '../token/jwt.ts';
import type { SigningKey } from '../token/signing_keys.ts';
import type { Authorization, Issued, RepeatedAnswer } from './authorization.ts';
import type { Service } from './service.ts';

/** Makes the tokens of an authorization and settles it. */
export async function issueTokens(
  service: Service,
  client: Client,
  authorization: Authorization | RepeatedAnswer,
  now: Instant,
): Promise<TokenSet> {
  if ('repeated' in authorization) return authorization.repeated;
  const unsigned = planTokens(service, authorization, now);
  const refresh = refreshRecord(unsigned);
  const { signingKey } = service;
  if (signingKey !== undefined) {
    const accessToken = await sign(service, signingKey, client, authorization, unsigned);
    return authorization.settle({ tokens: { ...unsigned, accessToken }, ...refresh });
  }
  const tokens = { ...unsigned, accessToken: newToken(now) };
  const access = accessRecord(service, client, authorization, tokens);
  return authorization.settle({ tokens, access, ...refresh });
}

/** Everything but the access token: lifetimes, identifiers, refresh token. */
function planTokens(service: Service, authorization: Authorization, now: Instant): UnsignedTokens {
  const { access, refresh } = service.programme;
  const { family, scope } = authorization;
  const end = (span: Milliseconds): Instant =>
    family === undefined ? after(now, span) : earlier(after(now, span), family.endsAt);
  return {
    grant: authorization.grant,
    kind: authorization.kind,
    subject: authorization.subject,
    tokenId: randomUUID(),
    issuedAt: now,
    accessExpiresAt: end(access.lifetime),
    ...(scope === undefined ? {} : { scope }),
    ...memberFacts(authorization),
    ...(authorization.withRefreshToken
      ? { refreshToken: newToken(now), refreshExpiresAt: end(refresh.lifetime) }
      : {}),
  };
}

function memberFacts(
  authorization: Authorization,
): Pick<TokenSet, 'level' | 'membershipNumber'> {
  const member = authorization.family?.member;
  return {
    ...(member?.level === undefined ? {} : { level: member.level }),
    ...(member?.membershipNumber === undefined
      ? {}
      : { membershipNumber: member.membershipNumber }),
  };
}

function refreshRecord({ refreshToken, refreshExpiresAt }: UnsignedTokens): Pick<Issued, 'refresh'> {
  if (refreshToken === undefined || refreshExpiresAt === undefined) return {};
  return { refresh: { key: tokenKey(refreshToken), expiresAt: refreshExpiresAt } };
}

function accessRecord(
  service: Service,
  client: Client,
  { kind, subject, scope, family }: Authorization,
  tokens: TokenSet,
): AccessToken {
  return {
    programme: service.programme.id,
    key: tokenKey(tokens.accessToken),
    client: client.id,
    kind,
    subject,
    ...(family === undefined ? {} : { family: family.id }),
    ...(scope === undefined ? {} : { scope }),
    issuedAt: tokens.issuedAt,
    expiresAt: tokens.accessExpiresAt,
  };
}

async function sign(
  service: Service,
  key: SigningKey,
  client: Client,
  authorization: Authorization,
  tokens: UnsignedTokens,
): Promise<string> {
  const { programme } = service;
  const { scope, family } = authorization;
  return signAccessToken(key, {
    issuer: programme.issuer,
    audience: programme.audience,
    subject: authorization.subject,
    clientId: client.id,
    tokenId: tokens.tokenId,
    issuedAt: tokens.issuedAt,
    expiresAt: tokens.accessExpiresAt,
    ...(scope === undefined ? {} : { scope }),
    ...(family === undefined ? {} : { family: family.id }),
    others: programme.access.claims(tokenValues(tokens, client, programme.values)),
  });
}
