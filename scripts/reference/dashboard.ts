// Owns the dashboard for Grafana, made of a row of dashboard.yaml for each panel. A query there names its metrics
// alone: that it is of the chosen instances and programmes follows from the labels of each.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { describedMetrics } from './metrics.ts';

type Panel = readonly [
  width: number,
  unit: string,
  lines: Readonly<Record<string, string>>,
  look?: keyof typeof looks,
];

const last = { reduceOptions: { calcs: ['lastNotNull'] } } as const;

/** What a panel is besides a curve. */
const looks = {
  value: { type: 'stat', options: { ...last, textMode: 'value' } },
  name: { type: 'stat', options: { ...last, textMode: 'name' } },
  heatmap: { type: 'heatmap', options: { calculate: false, yAxis: { unit: 's' } } },
  /** The last value by name, on a ground of the colour that its value has. */
  parts: {
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
    options: { ...last, textMode: 'value_and_name', colorMode: 'background' },
  },
} as const satisfies Readonly<Record<string, Look>>;

interface Look {
  readonly type: string;
  readonly mappings?: readonly object[];
  readonly options?: object;
}

const curve: Look = { type: 'timeseries' };
const columns = 24;
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

/** What a query is short for: the sum of rates, or a quantile of a histogram. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/^p(\d\d) (\w+)(\S*) by (.*)$/, 'histogram_quantile(0.$1, sum by (le, $4) (rate($2_bucket$3)))'],
  [/^p(\d\d) (\w+)(.*)$/, 'histogram_quantile(0.$1, sum by (le) (rate($2_bucket$3)))'],
  [/^rate (.*) by (.*)$/, 'sum by ($2) (rate($1))'],
];

/**
 * The query as Prometheus reads it.
 * @throws Error where a metric is none of Jetway's
 */
function queryOf(text: string): string {
  const [shape, written] = shapes.find(([short]) => short.test(text)) ?? [/^/, ''];
  const chosen = text
    .replace(shape, written)
    .replace('0.50', '0.5')
    .replaceAll(
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

/** Panels from left to right, as many in a line as there is room for. */
function laidOut(): readonly object[] {
  const text = readFileSync(join(import.meta.dirname, 'dashboard.yaml'), 'utf8');
  const sections = parse(text) as Readonly<Record<string, readonly Record<string, Panel>[]>>;
  const made: object[] = [];
  let [x, y, height] = [0, 0, 0];
  const place = (w: number, h: number): object => {
    if (x + w > columns) [x, y] = [0, y + height];
    const gridPos = { h, w, x, y };
    [x, height] = [x + w, h];
    return gridPos;
  };
  for (const [title, panels] of Object.entries(sections)) {
    const gridPos = place(columns, 1);
    made.push({ id: made.length + 1, type: 'row', title, collapsed: false, gridPos, panels: [] });
    for (const [name, row] of panels.flatMap((one) => Object.entries(one))) {
      const [width, unit, lines, kind] = row;
      const look: Look = kind === undefined ? curve : looks[kind];
      const { type, mappings, options } = look;
      made.push({
        id: made.length + 1,
        type,
        title: name,
        datasource,
        gridPos: place(width, type === 'stat' ? 4 : 8),
        fieldConfig: { defaults: { unit, ...(mappings && { mappings }) }, overrides: [] },
        targets: Object.entries(lines).map(([legendFormat, query], index) => ({
          refId: 'ABC'.charAt(index),
          datasource,
          expr: queryOf(query),
          legendFormat,
          ...(type === 'heatmap' && { format: 'heatmap' }),
        })),
        ...(options && { options }),
      });
    }
  }
  return made;
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
