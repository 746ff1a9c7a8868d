// Owns the tables that every SQL backend has, and what becomes of each when a store moves.

import type { Instant } from '../../lib/clock.ts';
import type { Digest } from '../../lib/digest.ts';
import type { ClientId, ProgrammeId } from '../../oauth/client.ts';
import type { Era, Place } from '../../oauth/grant.ts';
import type { Subject } from '../../oauth/member.ts';
import type { KeptUse } from '../kept_texts.ts';
import type { Kind } from '../kinds.ts';
import {
  blob,
  integer,
  nullable,
  plainTable,
  type RowOf,
  type Table,
  table,
  text,
} from './table.ts';

const key = ['programme', 'key'] as const;

/** A member as a grant has it; see `memberColumns`. */
const member = {
  subject: text<Subject>(),
  level: nullable(text()),
  membership_number: nullable(text()),
};

/**
 * Authorization codes that are not spent, in the order of their issue: few, so that the indices are small and
 * codes that are spent together share pages. `digest` and `rest` are `codeName`; `place` is the one that its
 * login should have.
 */
export const codes = table(
  'code',
  { key: ['digest'], unique: [['programme', 'login']], order: 'as inserted' },
  {
    digest: blob(),
    rest: blob(),
    place: integer<Place>(),
    programme: text<ProgrammeId>(),
    login: text(),
    client: text<ClientId>(),
    redirect_uri: text<Digest>(),
    ...member,
    scope: nullable(text()),
    code_challenge: nullable(text()),
    issued_at: integer<Instant>(),
    expires_at: integer<Instant>(),
    forget_at: integer<Instant>(),
    era: integer<Era>(),
    details: nullable(text()),
  },
);
export type CodeRow = RowOf<typeof codes>;

/**
 * What is known of a code from its issue until its login is forgotten. `place` is that of its login, once there
 * is one: the code is spent then, and the login's row has programme and client. Written at the issue, since
 * rows of codes lie in no order: an exchange that gives the login this place writes none of their pages.
 */
export const knownCodes = table(
  'known_code',
  { key: ['digest'] },
  {
    digest: blob(),
    place: integer<Place>(),
    redirect_uri: text<Digest>(),
    code_challenge: nullable(text()),
  },
);

/**
 * Logins whose code is spent, so that they get no other; until their transaction has ended. `login` is
 * `finishedName`: they lie in the order of time, as the transactions were begun.
 */
export const finishedLogins = table(
  'finished_login',
  { key: ['login'] },
  { login: blob(), forget_at: integer<Instant>() },
);

/**
 * Logins, in the order of their places, which is that of time: no other index. An answer
 * changes the last two columns alone, and `state` has a fixed length: rows of a page never move.
 */
export const logins = table(
  'login',
  { key: ['place'], order: 'as inserted' },
  {
    place: integer<Place>(),
    programme: text<ProgrammeId>(),
    client: text<ClientId>(),
    ...member,
    scope: nullable(text()),
    ends_at: integer<Instant>(),
    era: integer<Era>(),
    login_digest: blob(),
    details: nullable(text()),
    revoked_at: nullable(integer<Instant>()),
    own_scope: nullable(text()),
    state: blob(),
  },
);
export type LoginRow = RowOf<typeof logins>;

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

/** Access tokens that were revoked one by one, by their number or tag, until they would have ended. */
export const revokedTokens = table(
  'revoked_token',
  { key },
  { programme: text<ProgrammeId>(), key: text(), expires_at: integer<Instant>() },
);

/** See `KeptTexts`. `mark` is random: by it a statement that runs again knows its own row. */
export const keptTexts = table(
  'kept_text',
  { key: ['programme', 'use', 'key'] },
  {
    programme: text<ProgrammeId>(),
    use: text<KeptUse>(),
    key: text(),
    kept: text(),
    mark: text(),
    ends_at: integer<Instant>(),
  },
);
export type KeptRow = RowOf<typeof keptTexts>;

const item = { kind: text<Kind>(), programme: text<ProgrammeId>() };

/**
 * The items of all kinds (store/kinds.ts); `record` is the item as JSON. `position` keeps the order of
 * registration, and its index lists a programme's items of a kind in that order; a row written with NULL
 * gets the next position.
 */
export const registered = table(
  'registered',
  {
    key: ['position'],
    unique: [
      ['kind', 'programme', 'id'],
      ['kind', 'programme', 'position'],
    ],
    order: 'as inserted',
    unsummed: ['position'],
  },
  { position: nullable(integer()), ...item, id: text(), record: text() },
);

/** Finds items by keys in their records. */
export const lookUps = table(
  'look_up',
  { key: ['kind', 'programme', 'name', 'key', 'id'] },
  { ...item, name: text(), key: text(), id: text() },
);

/** Identifiers of items that are never given out again. */
export const removed = table(
  'removed',
  { key: ['kind', 'programme', 'id'] },
  { ...item, id: text(), removed_at: integer<Instant>() },
);

export const loginAttempts = table(
  'login_attempt',
  { key },
  {
    programme: text(),
    key: text(),
    used: integer(),
    window_ends_at: integer<Instant>(),
    locked_until: nullable(integer<Instant>()),
  },
);

/** When a secret or API key was last used; a use may be lost. */
export const secretUses = plainTable(
  'secret_use',
  { key: ['programme', 'client', 'digest'] },
  {
    programme: text<ProgrammeId>(),
    client: text<ClientId>(),
    digest: text<Digest>(),
    used_at: integer<Instant>(),
  },
);

/** All that a store is asked for; rows whose loss lasts come first, since grants end by themselves. */
export const tables: readonly Table[] = [
  removed,
  revocations,
  revokedTokens,
  keptTexts,
  registered,
  lookUps,
  logins,
  codes,
  knownCodes,
  finishedLogins,
  loginAttempts,
  secretUses,
];

/** A restore voids them: some were used, advanced or revoked since the backup (FAULTS 8). */
export const granted: readonly Table[] = [codes, knownCodes, logins];

/**
 * A restore empties them: a lock that was lifted since must not return, a floor stands for the
 * assertions that were used, and a login may be finished anew once its code is void.
 */
export const passing: readonly Table[] = [loginAttempts, keptTexts, finishedLogins];

/** What a restore brings back, apart from the items of `vouching`. */
export const lasting: readonly Table[] = tables.filter(
  (one) => !granted.includes(one) && !passing.includes(one),
);

/** Kinds whose items vouch for access tokens, of which some were revoked since the backup: void as well. */
export const vouching: readonly Kind[] = ['token_key'];

/** How many rows of each kind of grant a backup had, of its counts by table and kind. */
export function voidedOf(
  counts: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const names = [...granted.map(({ name }) => name), ...vouching];
  return Object.fromEntries(names.map((name) => [name, counts[name] ?? 0]));
}
