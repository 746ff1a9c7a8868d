// Owns the page of metrics, made of their declarations.

import { type Description, processFamilies } from '../../src/lib/metrics/families.ts';
import { familiesOf } from '../../src/server/metrics/server.ts';

const head = `# Metrics

What \`/metrics\` of the operators' listener (\`admin\`) tells, in Prometheus' text or, where it is asked for, as OpenMetrics. [README.md](README.md) has the dashboard and the alerts. A histogram has \`_bucket\`, \`_sum\` and \`_count\`; times are in seconds, sizes in bytes. \`npm run reference\` writes this page.

No label holds a client, a member, an address or anything else that a caller sent: \`programme\` is the name of a file, and all other labels have closed lists of values. A label without a value is left out: \`grant\` of a request that is no token request, or failed before it was known.

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
  const rows = describedMetrics().map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  );
  return `${head}| metric | type | labels | tells |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}
