// Owns the dashboard for Grafana, made of a row for each panel. A query names its metrics alone: that it is
// of the chosen instances and programmes follows from the labels of each.

import { describedMetrics } from './metrics.ts';

interface Panel {
  readonly title: string;
  /** Of 24 columns. */
  readonly width: number;
  /** One of Grafana's. */
  readonly unit: string;
  /** Queries by the legend of their lines. */
  readonly lines: Readonly<Record<string, string>>;
  readonly look: Look;
}

interface Look {
  readonly type: 'timeseries' | 'stat' | 'heatmap';
  readonly mappings?: readonly object[];
  readonly options?: object;
}

const curve: Look = { type: 'timeseries' };
const heatmap: Look = {
  type: 'heatmap',
  options: { calculate: false, yAxis: { unit: 's' } },
};

function stat(textMode: 'value' | 'name'): Look {
  return { type: 'stat', options: { reduceOptions: { calcs: ['lastNotNull'] }, textMode } };
}

/** The last value by name, on a ground of the colour that its value has. */
const parts: Look = {
  type: 'stat',
  mappings: [
    {
      type: 'value',
      options: {
        '1': { text: 'ready', color: 'green' },
        '0.5': { text: 'degraded', color: 'orange' },
        '0': { text: 'unready', color: 'red' },
      },
    },
  ],
  options: {
    reduceOptions: { calcs: ['lastNotNull'] },
    textMode: 'value_and_name',
    colorMode: 'background',
  },
};

function panel(
  title: string,
  width: number,
  unit: string,
  lines: Panel['lines'],
  look: Look = curve,
): Panel {
  return { title, width, unit, lines, look };
}

function rateBy(labels: string, metric: string): string {
  return `sum by (${labels}) (rate(${metric}))`;
}

/** Of a histogram; `labels` besides its buckets'. */
function quantile(share: number, metric: string, labels?: string): string {
  const buckets = metric.replace(/^\w+/, '$&_bucket');
  const by = labels === undefined ? 'le' : `le, ${labels}`;
  return `histogram_quantile(${share}, ${rateBy(by, buckets)})`;
}

/** The panels by their headings. `{}` behind a metric: of all programmes, whichever are chosen. */
const sections: Readonly<Record<string, readonly Panel[]>> = {
  Now: [
    panel('Health of each part', 6, 'none', { '{{part}}': 'jetway_health' }, parts),
    panel(
      'Programmes not served',
      3,
      'short',
      { 'not served': 'sum(jetway_programme_served{} == bool 0)' },
      stat('value'),
    ),
    panel(
      'Programmes not as in their files',
      3,
      'short',
      { stale: 'sum(jetway_programme_up_to_date{} == bool 0)' },
      stat('value'),
    ),
    panel(
      'Last reload',
      3,
      'dateTimeFromNow',
      { '{{instance}}': 'jetway_last_reload_timestamp_seconds * 1000' },
      stat('value'),
    ),
    panel(
      'Last reload took up all',
      2,
      'short',
      { '{{instance}}': 'jetway_last_reload_successful' },
      stat('value'),
    ),
    panel(
      'Newest backup',
      3,
      'dateTimeFromNow',
      { 'newest backup': 'max(jetway_newest_backup_timestamp_seconds) * 1000' },
      stat('value'),
    ),
    panel('Version', 2, 'none', { '{{version}}': 'jetway_build_info' }, stat('name')),
    panel(
      'Started',
      2,
      'dateTimeFromNow',
      { '{{instance}}': 'process_start_time_seconds * 1000' },
      stat('value'),
    ),
  ],
  Requests: [
    panel('Requests by endpoint', 8, 'reqps', {
      '{{endpoint}}': rateBy('endpoint', 'jetway_requests_total'),
    }),
    panel('Requests by programme', 8, 'reqps', {
      '{{programme}}': rateBy('programme', 'jetway_requests_total'),
    }),
    panel('Tokens by grant', 8, 'reqps', {
      '{{grant}}': rateBy('grant', 'jetway_requests_total{endpoint="token", status="200"}'),
    }),
    panel('Failures by reason', 12, 'reqps', {
      '{{reason}}': rateBy('reason', 'jetway_request_failures_total'),
    }),
    panel('Answers by status', 12, 'reqps', {
      '{{status}}': rateBy('status', 'jetway_requests_total'),
    }),
    panel('Time of token requests', 8, 's', {
      p50: quantile(0.5, 'jetway_request_duration_seconds{endpoint="token"}'),
      p95: quantile(0.95, 'jetway_request_duration_seconds{endpoint="token"}'),
      p99: quantile(0.99, 'jetway_request_duration_seconds{endpoint="token"}'),
    }),
    panel('Time by endpoint (p99)', 8, 's', {
      '{{endpoint}}': quantile(0.99, 'jetway_request_duration_seconds', 'endpoint'),
    }),
    panel(
      'Time of token requests',
      8,
      's',
      {
        '{{le}}':
          'sum by (le) (increase(jetway_request_duration_seconds_bucket{endpoint="token"}))',
      },
      heatmap,
    ),
  ],
  Load: [
    panel('Waiting requests', 8, 'short', { '{{kind}}': 'sum by (kind) (jetway_queued_requests)' }),
    panel('Wait for a turn (p99)', 8, 's', {
      '{{kind}}': quantile(0.99, 'jetway_queue_wait_seconds', 'kind'),
    }),
    panel('Refused by overload', 8, 'reqps', {
      '{{kind}}': rateBy('kind', 'jetway_overload_refusals_total'),
    }),
    panel('Connections', 8, 'short', {
      'open {{instance}}': 'jetway_connections',
      'limit {{instance}}': 'jetway_connections_limit',
    }),
    panel('Connections refused', 8, 'cps', {
      '{{instance}}': 'rate(jetway_connections_refused_total)',
    }),
    panel('Throttled requests', 8, 'short', {
      '{{programme}}': rateBy('programme', 'jetway_request_failures_total{reason="throttled"}'),
    }),
  ],
  Logins: [
    panel('Wrong passwords', 8, 'reqps', {
      '{{programme}}': rateBy(
        'programme',
        'jetway_request_failures_total{endpoint="login_page", reason="not_recognised"}',
      ),
    }),
    panel('Locked accounts', 8, 'short', {
      '{{programme}}': 'sum by (programme) (jetway_locked_accounts)',
    }),
    panel('Wrong client secrets', 8, 'reqps', {
      '{{programme}}': rateBy(
        'programme',
        'jetway_request_failures_total{reason="client_authentication_failed"}',
      ),
    }),
    panel('Passwords to be hashed', 6, 'short', { '{{instance}}': 'jetway_hash_queue_length' }),
    panel('Hashing', 6, 's', {
      'wait p99': quantile(0.99, 'jetway_hash_wait_seconds'),
      'hash p99': quantile(0.99, 'jetway_hash_duration_seconds'),
    }),
    panel('Logins refused for hashing', 6, 'reqps', {
      '{{instance}}': 'rate(jetway_hash_refusals_total)',
    }),
    panel('Directories left alone', 6, 'short', {
      '{{programme}}': 'max by (programme) (jetway_directory_left_alone)',
    }),
    panel('Questions to directories', 12, 'reqps', {
      '{{programme}} {{outcome}}': rateBy('programme, outcome', 'jetway_directory_calls_total'),
    }),
    panel('Answers of directories (p99)', 12, 's', {
      '{{programme}} {{question}}': quantile(
        0.99,
        'jetway_directory_call_duration_seconds',
        'programme, question',
      ),
    }),
  ],
  Store: [
    panel('Commits', 6, 'ops', {
      'commits {{instance}}': 'rate(jetway_store_commit_duration_seconds_count)',
      'failed {{instance}}': 'rate(jetway_store_commit_failures_total)',
    }),
    panel('Time of a commit', 6, 's', {
      p50: quantile(0.5, 'jetway_store_commit_duration_seconds'),
      p99: quantile(0.99, 'jetway_store_commit_duration_seconds'),
    }),
    panel('Changes to a commit', 6, 'short', {
      '{{instance}}':
        'rate(jetway_store_commit_changes_sum) / rate(jetway_store_commit_changes_count)',
    }),
    panel('Size', 6, 'bytes', { '{{instance}}': 'jetway_store_bytes' }),
  ],
  'Keys and certificates': [
    panel('Age of keys in use', 8, 's', {
      '{{programme}} {{key}}': 'time() - jetway_key_signs_since_timestamp_seconds',
    }),
    panel('Certificates: time left', 8, 's', {
      '{{use}} {{programme}}': 'jetway_certificate_end_timestamp_seconds{} - time()',
    }),
    panel('Maintenance', 4, 'short', {
      '{{programme}}': 'max by (programme) (jetway_programme_maintenance)',
    }),
    panel('Clock ahead', 4, 's', { '{{instance}}': 'jetway_clock_drift_seconds' }),
  ],
  Process: [
    panel('Processor', 6, 'percentunit', {
      'all {{instance}}': 'rate(process_cpu_seconds_total)',
      'event loop {{instance}}': 'rate(nodejs_eventloop_active_seconds_total)',
    }),
    panel('Event loop lag', 6, 's', {
      'p99 {{instance}}': 'nodejs_eventloop_lag_p99_seconds',
      'longest {{instance}}': 'nodejs_eventloop_lag_max_seconds',
    }),
    panel('Memory', 6, 'bytes', {
      'resident {{instance}}': 'process_resident_memory_bytes',
      '{{area}} {{instance}}': 'nodejs_memory_bytes',
    }),
    panel('Garbage collection', 6, 'percentunit', {
      '{{kind}}': rateBy('kind', 'nodejs_gc_duration_seconds_sum'),
    }),
    panel('Open files', 6, 'short', { '{{instance}}': 'process_open_fds' }),
    panel('Log lines left out', 6, 'cps', {
      '{{instance}}': 'rate(jetway_log_lines_left_out_total)',
    }),
  ],
};

const datasource = { type: 'prometheus', uid: '${datasource}' } as const;

/** A choice of label values; all of them at first. */
function choice(name: string, metric: string): object {
  return {
    name,
    type: 'query',
    datasource,
    query: `label_values(${metric}, ${name})`,
    refresh: 2,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  };
}

const labelsOf: ReadonlyMap<string, readonly string[]> = new Map(
  describedMetrics().flatMap(({ name, type, labels }) => {
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    return names.map((suffix) => [`${name}${suffix}`, labels] as const);
  }),
);

/**
 * The query as Prometheus reads it.
 * @throws Error where a metric is none of Jetway's
 */
function queryOf(text: string): string {
  const chosen = text.replaceAll(
    /\b((?:jetway|nodejs|process)_\w+)(?:\{([^}]*)\})?/g,
    (_, name: string, own?: string) => {
      const labels = labelsOf.get(name);
      if (labels === undefined) throw new Error(`there is no metric ${name}`);
      const isOfProgramme = labels.includes('programme') && own !== '';
      const tests = [
        'instance=~"$instance"',
        ...(isOfProgramme ? ['programme=~"$programme"'] : []),
        ...(own ? [own] : []),
      ];
      return `${name}{${tests.join(', ')}}`;
    },
  );
  return chosen.replaceAll(/\b(?:rate|increase)\([^()]+/g, '$&[$__rate_interval]');
}

const columns = 24;

/** Panels from left to right, as many in a line as there is room for. */
function laidOut(): readonly object[] {
  const made: object[] = [];
  let [x, y, height] = [0, 0, 0];
  const place = (w: number, h: number): object => {
    if (x + w > columns) [x, y] = [0, y + height];
    const gridPos = { h, w, x, y };
    [x, height] = [x + w, h];
    return gridPos;
  };
  for (const [title, panels] of Object.entries(sections)) {
    const heading = {
      type: 'row',
      title,
      collapsed: false,
      gridPos: place(columns, 1),
      panels: [],
    };
    made.push({ id: made.length + 1, ...heading });
    for (const one of panels) {
      const gridPos = place(one.width, one.look.type === 'stat' ? 4 : 8);
      made.push({ id: made.length + 1, ...panelOf(one, gridPos) });
    }
  }
  return made;
}

function panelOf({ title, unit, lines, look }: Panel, gridPos: object): object {
  const { type, mappings, options } = look;
  return {
    type,
    title,
    datasource,
    gridPos,
    fieldConfig: { defaults: { unit, ...(mappings && { mappings }) }, overrides: [] },
    targets: Object.entries(lines).map(([legendFormat, text], index) => ({
      refId: 'ABC'.charAt(index),
      datasource,
      expr: queryOf(text),
      legendFormat,
      ...(type === 'heatmap' && { format: 'heatmap' }),
    })),
    ...(options && { options }),
  };
}

export function dashboard(): string {
  const made = {
    title: 'Jetway',
    uid: 'jetway',
    tags: ['jetway'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        choice('instance', 'jetway_build_info'),
        choice('programme', 'jetway_programme_served'),
      ],
    },
    panels: laidOut(),
  };
  return `${JSON.stringify(made, undefined, 2)}\n`;
}
