// Owns the report on a PostgreSQL store: what its servers say, how many rows there are, and what a sample
// of them shows. Reading all pages is the business of PostgreSQL's own checks (pg_amcheck).

import { present } from '../../../lib/present.ts';
import type { StoreReport, VerifyOptions } from '../../care.ts';
import { type CarriedTable, everything, factsIn, type Row } from '../../carry/tables.ts';
import { type Item, type Kind, kindNames, kinds } from '../../kinds.ts';
import { keysOf } from '../../registrations.ts';
import { wholeness } from '../../sql/table.ts';
import { registered } from '../../sql/tables.ts';
import { oneDisk, replicasOf } from '../durability.ts';
import { metaOf } from './carried.ts';
import { type Session, type StoreAccess, withSession } from './session.ts';
import { openStanding } from './standing.ts';

/** @throws StoreUnusable where there is no store; Unavailable */
export async function verifyPostgres(
  access: StoreAccess,
  options: VerifyOptions = {},
): Promise<StoreReport> {
  return withSession(access, async (session) => {
    await openStanding(session);
    return examine(session, options);
  });
}

/** The report on a store, as of one moment. */
export function examine(session: Session, { keyCheck }: VerifyOptions): Promise<StoreReport> {
  return session.transaction(async () => {
    const meta = await metaOf(session);
    const { keyCheck: kept, ...facts } = factsIn((name) => meta.get(name));
    const counts: Record<string, number> = {};
    const damage: string[] = [];
    for (const table of everything) {
      const rows = await about(session, table.name);
      if (table.name === 'registered' && rows < most.counted) {
        Object.assign(counts, await countKinds(session));
      } else counts[table.name] = rows;
      const unfit = await countDamaged(session, table, rows);
      if (unfit > 0) damage.push(`rows do not fit their checksums: ${unfit} of ${table.name}`);
    }
    damage.push(...(await lostLookUps(session)));
    if (keyCheck !== undefined && kept !== undefined && keyCheck !== kept) {
      damage.push('the configured master key is not the one that the store was made with');
    }
    const { server, warnings } = await serverFacts(session);
    return present({
      path: session.name,
      size: Number(await session.one(sizeOf)),
      schema: Number(meta.get('schema')),
      ...facts,
      counts: Object.fromEntries(
        Object.entries(counts).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      ),
      damage,
      server,
      warnings,
    });
  });
}

const sizeOf = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`;

/** Rows. Tables that the planner takes for larger are not counted, but sampled. */
const most = { counted: 1_000_000, sampled: 20_000 } as const;

/** How many rows a table has; of a large one, what its last analysis says. */
async function about({ one }: Session, table: string): Promise<number> {
  const known = await one('SELECT reltuples::bigint FROM pg_class WHERE oid = $1::regclass', [
    table,
  ]);
  if (Number(known) >= most.counted) return Number(known);
  return Number(await one(`SELECT count(*) FROM ${table}`));
}

async function countKinds({ run }: Session): Promise<Readonly<Record<string, number>>> {
  const rows = await run('SELECT kind, count(*) FROM registered GROUP BY kind');
  const found = new Map(rows as readonly (readonly [string, number])[]);
  return Object.fromEntries(kindNames.map((kind) => [kind, found.get(kind) ?? 0]));
}

/** SQL of a table, or of as much of it as is looked at: whole pages from all over it. */
function sampleOf(table: string, rows: number): string {
  if (rows <= most.sampled) return table;
  return `${table} TABLESAMPLE SYSTEM (${(100 * most.sampled) / rows})`;
}

async function countDamaged(
  { run }: Session,
  { name, columns, isWhole }: CarriedTable,
  rows: number,
): Promise<number> {
  const found = await run(`SELECT ${columns.join(', ')} FROM ${sampleOf(name, rows)}`);
  return (found as readonly Row[]).filter((row) => !isWhole(row)).length;
}

/** Keys by which items are not found, and keys of items that are not there. */
async function lostLookUps(session: Session): Promise<readonly string[]> {
  const { run, one } = session;
  const sample = sampleOf('registered', await about(session, 'registered'));
  const columns = ['kind', 'programme', 'id', 'record', 'sum'];
  const isWhole = wholeness(registered, columns);
  const records = await run(`SELECT ${columns.join(', ')} FROM ${sample}`);
  const wanted = records.flatMap((row) => {
    // A damaged row is counted already; its record may be no JSON.
    if (!isWhole(row as Row)) return [];
    const [kind, programme, , record] = row;
    const item = JSON.parse(String(record)) as Item<Kind>;
    const id = kinds[kind as Kind].idOf(item as never);
    return keysOf(kind as Kind, item).map(({ lookUp, key }) => [kind, programme, lookUp, key, id]);
  });
  const keys = [0, 1, 2, 3, 4].map((index) => wanted.map((row) => row[index] ?? null));
  const lost = Number(
    await one(
      `SELECT count(*) FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
       AS wanted(kind, programme, name, key, id)
     WHERE NOT EXISTS (SELECT FROM look_up WHERE look_up.kind = wanted.kind
       AND look_up.programme = wanted.programme AND look_up.name = wanted.name
       AND look_up.key = wanted.key AND look_up.id = wanted.id)`,
      keys,
    ),
  );
  const orphaned = Number(
    await one(
      `SELECT count(*) FROM ${sampleOf('look_up', await about(session, 'look_up'))}
     WHERE NOT EXISTS (SELECT FROM registered WHERE registered.kind = look_up.kind
       AND registered.programme = look_up.programme AND registered.id = look_up.id)`,
    ),
  );
  return [
    ...(lost > 0 ? [`keys are missing in look_up: ${lost}`] : []),
    ...(orphaned > 0 ? [`keys of look_up lead to nothing: ${orphaned}`] : []),
  ];
}

interface ServerFacts {
  readonly server: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

const readServer = `SELECT current_setting('server_version'), current_setting('data_checksums'),
    current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
    (SELECT string_agg(application_name || ' ' || coalesce(sync_state, 'unknown'), ', ' ORDER BY application_name)
     FROM pg_stat_replication)`;

async function serverFacts(session: Session): Promise<ServerFacts> {
  const [row = []] = await session.run(readServer);
  const [version, checksums, commits, fsync, pages, standbys] = row.map(String);
  const replicas = await replicasOf(session.link);
  const offset = await clockOffset(session);
  const seconds = (offset / 1000).toFixed(3);
  const warnings = [
    ...(checksums === 'on' ? [] : ['data_checksums are off: damage on the disk goes unnoticed']),
    ...(fsync === 'on' && pages === 'on'
      ? []
      : ['fsync or full_page_writes is off: a power cut destroys it']),
    ...(replicas > 0 ? [] : [oneDisk]),
    ...(Math.abs(offset) <= allowedOffset
      ? []
      : [`the database's clock is ${seconds} s from this machine's`]),
  ];
  const server = {
    PostgreSQL: version ?? '',
    'cluster and timeline': `${session.cluster?.identifier} ${session.cluster?.timeline}`,
    'data checksums': checksums ?? '',
    synchronous_commit: commits ?? '',
    'standbys that commits wait for': String(replicas),
    'standbys connected': row[5] === null ? 'none' : (standbys ?? ''),
    "clock from this machine's": `${seconds} s`,
    'not read': 'pages and indices as a whole: pg_amcheck does',
  };
  return { server, warnings };
}

/** Milliseconds: beyond it the clocks are not kept by one time service. */
const allowedOffset = 1000;

/** Milliseconds by which the database's clock is ahead of this machine's, by the shortest of some rounds. */
async function clockOffset({ one }: Session): Promise<number> {
  let best = { round: Number.POSITIVE_INFINITY, offset: 0 };
  for (let n = 0; n < 5; n += 1) {
    const [sent, begun] = [Date.now(), performance.now()];
    const theirs = Number(await one('SELECT extract(epoch FROM clock_timestamp()) * 1000'));
    const round = performance.now() - begun;
    if (round < best.round) best = { round, offset: theirs - (sent + round / 2) };
  }
  return Math.round(best.offset);
}
