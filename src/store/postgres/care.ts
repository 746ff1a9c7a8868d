// Owns the care of a PostgreSQL store: what its place does by itself in what admin/ does for every place.

import { instant } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import { backupStore } from '../admin/backup.ts';
import { carryStore, registrations } from '../admin/carry.ts';
import type { Arriving, Leaving } from '../admin/copy.ts';
import { factsOf, putMeta } from '../admin/facts.ts';
import { reportOn } from '../admin/report.ts';
import { type Replacing, restoreStore, voidInPlace } from '../admin/restore.ts';
import type { StoreCare } from '../care.ts';
import type { Environment } from '../contract.ts';
import { newFile } from '../sqlite/file/draft.ts';
import { readingFile, reportOnFile } from '../sqlite/file/read.ts';
import { StoreUnusable } from '../unusable.ts';
import { keepHistory } from './history.ts';
import {
  expectStore,
  openPlace,
  type PostgresPlace,
  type StoreAccess,
  withPlace,
} from './place.ts';
import { expectKnown, expectSchema, findMeta } from './schema.ts';

export function postgresCare(access: StoreAccess): Required<Omit<StoreCare, 'losing'>> {
  return {
    // Without codes, logins and locks: a restore would void them anyway.
    backup: (target, options = {}) =>
      withStore(access, (place) =>
        backupStore(place.name, target, options, (draft) =>
          place.transaction(async () => {
            const facts = await factsOf(place);
            return newFile(draft, (file) => carryStore(facts, place, file, registrations));
          }),
        ),
      ),
    backupSize: () => withStore(access, ({ size }) => size(registrations.map(({ name }) => name))),
    restore: (backup, environment) =>
      readingFile(backup, async (source) => {
        const brought = await reportOnFile(source);
        return withPlace(access, (place) =>
          restoreStore(source, brought, replacingSchema(access, place), environment),
        );
      }),
    verify: (options) => withStore(access, (place) => reportOn(place, options)),
    restoreInPlace: (environment, { keepGranted = false } = {}) =>
      withStore(
        access,
        async (place) => {
          const voiding = () => rebuilt(place, () => voidInPlace(place));
          const voided = keepGranted ? {} : await voiding();
          if (keepGranted) await keepHistory(place.link, place.cluster);
          return { ...(await reportOn(place)), voided };
        },
        environment,
      ),
  };
}

/** @throws StoreUnusable where there is no store that this Jetway knows */
function withStore<Result>(
  access: StoreAccess,
  use: (place: PostgresPlace) => Promise<Result>,
  environment?: Environment,
): Promise<Result> {
  return withPlace(access, async (place) => {
    await expectStore(place, environment);
    return use(place);
  });
}

/** What is in the schema is replaced in one transaction. */
function replacingSchema({ location: { schema } }: StoreAccess, place: PostgresPlace): Replacing {
  const { link, name } = place;
  return {
    replace: async (environment, fill, stamp) => {
      await expectSchema(link, { environment, schema, name, now: instant(Date.now()) });
      await rebuilt(place, async () => {
        const replaced = await factsOf(place);
        await place.empty();
        await fill(place);
        await stamp(place, replaced);
      });
      return reportOn(place);
    },
  };
}

/** What `body` makes of the store while no server has it, which is of this cluster from then on. */
async function rebuilt<Result>(place: PostgresPlace, body: () => Promise<Result>): Promise<Result> {
  await place.expectIdle();
  const result = await place.transaction(async () => {
    await place.hold();
    const made = await body();
    await keepHistory(place.link, place.cluster);
    return made;
  });
  await place.analyse();
  return result;
}

/** @throws StoreUnusable where there is no store that this Jetway knows; Unavailable */
export async function leavePostgres(access: StoreAccess): Promise<Leaving> {
  const place = await openPlace(access);
  try {
    const meta = await findMeta(place.link, place.name);
    const [id, to] = ['moved_as', 'moved_to'].map((name) => meta?.get(name));
    if (id === undefined) {
      await expectStore(place);
      await place.expectIdle();
    }
    const moved = id === undefined || to === undefined ? undefined : { id, to };
    const { name, hold, hide, close } = place;
    return { place, name, ...present({ moved }), hold, hide, close };
  } catch (error) {
    place.close();
    throw error;
  }
}

/** @throws StoreUnusable where there is a store with anything in it; Unavailable */
export async function arriveAtPostgres(
  access: StoreAccess,
  environment: Environment,
): Promise<Arriving> {
  const place = await openPlace(access);
  const { name, link } = place;
  try {
    const meta = await findMeta(link, name);
    const isCutOff = meta?.has('arriving') ?? false;
    const copy = meta?.get('arriving') ?? meta?.get('copied_as');
    if (!isCutOff) {
      const { schema } = access.location;
      await expectSchema(link, { environment, schema, name, now: instant(Date.now()) });
    }
    return {
      name,
      ...present({ copy }),
      build: (id, body) =>
        rebuilt(place, async () => {
          if (isCutOff) await place.empty();
          else await expectEmpty(place);
          const carried = await body(place);
          await putMeta(place, { arriving: id });
          // Nobody was served from then on: the first server counts an outage from this heartbeat.
          await place.run(
            `UPDATE node_lease SET holder = 'copied',
               beat_at = (SELECT value::bigint FROM meta WHERE name = 'recorded_time') WHERE node = 0`,
          );
          return carried;
        }),
      finish: async (id) => {
        await place.transaction(async () => {
          await putMeta(place, { copied_as: id });
          await place.run(`DELETE FROM meta WHERE name = 'arriving'`);
        });
        expectKnown((await findMeta(link, name)) ?? new Map(), name, environment);
      },
      close: place.close,
    };
  } catch (error) {
    place.close();
    throw error;
  }
}

async function expectEmpty({ name, run, tables }: PostgresPlace): Promise<void> {
  for (const table of await tables()) {
    if ((await run(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0) continue;
    throw new StoreUnusable(
      `there is a store at ${name} already, with rows of ${table}`,
      'name another schema (?schema=), or drop this one',
    );
  }
}
