// Owns the tables of what was granted, for every SQL backend.

import type { Instant } from '../../lib/clock.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { AccessToken, Era, FamilyId, TokenKey } from '../../oauth/grant.ts';
import { integer, nullable, type RowOf, table, text } from './table.ts';

const key = ['programme', 'key'] as const;

/**
 * The keys of codes may be random all over. Codes lie in the order of their issue, so that those
 * spent together, which were issued together, share pages, and only their two indices are written
 * all over the place. `member` is JSON.
 */
export const codes = table(
  'code',
  { key, unique: [['programme', 'login']], order: 'as inserted' },
  {
    programme: text<ProgrammeId>(),
    key: text<TokenKey>(),
    login: text(),
    client: text<ClientId>(),
    redirect_uri: text(),
    member: text(),
    subject: text(),
    scope: nullable(text()),
    code_challenge: nullable(text()),
    issued_at: integer<Instant>(),
    expires_at: integer<Instant>(),
    forget_at: integer<Instant>(),
    spent_for: nullable(text<FamilyId>()),
    era: integer<Era>(),
  },
);
export type CodeRow = RowOf<typeof codes>;

/**
 * Tokens are keyed by programme and TokenKey: keys that begin with the time of issue land on the
 * same few pages, and a verb writes one tree per row. There is no index by expiry; sweeps walk the
 * key order instead. There are no foreign keys to `family`: forgetting a family would have to search
 * every token, and a token without its family is worth nothing anyway.
 *
 * The sum does not cover `revoked_at`: revoking turns the sum over (`~sum`), which needs no look at
 * the row, and tells a revocation from a flipped bit, and its loss from one.
 */
export const families = table(
  'family',
  { key, unsummed: ['revoked_at'], turnedBy: 'revoked_at' },
  {
    programme: text<ProgrammeId>(),
    key: text<FamilyId>(),
    client: text<ClientId>(),
    member: text(),
    subject: text(),
    scope: nullable(text()),
    created_at: integer<Instant>(),
    ends_at: integer<Instant>(),
    era: integer<Era>(),
    revoked_at: nullable(integer<Instant>()),
  },
);
export type FamilyRow = RowOf<typeof families>;

/**
 * The answer that a token came with lies in its own row until the token is used. The sum covers
 * neither that answer, which is authenticated by itself, nor its end: both are erased in bulk.
 */
export const refreshTokens = table(
  'refresh_token',
  { key, unsummed: ['kept_answer', 'retry_until'] },
  {
    programme: text<ProgrammeId>(),
    key: text<TokenKey>(),
    family: text<FamilyId>(),
    expires_at: integer<Instant>(),
    predecessor: nullable(text<TokenKey>()),
    successor: nullable(text<TokenKey>()),
    kept_answer: nullable(text()),
    retry_until: nullable(integer<Instant>()),
  },
);
export type RefreshTokenRow = RowOf<typeof refreshTokens>;

export const accessTokens = table(
  'access_token',
  { key },
  {
    programme: text<ProgrammeId>(),
    key: text<TokenKey>(),
    client: text<ClientId>(),
    kind: text<AccessToken['kind']>(),
    subject: text(),
    family: nullable(text<FamilyId>()),
    scope: nullable(text()),
    issued_at: integer<Instant>(),
    expires_at: integer<Instant>(),
    era: integer<Era>(),
  },
);
export type AccessTokenRow = RowOf<typeof accessTokens>;

/**
 * Revocations of all that an owner was issued: one row an owner, however much that was.
 * `revoked_until` is the era that the latest of them ended.
 */
export const revocations = table(
  'revocation',
  { key: ['programme', 'owner'] },
  { programme: text<ProgrammeId>(), owner: text(), revoked_until: integer<Era>() },
);
export type RevocationRow = RowOf<typeof revocations>;

/** JWTs that were revoked one by one, by their `jti`, until they would have ended. */
export const revokedTokens = table(
  'revoked_token',
  { key },
  { programme: text<ProgrammeId>(), key: text(), expires_at: integer<Instant>() },
);

/** All of them. */
export const grantTables = [
  codes,
  families,
  refreshTokens,
  accessTokens,
  revocations,
  revokedTokens,
] as const;
