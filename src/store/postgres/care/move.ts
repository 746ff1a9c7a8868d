// Owns leaving a PostgreSQL store for another store, and filling one with another store's rows.

import { instant } from '../../../lib/clock.ts';
import { present } from '../../../lib/present.ts';
import { carryRows } from '../../carry/carry.ts';
import type { Arrival, Departure } from '../../carry/copy.ts';
import { everything } from '../../carry/tables.ts';
import type { Environment } from '../../contract.ts';
import { StoreUnusable } from '../../unusable.ts';
import { expectKnown, expectSchema, findMeta } from '../schema.ts';
import {
  dropMeta,
  postgresFacts,
  postgresRows,
  postgresTarget,
  putFacts,
  putMeta,
} from './carried.ts';
import { analyse, emptyStore, holdAlone } from './hold.ts';
import { clusterText } from './recovered.ts';
import { openSession, type Session, type StoreAccess } from './session.ts';
import { openStanding } from './standing.ts';

/** @throws StoreUnusable where there is no store that this Jetway knows; Unavailable */
export async function leavePostgres(access: StoreAccess): Promise<Departure> {
  const session = await openSession(access);
  try {
    const meta = await findMeta(session.link, session.name);
    const [id, to] = ['moved_as', 'moved_to'].map((name) => meta?.get(name));
    if (id === undefined) {
      await openStanding(session);
    }
    return present({
      name: session.name,
      moved: id === undefined || to === undefined ? undefined : { id, to },
      leave: ((move, take) =>
        session.transaction(async () => {
          await holdAlone(session);
          const counts = await take(await postgresFacts(session), postgresRows(session));
          await putMeta(session, { moved_as: move.id, moved_to: move.to });
          await hideTables(session);
          return counts;
        })) satisfies Departure['leave'],
      close: session.close,
    });
  } catch (error) {
    session.close();
    throw error;
  }
}

/** Every statement of a process that has the store open fails from then on. */
async function hideTables({ run }: Session): Promise<void> {
  for (const name of [...everything.map((table) => table.name), 'epoch', 'node_lease']) {
    await run(`ALTER TABLE ${name} RENAME TO ${name}_moved`);
  }
}

/** @throws StoreUnusable where there is a store with anything in it; Unavailable */
export async function arriveAtPostgres(
  access: StoreAccess,
  environment: Environment,
): Promise<Arrival> {
  const session = await openSession(access);
  const { name, link } = session;
  try {
    const meta = await findMeta(link, name);
    const isCutOff = meta?.has('arriving') ?? false;
    const copy = meta?.get('arriving') ?? meta?.get('copied_as');
    if (!isCutOff) {
      const { schema } = access.location;
      const now = instant(Date.now());
      await expectSchema(link, { environment, schema, name, now });
    }
    return present({
      name,
      copy,
      fill: (async (id, facts, rows) => {
        const counts = await session.transaction(async () => {
          await holdAlone(session);
          if (isCutOff) await emptyStore(session);
          else await expectEmpty(session);
          await putFacts(session, facts);
          await putMeta(session, { arriving: id, cluster: clusterText(session.cluster) });
          // Nobody was served from then on: the first server counts an outage from this heartbeat.
          await session.run(
            `UPDATE node_lease SET holder = 'copied', beat_at = $1 WHERE node = 0`,
            [facts.recordedTime ?? null],
          );
          return carryRows(rows, postgresTarget(session), everything);
        });
        await analyse(session);
        return counts;
      }) satisfies Arrival['fill'],
      finish: (async (id) => {
        await session.transaction(async () => {
          await putMeta(session, { copied_as: id });
          await dropMeta(session, 'arriving');
        });
        expectKnown((await findMeta(link, name)) ?? new Map(), name, environment);
      }) satisfies Arrival['finish'],
      close: session.close,
    });
  } catch (error) {
    session.close();
    throw error;
  }
}

async function expectEmpty({ name, one }: Session): Promise<void> {
  for (const table of everything) {
    if ((await one(`SELECT 1 FROM ${table.name} LIMIT 1`)) === null) continue;
    throw new StoreUnusable(
      `there is a store at ${name} already, with rows of ${table.name}`,
      'name another schema (?schema=), or drop this one',
    );
  }
}
