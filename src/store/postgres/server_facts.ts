// Owns what the servers of a PostgreSQL store tell of themselves, and what is to be mended at them.

import { numberOf, type Place, type ServerFacts } from '../admin/place.ts';
import { oneDisk, replicasOf } from './durability.ts';
import type { Link } from './link/link.ts';
import type { Cluster } from './link/primary.ts';

/** The place that is told of, over its connection. */
interface Told extends Pick<Place, 'run'> {
  readonly link: Pick<Link, 'run'>;
  readonly cluster: Cluster | undefined;
}

const readServer = `SELECT current_setting('server_version'), current_setting('data_checksums'),
    current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
    (SELECT string_agg(application_name || ' ' || coalesce(sync_state, 'unknown'), ', ' ORDER BY application_name)
     FROM pg_stat_replication)`;

export async function serverFacts(place: Told): Promise<ServerFacts> {
  const [row = []] = await place.run(readServer);
  const [version, checksums, commits, fsync, pages, standbys] = row.map(String);
  const replicas = await replicasOf(place.link);
  const offset = await clockOffset(place);
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
    'cluster and timeline': `${place.cluster?.identifier} ${place.cluster?.timeline}`,
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
async function clockOffset(place: Pick<Place, 'run'>): Promise<number> {
  let best = { round: Number.POSITIVE_INFINITY, offset: 0 };
  for (let n = 0; n < 5; n += 1) {
    const [sent, begun] = [Date.now(), performance.now()];
    const theirs = await numberOf(place, 'SELECT extract(epoch FROM clock_timestamp()) * 1000');
    const round = performance.now() - begun;
    if (round < best.round) best = { round, offset: theirs - (sent + round / 2) };
  }
  return Math.round(best.offset);
}
