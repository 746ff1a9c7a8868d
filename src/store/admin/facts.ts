// Owns the single values of a store, beside its rows.

import type { Instant } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Environment } from '../contract.ts';
import type { Life, Place, Recorded } from './place.ts';

export interface StoreFacts extends Life, Recorded {
  readonly environment: Environment;
  /** In ISO 8601. */
  readonly createdAt: string;
  /** By which another master key is noticed. */
  readonly keyCheck?: string;
}

/** The values of the table `meta`, by name. */
async function metaOf({ run }: Pick<Place, 'run'>): Promise<ReadonlyMap<string, string>> {
  return new Map((await run('SELECT name, value FROM meta')) as readonly [string, string][]);
}

export async function putMeta(
  { run }: Pick<Place, 'run'>,
  values: Readonly<Record<string, string | number>>,
): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await run(
      `INSERT INTO meta (name, value) VALUES (:name, :value)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      { name, value: String(value) },
    );
  }
}

export async function factsOf(place: Pick<Place, 'run' | 'life'>): Promise<StoreFacts> {
  const meta = await metaOf(place);
  const recorded = meta.get('recorded_time');
  return present({
    environment: meta.get('environment') as Environment,
    createdAt: meta.get('created_at') ?? '',
    recordedTime: recorded === undefined ? undefined : (Number(recorded) as Instant),
    keyCheck: meta.get('key_check'),
    ...(await place.life(meta)),
  });
}

/** Replaces the values; those that are not there stay what they are. */
export async function putFacts(
  place: Pick<Place, 'run' | 'putLife'>,
  { environment, createdAt, recordedTime, keyCheck, ...life }: StoreFacts,
): Promise<void> {
  await putMeta(
    place,
    present({
      environment,
      created_at: createdAt,
      recorded_time: recordedTime,
      key_check: keyCheck,
    }),
  );
  await place.putLife(life);
}
