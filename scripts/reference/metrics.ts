// Owns the pages of metrics and of the log's events, made of their declarations.

import { logEvents } from '../../src/engine/log_events.ts';
import { type Description, processFamilies } from '../../src/lib/metrics/families.ts';
import { code } from '../../src/schema/key_words.ts';
import { familiesOf } from '../../src/server/metrics/server.ts';
import { table } from './markdown.ts';

const metricsHead = `# Metrics

What \`/metrics\` of the operators' listener (\`admin\`) tells, in Prometheus' text or, where it is asked for, as OpenMetrics. [README.md](README.md) has the dashboard and the alerts. A histogram has \`_bucket\`, \`_sum\` and \`_count\`; times are in seconds, sizes in bytes. \`npm run reference\` writes this page.

No label holds a client, a member, an address or anything else that a caller sent: \`programme\` is the name of a file, and all other labels have closed lists of values. A label without a value is left out: \`grant\` of a request that is no token request, or failed before it was known.
`;

const eventsHead = `# Events of the log

Besides the lines of requests and logins, a running server writes these lines: as JSON, or for people (\`log.format\`). \`detail\` tells more in words, \`programme\` and \`request_id\` stand where an event is of one. A line of level \`error\` is worth a look; those of one kind that come too often are counted in \`lines_left_out\`. \`npm run reference\` writes this page.
`;

// Metrics are declared where they are counted: by all that a server loads.
await import('../../src/server/serve.ts');
const { workersGauge } = await import('../../src/server/workers/workers.ts');

/** Every metric that a running server has, by name. */
export function describedMetrics(): readonly Description[] {
  return [...processFamilies(), ...familiesOf(), workersGauge].toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  );
}

export function metricsPage(): string {
  const rows = describedMetrics().map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]);
  return `${metricsHead}\n${table(['metric', 'type', 'labels', 'tells'], rows)}\n`;
}

export function eventsPage(): string {
  const rows = Object.entries(logEvents)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { level, text }]) => [code(name), level, text]);
  return `${eventsHead}\n${table(['event', 'level', 'tells'], rows)}\n`;
}
