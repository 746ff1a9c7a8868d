// Owns two kinds of revocations in PostgreSQL: of all codes and tokens of an owner (one row an owner, joined
// to each code and login), and of single access tokens.

import type { ProgrammeId } from '../../oauth/client.ts';
import { isOfThisLife, revokedUntil } from '../accepted_time.ts';
import type { Store } from '../contract.ts';
import type { StandingQuestion, TokenName } from '../grants.ts';
import { diedAtOnce } from '../judgement.ts';
import { untilOf } from '../sql/login_rows.ts';
import { leftJoined, partReader } from '../sql/parts.ts';
import { everybody, ownerName } from '../sql/revocations.ts';
import { expectWhole, type Value } from '../sql/table.ts';
import { revocations, revokedTokens } from '../sql/tables.ts';
import { epochColumns, epochLength, type Epochs } from './epoch.ts';
import { batched, untilKnown } from './link/batch.ts';
import type { Link } from './link/link.ts';
import type { Statement } from './link/statement.ts';
import { arrayRows, tableRows } from './tables.ts';

export const revocationRows = tableRows(revocations);
const put = revocationRows;

/** SQL that writes rows, unless a row that is there has a later era; `source` has the columns of a row. */
export function putRevocations(source: string): string {
  return `INSERT INTO revocation AS kept (${put.names.join(', ')}) ${source}
    ON CONFLICT (programme, owner) DO UPDATE
      SET revoked_until = excluded.revoked_until, sum = excluded.sum
      WHERE excluded.revoked_until > kept.revoked_until`;
}

const endEra: Statement = {
  name: 'revoke_all',
  text: `WITH ended AS (UPDATE epoch SET era = era + 1 WHERE era = $1 RETURNING 1), revoked AS (
      ${putRevocations(`SELECT ${put.names.join(', ')} FROM ${put.from('asked', 2)}
        WHERE EXISTS (SELECT FROM ended)`)})
    SELECT 1 FROM ended`,
  isRead: false,
};

interface Owned {
  readonly programme: ProgrammeId;
  readonly owner: string;
}

/** Ends the era with everything that the owners were issued so far. */
export function revoker(link: Link, epochs: Epochs): Store['revokeAll'] {
  const ask = batched<Owned, void>({
    link,
    rowOf: ({ programme, owner }) => `${programme}\0${owner}`,
    answer: async (owners, until) => {
      let isEnded = false;
      while (!isEnded) {
        // Where the outcome was unknown, or another node has ended the era, the next era is ended.
        const { result } = await untilKnown(until, async () => {
          const { era } = await epochs.current();
          const rows = owners.map((owned) => ({ ...owned, revoked_until: era }));
          return link.run(endEra, [era, ...put.values(rows)], until);
        });
        isEnded = result.length > 0;
      }
      return owners.map(() => undefined);
    },
  });
  return (programme, whose) => ask({ programme, owner: ownerName(whose) });
}

interface Revoked extends TokenName {
  readonly programme: ProgrammeId;
}

const tokens = tableRows(revokedTokens);

const revokeTokens: Statement = {
  name: 'revoke_tokens',
  text: `INSERT INTO revoked_token (${tokens.names.join(', ')})
    SELECT ${tokens.names.join(', ')} FROM ${tokens.from('asked')}
    ON CONFLICT (programme, key) DO UPDATE SET expires_at = excluded.expires_at, sum = excluded.sum`,
  isRead: false,
};

/**
 * Notes that a revocation that was kept until `$1` is removed, or was not written since it is over by the
 * clock: that token would be good again if the clock were set back later (FAULTS 29).
 */
const forgetRevoked: Statement = {
  name: 'forget_revoked',
  text: 'UPDATE epoch SET forgotten_since = $1 WHERE forgotten_since < $1',
  isRead: false,
};

interface Standing {
  readonly programme: ProgrammeId;
  readonly question: StandingQuestion;
}

const asked = arrayRows({ programme: 'text', key: 'text', owner: 'text' });
const standingParts = partReader({
  token: leftJoined(revokedTokens, 'revoked_token'),
  ofOwner: leftJoined(revocations, 'of_owner'),
  ofAll: leftJoined(revocations, 'of_all'),
});

const standing: Statement = {
  name: 'standing',
  text: `SELECT ${epochColumns}, ${standingParts.columns}
    FROM epoch CROSS JOIN ${asked.from('asked')}
    LEFT JOIN revoked_token ON revoked_token.programme = asked.programme AND revoked_token.key = asked.key
    LEFT JOIN revocation AS of_owner ON of_owner.programme = asked.programme AND of_owner.owner = asked.owner
    LEFT JOIN revocation AS of_all ON of_all.programme = '${everybody}' AND of_all.owner = '${everybody}'
    ORDER BY asked.n`,
  isRead: true,
};

/** The verbs that judge and revoke access tokens by themselves. */
export function accessTokens(
  link: Link,
  epochs: Epochs,
): Pick<Store, 'era' | 'revokeToken' | 'isStanding'> {
  const revoke = batched<Revoked, void>({
    link,
    rowOf: ({ programme, tokenId }) => `${programme}\0${tokenId}`,
    answer: async (revoked, until) => {
      const rows = revoked.map(({ programme, ...token }) => ({
        programme,
        key: token.tokenId,
        expires_at: revokedUntil(token),
      }));
      await untilKnown(until, () => link.run(revokeTokens, tokens.values(rows), until));
      return revoked.map(() => undefined);
    },
  });
  const ask = batched<Standing, boolean>({
    link,
    answer: async (questions, until) => {
      const rows = await link.run(
        standing,
        asked.values(
          questions.map(({ programme, question: { tokenId: key, own } }) => ({
            programme,
            key,
            owner: own ? ownerName(own) : null,
          })),
        ),
        until,
      );
      return rows.map((row, index) => {
        const { era, accepted } = epochs.note(row);
        const { token, ofOwner, ofAll } = standingParts.read(row.slice(epochLength) as Value[]);
        const { expiresAt, own } = (questions[index] as Standing).question;
        if (token !== null) expectWhole(revokedTokens, token);
        if (token !== null) return false;
        if (own === undefined) return true;
        if (!isOfThisLife(own, expiresAt, era, accepted)) return false;
        return ![ofOwner, ofAll].some((found) => diedAtOnce(own.era, untilOf(found)));
      });
    },
  });
  return {
    era: async () => (await epochs.current()).era,
    revokeToken: async (programme, token, now) => {
      if (revokedUntil(token) > now) await revoke({ ...token, programme });
      else await link.run(forgetRevoked, [revokedUntil(token)]);
    },
    isStanding: (programme, question) => ask({ programme, question }),
  };
}
