// Owns the metrics of the process: processor, memory, descriptors, garbage collection and the event loop,
// under the names that Prometheus' own libraries use.

import { readdirSync } from 'node:fs';
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

import { gauge, histograms, reading } from '../../lib/metrics/families.ts';

const kinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};
const collections = histograms(
  'nodejs_gc_duration_seconds',
  'Time of garbage collections; kind is minor, major, incremental or weakcb.',
  [0.001, 0.01, 0.1, 1],
  'kind',
);
for (const kind of Object.values(kinds)) collections({ kind });

/** Milliseconds between looks at the event loop. */
const resolution = 20;
/** Milliseconds after which a lag is forgotten, or twice as long: longer than between two scrapes. */
const lagTime = 60_000;

interface Lag {
  readonly p99: number;
  readonly max: number;
}

const lags = monitorEventLoopDelay({ resolution });
let formerLag: Lag = { p99: 0, max: 0 };

/** In seconds. What is measured is the time between two looks. */
function lagNow(): Lag {
  const beyond = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolution / 1e3);
  if (lags.count === 0) return { p99: 0, max: 0 };
  return { p99: beyond(lags.percentile(99)), max: beyond(lags.max) };
}

/** Of `gc`, which Node's types leave to each kind of entry. */
type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** Watches the process from now on. */
export function watchProcess(): void {
  lags.enable();
  setInterval(() => {
    formerLag = lagNow();
    lags.reset();
  }, lagTime).unref();
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as CollectionEntry;
      const kind = kinds[detail.kind];
      if (kind !== undefined) collections({ kind }).observe(duration / 1000);
    }
  }).observe({ entryTypes: ['gc'] });
}

gauge(
  'nodejs_eventloop_lag_p99_seconds',
  'What 99 of 100 turns of the event loop waited at most, of the last one to two minutes.',
  () => Math.max(formerLag.p99, lagNow().p99),
);
gauge(
  'nodejs_eventloop_lag_max_seconds',
  'The longest wait of a turn of the event loop, of the last one to two minutes.',
  () => Math.max(formerLag.max, lagNow().max),
);
reading(
  {
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Time that the event loop was busy.',
    type: 'counter',
    labels: [],
  },
  () => [{ value: performance.eventLoopUtilization().active / 1000 }],
);
reading(
  {
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, its hashing threads included.',
    type: 'counter',
    labels: [],
  },
  () => {
    const { user, system } = process.cpuUsage();
    return [{ value: (user + system) / 1e6 }];
  },
);
const startTime = performance.timeOrigin / 1000;
gauge('process_start_time_seconds', 'When the process was started.', () => startTime, 'min');
gauge(
  'process_resident_memory_bytes',
  'Memory that the process has.',
  () => process.memoryUsage.rss(),
  'sum',
);
reading(
  {
    name: 'nodejs_memory_bytes',
    help: "Memory of JavaScript; area is heap_used, heap_total, external or array_buffers, of which external is more than the latter's.",
    type: 'gauge',
    across: 'sum',
    labels: ['area'],
  },
  () => {
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    const areas = {
      heap_used: heapUsed,
      heap_total: heapTotal,
      external,
      array_buffers: arrayBuffers,
    };
    return Object.entries(areas).map(([area, value]) => ({ labels: { area }, value }));
  },
);
reading(
  {
    name: 'process_open_fds',
    help: 'Open files and connections.',
    type: 'gauge',
    across: 'sum',
    labels: [],
  },
  () => {
    try {
      return [{ value: readdirSync('/proc/self/fd').length }];
    } catch {
      // Not Linux, or none is left.
      return [];
    }
  },
);
