// Tests of declared metrics and of the text that Prometheus reads.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { expose } from '../../../src/lib/metrics/exposition.ts';
import { counters, gauge, histograms, processFamilies } from '../../../src/lib/metrics/families.ts';

const requests = counters('a_requests_total', 'Requests\nof "all" \\ kinds.', 'kind', 'way');
const times = histograms('a_time_seconds', 'Times.', [0.1, 1])();
gauge('a_gauge', 'A gauge.', () => Number.POSITIVE_INFINITY);

test('a series is one, however often it is asked for', () => {
  requests({ kind: 'a"b\\c\nd', way: 'x' }).add();
  requests({ way: 'x', kind: 'a"b\\c\nd' }).add(2);
  requests({ way: 'y' }).add();
  for (const value of [0.05, 0.1, 0.5, 2, 3]) times.observe(value);
  const own = processFamilies().filter(({ name }) => name.startsWith('a_'));
  const samples = String.raw`a_requests_total{kind="a\"b\\c\nd",way="x"} 3
a_requests_total{way="y"} 1
# HELP a_time_seconds Times.
# TYPE a_time_seconds histogram
a_time_seconds_bucket{le="0.1"} 2
a_time_seconds_bucket{le="1"} 3
a_time_seconds_bucket{le="+Inf"} 5
a_time_seconds_sum 5.65
a_time_seconds_count 5
# HELP a_gauge A gauge.
# TYPE a_gauge gauge
a_gauge +Inf
`;
  const help = String.raw`Requests\nof "all" \\ kinds.`;
  const text = `# HELP a_requests_total ${help}\n# TYPE a_requests_total counter\n${samples}`;
  assert.equal(expose(own, 'text'), text);
  const open = `# HELP a_requests ${help}\n# TYPE a_requests counter\n${samples}# EOF\n`;
  assert.equal(expose(own, 'openmetrics'), open);
});
