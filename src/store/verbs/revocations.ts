// Owns the revocations of single access tokens, and whether an access token is valid apart from its login.
// All that an owner was issued is revoked by an edition (items.ts).

import type { Instant } from '../../lib/clock.ts';
import { type Soon, soon } from '../../lib/pause.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { Era } from '../../oauth/grant.ts';
import { isOfThisLife, revokedUntil } from '../accepted_time.ts';
import type { Store } from '../contract.ts';
import type { StandingQuestion, TokenName } from '../grants.ts';
import { diedAtOnce } from '../judgement.ts';
import type { Db, Life, Values } from '../sql/db.ts';
import { untilOf } from '../sql/login_rows.ts';
import { leftJoined, partReader } from '../sql/parts.ts';
import { everybody, ownerName } from '../sql/revocations.ts';
import { insertText, statement } from '../sql/statement.ts';
import { expectWhole, type Value, withSum } from '../sql/table.ts';
import { revocations, revokedTokens } from '../sql/tables.ts';

const { columns, key } = revokedTokens;

// A token that was revoked is also replaced later (`live: one`): its row stays as long as it was to.
const isLater = 'excluded.expires_at > revoked_token.expires_at';

export const revoke = statement(
  'revoke_token',
  columns,
  // A row that stays is written again: what was revoked on this server alone reaches its standbys before
  // this is acknowledged.
  insertText(
    revokedTokens,
    `ON CONFLICT (programme, key) DO UPDATE SET
      expires_at = CASE WHEN ${isLater} THEN excluded.expires_at ELSE revoked_token.expires_at END,
      sum = CASE WHEN ${isLater} THEN excluded.sum ELSE revoked_token.sum END`,
  ),
  { row: key, isUrgent: true },
);

export function revokedRow(programme: ProgrammeId, token: TokenName): Values {
  const expires_at = revokedUntil(token);
  return withSum(revokedTokens, { programme, key: token.tokenId, expires_at });
}

const parts = partReader({
  token: leftJoined(revokedTokens, 'revoked_token'),
  ofOwner: leftJoined(revocations, 'of_owner'),
  ofAll: leftJoined(revocations, 'of_all'),
});

const find = statement(
  'find_standing',
  columns,
  `SELECT ${parts.columns}, :owner FROM (SELECT 1) AS one
    LEFT JOIN revoked_token ON revoked_token.programme = :programme AND revoked_token.key = :key
    LEFT JOIN revocation AS of_owner ON of_owner.programme = :programme AND of_owner.owner = :owner
    LEFT JOIN revocation AS of_all ON of_all.programme = '${everybody}' AND of_all.owner = '${everybody}'`,
  { types: { owner: 'text' } },
);

interface Standing {
  readonly isRevoked: boolean;
  /** The last era of which all that its owner was issued is revoked. */
  readonly revokedUntil: readonly (Era | null)[];
  readonly life: Life;
  /** The owner that was asked about. */
  readonly owner: Value;
}

/** A gateway asks about the same tokens again and again (C-4). */
const mostHeld = 20_000;

interface TokenVerbs extends Pick<Store, 'era' | 'isStanding'> {
  readonly revokeToken: (programme: ProgrammeId, token: TokenName, now: Instant) => Promise<void>;
  /** The token of that row was revoked. */
  readonly forgetToken: (row: Values) => void;
}

export function tokenVerbs(db: Db): TokenVerbs {
  const read = (values: readonly Value[], life: () => Life): Standing => {
    const { token, ofOwner, ofAll } = parts.read(values);
    if (token !== null) expectWhole(revokedTokens, token);
    return {
      isRevoked: token !== null,
      revokedUntil: [untilOf(ofOwner), untilOf(ofAll)],
      life: life(),
      owner: values[parts.length] ?? null,
    };
  };
  const nameOf = ({ programme, key: token }: Values): string =>
    `${programme as string}\0${token as string}`;
  const held = db.reader(find, read, { nameOf, most: mostHeld });
  const unheld = db.reader(find, read);
  const forgetToken = (row: Values): void => held.forget(nameOf(row));
  const put = db.writer(revoke);
  const judge = (
    found: Standing | undefined,
    { expiresAt, own }: StandingQuestion,
    owner: string | null,
  ): boolean | undefined => {
    // A token has one owner: only a caller who mistakes it asks about another.
    if (found === undefined || found.owner !== owner) return undefined;
    if (found.isRevoked) return false;
    if (own === undefined) return true;
    const { era, accepted } = found.life;
    if (!isOfThisLife(own, expiresAt, era, accepted)) return false;
    return !found.revokedUntil.some((until) => diedAtOnce(own.era, until));
  };
  return {
    era: () => soon(db.life(), eraIn),
    revokeToken: async (programme, token, now) => {
      // Over by the clock, which may be set back later.
      if (revokedUntil(token) <= now) return db.forget(revokedUntil(token));
      const row = revokedRow(programme, token);
      await put(row, { settled: () => forgetToken(row) });
    },
    isStanding: (programme, question) => {
      const { own } = question;
      const owner = own === undefined ? null : ownerName(own);
      const values = { programme, key: question.tokenId, owner };
      const anew = (): Soon<boolean> =>
        soon(unheld.find(values), (other) => judge(other, question, owner) ?? false);
      return soon(held.find(values), (found) => judge(found, question, owner) ?? anew());
    },
    forgetToken,
  };
}

function eraIn({ era }: Life): Era {
  return era;
}
