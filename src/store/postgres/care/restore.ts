// Owns restoring a PostgreSQL store: from a backup of what is registered, or in place after the database
// was brought back to an earlier time. No grant that ended since becomes valid again.

import { instant, later } from '../../../lib/clock.ts';
import type { ProgrammeId } from '../../../oauth/client.ts';
import type { Era } from '../../../oauth/grant.ts';
import type { InPlaceOptions, RestoreReport, StoreReport } from '../../care.ts';
import { carryRows } from '../../carry/carry.ts';
import { type CarriedTable, registrations, type Row, type StoreFacts } from '../../carry/tables.ts';
import type { Environment } from '../../contract.ts';
import { farEra } from '../../judgement.ts';
import { floorAfterRestore } from '../../kept_texts.ts';
import { sumOf } from '../../sql/table.ts';
import { granted, passing, revocations, voidedOf, vouching } from '../../sql/tables.ts';
import { fileFacts, fileRows } from '../../sqlite/care/carried.ts';
import { openToRead, reportOn } from '../../sqlite/care/examine.ts';
import { expectRestorable } from '../../sqlite/care/restore.ts';
import { realPath } from '../../sqlite/file/identity.ts';
import { raiseFloorIn } from '../kept_texts.ts';
import { expectSchema } from '../schema.ts';
import { postgresFacts, postgresTarget, putFacts, putMeta } from './carried.ts';
import { examine } from './examine.ts';
import { analyse, emptyStore, endLeases, holdAlone } from './hold.ts';
import { clusterText } from './recovered.ts';
import { type Session, type StoreAccess, withSession } from './session.ts';
import { openStanding } from './standing.ts';

/**
 * Replaces what is in the store by a backup, in one transaction. Clients, members, signing keys, removals
 * and revocations are those of the backup. All codes and tokens are void, JWTs too.
 * @throws StoreUnusable for a backup that is not sound or of another environment, and while servers run;
 * nothing has changed then. Unavailable
 */
export async function restorePostgres(
  access: StoreAccess,
  backup: string,
  environment: Environment,
): Promise<RestoreReport> {
  const file = openToRead(backup);
  try {
    const brought = reportOn(file, realPath(backup));
    expectRestorable(brought, environment);
    return await withSession(access, async (session) => {
      const { schema } = access.location;
      const now = instant(Date.now());
      const { link, name } = session;
      await expectSchema(link, { environment, schema, name, now });
      await session.transaction(async () => {
        await holdAlone(session);
        const replaced = await postgresFacts(session);
        await emptyStore(session);
        const rows = fileRows(file, brought.path);
        await carryRows(rows, postgresTarget(session), registrations, isRestored);
        await stamp(session, fileFacts(file), replaced);
      });
      await analyse(session);
      return reportOf(session, voidedOf(brought.counts));
    });
  } finally {
    file.close();
  }
}

const kindColumn = registrations.find(({ name }) => name === 'registered')?.columns.indexOf('kind');

/** Not the keys that vouch for access tokens, of which some were revoked since the backup. */
function isRestored({ name }: CarriedTable, row: Row): boolean {
  return name !== 'registered' || !vouching.some((kind) => kind === row[kindColumn ?? 0]);
}

/**
 * Voids all codes and tokens in the store, which the database's own means have brought back to an earlier
 * time, and takes the cluster for its own.
 * @throws StoreUnusable where there is no store, and while servers run; Unavailable
 */
export async function restorePostgresInPlace(
  access: StoreAccess,
  environment: Environment,
  { keepGranted = false }: InPlaceOptions = {},
): Promise<RestoreReport> {
  return withSession(access, async (session) => {
    await openStanding(session, environment);
    if (keepGranted) {
      await putMeta(session, { cluster: clusterText(session.cluster) });
      return reportOf(session, {});
    }
    const voided = await session.transaction(async () => {
      await holdAlone(session);
      const facts = await postgresFacts(session);
      const counts = new Map<string, number>();
      for (const { name } of granted) {
        counts.set(name, Number(await session.one(`SELECT count(*) FROM ${name}`)));
      }
      for (const kind of vouching) {
        const gone = await session.run('DELETE FROM registered WHERE kind = $1 RETURNING 1', [
          kind,
        ]);
        counts.set(kind, gone.length);
      }
      const emptied = [...granted, ...passing].map(({ name }) => name);
      await session.run(`TRUNCATE ${emptied.join(', ')}`);
      await endLeases(session.run);
      await stamp(session, facts, facts);
      return Object.fromEntries(counts);
    });
    return reportOf(session, voided);
  });
}

/** Voids the tokens of clients, takes over the recorded time of what was replaced, and the cluster. */
async function stamp(session: Session, facts: StoreFacts, replaced: StoreFacts): Promise<void> {
  const ended = farEra(facts.era, replaced.era);
  const recordedTime = replaced.recordedTime ?? facts.recordedTime;
  const now = instant(Date.now());
  await raiseFloorIn(session.link, floorAfterRestore(later(now, recordedTime ?? now)));
  await putFacts(session, {
    ...facts,
    ...(recordedTime === undefined ? {} : { recordedTime }),
    era: (ended + 1) as Era,
  });
  const row = { programme: '' as ProgrammeId, owner: '', revoked_until: ended };
  await session.run(
    `INSERT INTO revocation (programme, owner, revoked_until, sum) VALUES ($1, $2, $3, $4)
     ON CONFLICT (programme, owner) DO UPDATE
     SET revoked_until = excluded.revoked_until, sum = excluded.sum`,
    [row.programme, row.owner, row.revoked_until, sumOf(revocations, row)],
  );
  await putMeta(session, { cluster: clusterText(session.cluster) });
}

async function reportOf(
  session: Session,
  voided: Readonly<Record<string, number>>,
): Promise<RestoreReport> {
  const report: StoreReport = await examine(session, {});
  return { ...report, voided };
}
