// Owns the metrics of a running server that are looked up when they are asked for: its programmes, keys,
// certificates, reloads and store.

import type { Config } from '../../config/config.ts';
import type { Parts } from '../../http/admin.ts';
import { type Family, processFamilies, type Sample } from '../../lib/metrics/families.ts';
import { newestBackup } from '../../store/backup_note.ts';
import { storeAt } from '../../store/open.ts';
import { type ProgrammeFigures, programmeFigures } from '../figures.ts';
import { healthOf, type HealthSources } from '../health.ts';
import { isComplete, type ReloadReport } from '../reload/report.ts';
import type { Certificate } from '../settings.ts';
import { version } from '../version.ts';

/** What is looked up for one answer. */
interface Figures {
  readonly parts: Parts;
  readonly programmes: readonly ProgrammeFigures[];
  readonly certificates: readonly Certificate[];
  readonly lastReload: ReloadReport;
  readonly drift: number;
  readonly storeBytes: number | undefined;
  /** Seconds since 1970; 0 where there is none. */
  readonly newestBackup: number | undefined;
}

interface ServerGauge {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly across?: 'min';
  readonly read: (figures: Figures) => readonly Sample[];
}

/** All metrics of this process. Those that a broken store cannot tell are left out. */
export async function serverFamilies(
  parts: HealthSources & { readonly config: Config },
): Promise<readonly Family[]> {
  const { reloader, settings, clock, config, store } = parts;
  const site = storeAt(config.store);
  const backup = async (): Promise<number | undefined> =>
    site.care && ((await newestBackup(store, clock.now())) ?? 0) / 1000;
  const figures: Figures = {
    parts: healthOf(parts),
    programmes: await programmeFigures(parts),
    certificates: settings.certificates(),
    lastReload: reloader.last,
    drift: clock.drift(),
    storeBytes: site.size?.(),
    newestBackup: await backup().catch(() => undefined),
  };
  return [...processFamilies(), ...familiesOf(figures)];
}

/** @param figures left out for the descriptions alone */
export function familiesOf(figures?: Figures): readonly Family[] {
  return serverGauges.map(({ read, ...description }) => ({
    ...description,
    type: 'gauge',
    samples: () => (figures === undefined ? [] : read(figures)),
  }));
}

/** What a server tells that has no store yet. */
export function startingFamilies(parts: Parts): readonly Family[] {
  const health = familiesOf().filter(({ name }) => name === 'jetway_health');
  const told = health.map((family) => ({ ...family, samples: () => healthSeries(parts) }));
  return [...processFamilies(), ...told];
}

function single(
  name: string,
  help: string,
  read: (figures: Figures) => number | undefined,
): ServerGauge {
  const samples = (figures: Figures): readonly Sample[] => {
    const value = read(figures);
    return value === undefined ? [] : [{ value }];
  };
  return { name, help, labels: [], read: samples };
}

function ofProgramme(
  name: string,
  help: string,
  read: (figures: ProgrammeFigures) => number | undefined,
): ServerGauge {
  const samples = ({ programmes }: Figures): readonly Sample[] =>
    programmes.flatMap((one) => {
      const value = read(one);
      return value === undefined ? [] : [{ labels: { programme: one.programme }, value }];
    });
  return { name, help, labels: ['programme'], read: samples };
}

const partValues = { ready: 1, degraded: 0.5, unready: 0 } as const;

export function healthSeries(parts: Parts): readonly Sample[] {
  return Object.entries(parts).map(([part, { status }]) => ({
    labels: { part },
    value: partValues[status],
  }));
}

const serverGauges: readonly ServerGauge[] = [
  {
    name: 'jetway_build_info',
    help: 'Always 1; what runs.',
    labels: ['version', 'node'],
    read: () => [{ labels: { version: version(), node: process.versions.node }, value: 1 }],
  },
  {
    name: 'jetway_health',
    help: 'How each part of the server is, as /readyz?verbose tells: 1 ready, 0.5 degraded, 0 unready.',
    labels: ['part'],
    read: ({ parts }) => healthSeries(parts),
  },
  ofProgramme(
    'jetway_programme_served',
    'Whether a programme is served, for each that is or has a file: 0 or 1.',
    ({ isServed }) => Number(isServed),
  ),
  ofProgramme(
    'jetway_programme_up_to_date',
    'Whether a programme is served as its file has it: 0 or 1.',
    ({ isUpToDate }) => Number(isUpToDate),
  ),
  ofProgramme(
    'jetway_programme_maintenance',
    'Whether a programme is in maintenance: 0 or 1.',
    ({ stored }) => stored && Number(stored.isInMaintenance),
  ),
  ofProgramme(
    'jetway_locked_accounts',
    'Usernames that are locked now.',
    ({ stored }) => stored?.locked,
  ),
  ofProgramme(
    'jetway_directory_left_alone',
    'Whether the member directory behind a hook failed so often that it is left alone: 0 or 1.',
    ({ isDirectoryLeftAlone }) =>
      isDirectoryLeftAlone === undefined ? undefined : Number(isDirectoryLeftAlone),
  ),
  {
    name: 'jetway_key_signs_since_timestamp_seconds',
    help: 'Since when the key in use signs; key is signing_key (JWTs), identity_key (identity tokens with keys of their own) or token_key (opaque tokens).',
    labels: ['programme', 'key'],
    read: ({ programmes }) =>
      programmes.flatMap(({ programme, stored }) =>
        (stored?.keys ?? []).flatMap(({ kind, state: { key, status } }) =>
          status === 'signing' && key.signsFrom !== undefined
            ? [{ labels: { programme, key: `${kind}_key` }, value: key.signsFrom / 1000 }]
            : [],
        ),
      ),
  },
  {
    name: 'jetway_certificate_end_timestamp_seconds',
    help: 'When a certificate of Jetway ends; use is listen, gateway, or directory with a programme.',
    labels: ['use', 'programme'],
    read: ({ certificates }) =>
      certificates.map(({ use, programme, end }) => ({
        labels: { use, programme },
        value: end / 1000,
      })),
  },
  single(
    'jetway_last_reload_successful',
    'Whether the last reload, or the start, took up all that it found: 0 or 1.',
    ({ lastReload }) => Number(isComplete(lastReload)),
  ),
  single(
    'jetway_last_reload_timestamp_seconds',
    'When files were taken up last.',
    ({ lastReload }) => lastReload.at / 1000,
  ),
  single(
    'jetway_store_bytes',
    "Size of the store's file with its log; absent where it is in memory.",
    ({ storeBytes }) => storeBytes,
  ),
  single(
    'jetway_newest_backup_timestamp_seconds',
    'When jetway store backup last made a backup of the store; 0 before the first, and after a restore.',
    ({ newestBackup: at }) => at,
  ),
  single(
    'jetway_clock_drift_seconds',
    "By how much the machine's clock is ahead of the service's.",
    ({ drift }) => drift / 1000,
  ),
];
