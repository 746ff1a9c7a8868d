// Owns a store file as a place that commands care for.

import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

import { instant } from '../../../lib/clock.ts';
import { present } from '../../../lib/present.ts';
import type { Era } from '../../../oauth/grant.ts';
import { acceptedIn } from '../../accepted_time.ts';
import { putMeta } from '../../admin/facts.ts';
import { chunkRows, numbered, numberOf, type Place, type Row } from '../../admin/place.ts';
import { firstEra } from '../../judgement.ts';
import { prepare } from '../driver.ts';
import { schemaVersion } from '../schema.ts';
import { currentTime } from '../time.ts';
import { fileDamage } from './check.ts';

/** `database` has the file at `path` open, which messages name it by. */
export function filePlace(database: DatabaseSync, path: string, name: string = path): Place {
  const selected = (text: string) => {
    const select = database.prepare(text);
    select.setReturnArrays(true);
    return select;
  };
  const run: Place['run'] = async (text, values = {}) => {
    const asked = numbered(text, values, '?');
    return selected(asked.text).all(...asked.values) as unknown as readonly Row[];
  };
  const place: Place = {
    name,
    now: async ({ recordedTime, recordedUptime } = {}) =>
      currentTime(recordedTime, recordedUptime) ?? instant(Date.now()),
    schema: schemaVersion,
    run,
    async *chunks(text) {
      let chunk: Row[] = [];
      for (const row of selected(text).iterate() as unknown as Iterable<Row>) {
        chunk.push(row);
        if (chunk.length < chunkRows) continue;
        yield chunk;
        chunk = [];
      }
      if (chunk.length > 0) yield chunk;
    },
    write: async (asked, rows) => {
      const prepared = prepare(database, asked);
      for (const row of rows) prepared.run(row);
    },
    missing: async (asked, questions) => {
      const { get } = prepare(database, asked);
      return questions.filter((one) => get(one) === undefined).length;
    },
    transaction: async (body) => {
      database.exec('BEGIN');
      try {
        const result = await body();
        database.exec('COMMIT');
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    },
    life: async (meta) => {
      const number = (key: string): number | undefined =>
        meta.has(key) ? Number(meta.get(key)) : undefined;
      const [era, time] = [number('accepted_era'), number('accepted_time')];
      return present({
        era: (number('era') ?? firstEra) as Era,
        forgottenSince: number('forgotten_since') as never,
        accepted: acceptedIn(era, time, number('forgotten_until')),
        recordedUptime: meta.get('recorded_uptime'),
      });
    },
    putLife: ({ era, forgottenSince, accepted, recordedUptime }) =>
      putMeta(
        place,
        present({
          era,
          forgotten_since: forgottenSince,
          accepted_era: accepted?.era,
          accepted_time: accepted?.time,
          forgotten_until: accepted?.forgotten,
          recorded_uptime: recordedUptime,
        }),
      ),
    tables: async () => {
      const found = await run(`SELECT name FROM sqlite_schema WHERE type = 'table'`);
      return found.map(([table]) => String(table)).filter((table) => table !== 'meta');
    },
    count: async (table) => ({
      rows: await numberOf(place, `SELECT count(*) FROM ${table}`),
      isExact: true,
    }),
    sample: (table) => table,
    size: async () => statSync(path).size,
    ownDamage: async () => fileDamage(database),
  };
  return place;
}
