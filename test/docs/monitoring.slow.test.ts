// Owns the check that the dashboard and the alerts name only what a real Prometheus finds at a real Jetway.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';

import { toPlain } from '../../src/lib/document.ts';
import { parseYaml } from '../../src/lib/yaml/yaml.ts';
import {
  configText,
  jetwayJson,
  programmeText,
  putSecret,
  root,
  workFolder,
} from '../cli/command.ts';
import { askClientTokens, type ServerProcess, startServer } from '../cli/server.ts';
import { createAuthority } from '../support/certificates.ts';
import { openLogin, submitLogin } from '../support/login.ts';
import { scratchFolder } from '../support/scratch.ts';
import { without } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { ask } from '../support/wire.ts';
import { namesIn, shownLabels } from './promql.ts';

const folder = join(root, 'docs/monitoring');
const rulesPath = join(folder, 'jetway-alerts.yaml');
const run = promisify(execFile);

/** A query, and the labels of its result that are shown. */
interface Query {
  readonly where: string;
  readonly text: string;
  readonly shown: readonly string[];
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

function readAlerts(): readonly Alert[] {
  const { root: document } = parseYaml('alerts', readFileSync(rulesPath, 'utf8'));
  assert.ok(document !== undefined);
  const { groups } = toPlain(document) as { groups: readonly { rules: readonly Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

/** As Grafana asks them. */
function dashboardQueries(): readonly Query[] {
  const text = readFileSync(join(folder, 'jetway-dashboard.json'), 'utf8');
  const { panels, templating } = JSON.parse(text) as Dashboard;
  const ofPanels = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: title,
      text: expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, '.*'),
      shown: shownLabels(legendFormat),
    })),
  );
  const ofVariables = templating.list.flatMap(({ query }) => {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
    if (metric === undefined || label === undefined) return [];
    return [{ where: query, text: metric, shown: [label] }];
  });
  return [...ofPanels, ...ofVariables];
}

function alertQueries(): readonly Query[] {
  return readAlerts().map(({ alert, expr, annotations }) => ({
    where: alert,
    text: expr,
    shown: shownLabels(annotations.summary),
  }));
}

test(
  'the rules hold: one instance with every trouble has every alert, the other none',
  { skip: without('prometheus') },
  async () => {
    const { stdout } = await run('promtool', ['check', 'rules', rulesPath]);
    const count = readAlerts().length;
    assert.match(stdout, new RegExp(`SUCCESS: ${count} rules found`));
    const cases = join(import.meta.dirname, 'alert_cases.yaml');
    await run('promtool', ['test', 'rules', cases]);
    const tried = readFileSync(cases, 'utf8').match(/alertname: \w+\n +exp_alerts:\n/g);
    assert.equal(new Set(tried).size, count);
  },
);

test(
  'each alert tells one event, a burst after a start and a quiet day from trouble',
  { skip: without('prometheus') },
  async () => {
    await run('promtool', ['test', 'rules', join(import.meta.dirname, 'alert_moments.yaml')]);
  },
);

test('every alert says what it means and what to do', () => {
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  const headings = Array.from(page.matchAll(/^### Alert (\w+)$/gm), ([, name]) => name);
  const alerts = readAlerts();
  assert.deepEqual(
    headings,
    alerts.map(({ alert }) => alert),
  );
  for (const { alert, annotations } of alerts) {
    assert.equal(annotations.runbook, `docs/monitoring/README.md#alert-${alert.toLowerCase()}`);
    assert.match(page, new RegExp(`### Alert ${alert}\n\n\\*\\w+\\.\\* .+\n\nWhat to do: .+`));
  }
});

interface Series {
  readonly data: readonly Readonly<Record<string, string>>[];
}

/** A Prometheus that asks Jetway each second, and goes by the rules; where it listens. */
async function startPrometheus(t: TestContext, admin: string): Promise<string> {
  const place = scratchFolder(t, 'prometheus');
  const config = join(place, 'prometheus.yml');
  const target = new URL(admin).host;
  writeFileSync(
    config,
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ["${rulesPath}"]
scrape_configs: [{ job_name: jetway, static_configs: [{ targets: ["${target}"] }] }]
`,
  );
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(place, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
  ];
  const child = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
  });
  let log = '';
  child.stderr.on('data', (part: Buffer) => (log += part.toString()));
  const address = (): string | undefined => /msg="Listening on" address=(\S+)/.exec(log)?.[1];
  await until(
    () => address() !== undefined || child.exitCode !== null,
    () => log,
  );
  assert.equal(child.exitCode, null, log);
  const url = `http://${address() ?? ''}`;
  await until(async () => (await ask(url, '/-/ready')).status === 200);
  return url;
}

/** A server with all that has metrics: a hook that is away, certificates, failures of every kind. */
async function startSite(t: TestContext): Promise<ServerProcess> {
  const { certificate, key } = createAuthority('Jetway').issue('IP:127.0.0.1', 90);
  const tls = '{ certificate_file: own.pem, key_file: own.key }';
  const hook =
    'members: { directory: http, url: "https://127.0.0.1:9", certificate_file: ../own.pem, key_file: ../own.key }\n';
  const signing = 'tokens: { access: { format: jwt, lifetime: 30m } }\n';
  const folder = workFolder(t, {
    'config.yaml': `${configText}admin: 127.0.0.1:0\ngateway: 127.0.0.1:0\ngateway_tls: ${tls}\n`,
    'own.pem': certificate,
    'programmes/hooked.yaml': programmeText('Hooked', `${hook}${signing}`),
  });
  putSecret(folder, 'own.key', key);
  const server = await startServer(t, folder);
  const add = async (programme: string): Promise<{ client_id: string; client_secret: string }> =>
    (await jetwayJson(folder, [
      ...['client', 'add', '--programme', programme, '--name', 'Partner', '--role', 'member'],
      ...['--role', 'partner', '--redirect-uri', 'https://partner.example/callback'],
    ])) as { client_id: string; client_secret: string };
  const [own, hooked] = [await add('club'), await add('hooked')];
  await askClientTokens(server.url, own.client_id, own.client_secret);
  await askClientTokens(server.url, own.client_id, 'wrong');
  for (const [path, client] of [
    ['club', own],
    ['hooked', hooked],
  ] as const) {
    const query = new URLSearchParams({ client_id: client.client_id, response_type: 'code' });
    const login = await openLogin(server.url, `/${path}/auth/login?${query.toString()}`);
    await submitLogin(server.url, login, { username: 'ann', password: 'wrong' });
  }
  return server;
}

interface Series {
  readonly data: readonly Readonly<Record<string, string>>[];
}

interface Rules {
  readonly data: {
    readonly groups: readonly { readonly rules: readonly { readonly health: string }[] }[];
  };
}

/** Looks for what queries name at a Prometheus. */
function finder(prometheus: string): {
  readonly get: (path: string) => Promise<unknown>;
  readonly faultsOf: (query: Query) => Promise<readonly string[]>;
} {
  const known = new Map<string, ReadonlySet<string>>();
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await ask(prometheus, path);
    assert.equal(status, 200, `${path}: ${body}`);
    return JSON.parse(body);
  };
  const labelsOf = async (metric: string): Promise<ReadonlySet<string>> => {
    const found = known.get(metric);
    if (found !== undefined) return found;
    const { data } = (await get(`/api/v1/series?match[]=${metric}`)) as Series;
    const labels = new Set(data.flatMap((one) => Object.keys(one)));
    known.set(metric, labels);
    return labels;
  };
  const faultsOf = async ({ where, text, shown }: Query): Promise<readonly string[]> => {
    const { metrics, grouped } = namesIn(text);
    const faults: string[] = [];
    const all = new Set<string>();
    for (const [metric, matched] of metrics) {
      const labels = await labelsOf(metric);
      if (labels.size === 0) faults.push(`${where}: there is no ${metric}`);
      for (const label of labels) all.add(label);
      for (const label of matched) {
        if (!labels.has(label)) faults.push(`${where}: ${metric} has no ${label}`);
      }
    }
    const left = grouped.length > 0 ? new Set(grouped) : all;
    for (const label of grouped) if (!all.has(label)) faults.push(`${where}: nothing has ${label}`);
    for (const label of shown) if (!left.has(label)) faults.push(`${where}: ${label} is not left`);
    return faults;
  };
  return { get, faultsOf };
}

test(
  'every query of dashboard and alerts names what a Prometheus finds at a server',
  { skip: without('prometheus', 'openssl') },
  async (t) => {
    const { admin } = await startSite(t);
    const { get, faultsOf } = finder(await startPrometheus(t, admin));
    await until(async () => {
      const { data } = (await get('/api/v1/series?match[]=jetway_build_info')) as Series;
      return data.length > 0;
    });
    const queries = [...dashboardQueries(), ...alertQueries()];
    assert.ok(queries.length > 70, `${queries.length} queries`);
    for (const query of queries) {
      assert.deepEqual(await faultsOf(query), []);
      await get(`/api/v1/query?query=${encodeURIComponent(query.text)}`);
    }
    const planted = {
      where: 'planted',
      text: 'sum by (instance, member) (rate(jetway_request_total{client="x"}[1m])) / jetway_connections{kind!="x"}',
      shown: ['programme'],
    };
    assert.deepEqual(await faultsOf(planted), [
      'planted: there is no jetway_request_total',
      'planted: jetway_request_total has no client',
      'planted: jetway_connections has no kind',
      'planted: nothing has member',
      'planted: programme is not left',
    ]);
    await until(async () => {
      const { groups } = ((await get('/api/v1/rules')) as Rules).data;
      const rules = groups.flatMap((group) => group.rules);
      return rules.length > 0 && rules.every(({ health }) => health === 'ok');
    }, 'the rules could not be asked');
    const { body } = await ask(admin, '/metrics');
    const path = join(scratchFolder(t, 'metrics'), 'metrics.txt');
    writeFileSync(path, body);
    await run('sh', ['-c', `promtool check metrics < ${path}`]);
  },
);
