// Owns the verbs that ask a running server: `reload`, `status` and `healthcheck`.

import { formatChanges } from '../contract/diff/changes.ts';
import { servicePaths } from '../oauth/own_paths.ts';
import { byWhom } from '../server/audit/by_whom.ts';
import type { HealthView } from '../server/control.ts';
import { failed, misconfigured } from '../server/exit.ts';
import type { ReloadView, StatusView } from '../server/status.ts';
import { askAdmin, askServer } from './control_client.ts';
import type { GivenWithConfig } from './grammar/options.ts';
import type { healthcheckOptions, reloadOptions } from './grammar/rows.ts';
import { printResult, type VerbOptions } from './output.ts';
import { configOf } from './programmes.ts';
import { sheet, table } from './table.ts';

/** Ends with exit code 3 where something was not taken up, after telling what. */
export async function reload(options: GivenWithConfig<typeof reloadOptions>): Promise<void> {
  const { prune = false, dryRun = false } = options;
  const query = new URLSearchParams({
    ...(prune ? { prune: '' } : {}),
    ...(dryRun ? { dry_run: '' } : {}),
    by: JSON.stringify(byWhom()),
  });
  const view = (await askServer(
    configOf(options),
    'POST',
    `/reload?${query.toString()}`,
  )) as ReloadView;
  await printResult(options, view, reloadText(view, dryRun));
  // What is wrong is printed already.
  if (!view.complete) throw misconfigured('');
}

const outcomeTexts: Readonly<Record<ReloadView['programmes'][number]['outcome'], string>> = {
  unchanged: 'unchanged',
  added: 'new, and served',
  changed: 'changed, and served as the file has it now',
  removed: 'removed: its file is gone',
  refused: 'not taken up',
  kept: 'still served although its file is gone; --prune ends that',
};

const settingTexts = {
  changed: 'taken up',
  needs_restart: 'counts after a restart',
  refused: 'not taken up',
} as const;

function reloadText(
  { programmes, settings, faults, changes = [] }: ReloadView,
  dryRun: boolean,
): string {
  const news = programmes.filter(({ outcome }) => outcome !== 'unchanged');
  const lines = [
    ...faults,
    ...news.flatMap(({ programme, outcome, served, message, faults: own }) => [
      ...own,
      `${programme}: ${outcomeTexts[outcome]}${outcome === 'refused' ? refusal(served, message) : ''}`,
    ]),
    ...settings.map(
      ({ key, outcome, message }) =>
        `${key}: ${settingTexts[outcome]}${message === undefined ? '' : `: ${message}`}`,
    ),
  ];
  const rest = programmes.length - news.length;
  const last = `${rest} of ${programmes.length} programmes unchanged`;
  const contracts = changes.flatMap(({ programme, changes: all }) => [
    '',
    `${programme}, as its callers see it:`,
    formatChanges(all),
  ]);
  const head = dryRun ? ['Nothing is changed; a reload would do this:'] : [];
  return [...head, ...lines, last, ...contracts].join('\n');
}

function refusal(isServed: boolean, message: string | null): string {
  const state = isServed ? 'its last version is still served' : 'it is not served';
  return message === null ? `; ${state}` : `: ${message}; ${state}`;
}

export async function status(options: VerbOptions): Promise<void> {
  const view = (await askServer(configOf(options), 'GET', '/status')) as StatusView;
  await printResult(options, view, statusText(view));
}

function statusText(view: StatusView): string {
  const { listeners, health, store, nodes, last_reload: last } = view;
  const facts = sheet([
    ['version', [view.version]],
    ['process', [`${view.pid}, since ${view.started} (${view.uptime_seconds} s)`]],
    ...(view.workers === undefined ? [] : [['workers', view.workers.map(workerText)] as const]),
    ['environment', [view.environment]],
    ['listens', Object.entries(listeners).map(([name, url]) => `${url} (${name})`)],
    ['health', [health.status, ...health.reasons]],
    ['store', [`${store.name}: ${store.status}`]],
    ['servers', nodes.map(({ node, name, version }) => `${node}: ${name} (${version})`)],
    [
      'last reload',
      [`${last.at}: ${last.complete ? 'all taken up' : 'not all taken up'}`, ...last.faults],
    ],
  ]);
  const rows = view.programmes.map(
    ({ programme, file, sha256, since, keys, maintenance, locked_accounts }) => [
      programme,
      file ?? '-',
      sha256?.slice(0, 12) ?? '-',
      since,
      maintenance ? 'maintenance' : 'served',
      keys.flatMap(({ kid, status: state }) => (state === 'signing' ? [kid] : [])).join(', '),
      String(locked_accounts),
    ],
  );
  const files = ['PROGRAMME', 'FILE', 'SHA-256', 'SINCE', 'STATE'];
  const headings = [...files, 'KEYS IN USE', 'LOCKED'];
  return `${facts}\n\n${table(headings, rows)}`;
}

type WorkerView = NonNullable<StatusView['workers']>[number];

function workerText({ worker, pid, node, started, uptime_seconds: uptime }: WorkerView): string {
  return `${worker}: process ${pid}, node ${node}, since ${started} (${uptime} s)`;
}

/** Ends with exit code 1 unless the server takes requests, or with `live` unless it answers at all. */
export async function healthcheck(
  options: GivenWithConfig<typeof healthcheckOptions>,
): Promise<void> {
  const config = configOf(options);
  const { admin } = config;
  // Port 0 is any free one: which, the control socket's server alone knows.
  const isKnown = admin !== undefined && ('path' in admin || admin.port > 0);
  if (options.live === true) {
    const answer = isKnown
      ? ((await askAdmin(admin, servicePaths.live)) as { readonly status?: string })
      : await askServer(config, 'GET', '/health').then(() => ({ status: 'alive' }));
    const { status: life = 'unknown' } = answer;
    await printResult(options, answer, sheet([['health', [life]]]));
    if (life !== 'alive') throw failed('');
    return;
  }
  const asked = isKnown
    ? askAdmin(admin, `${servicePaths.ready}?verbose`)
    : askServer(config, 'GET', '/health');
  const view = (await asked) as Partial<HealthView>;
  // A server that begins answers before it knows of its parts.
  const { status: whole = 'unready', parts = {} } = view;
  const rows = Object.entries(parts).map(([name, { status: own, reasons }]): [string, string[]] => [
    name,
    [own, ...reasons],
  ]);
  await printResult(options, view, sheet([['health', [whole]], ...rows]));
  // Why is printed already. What answers need not be Jetway: another word says nothing (HOSTILE 75).
  if (whole !== 'ready' && whole !== 'degraded') throw failed('');
}
