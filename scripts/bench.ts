// Owns `npm run bench`: its options, one run of the plan, and what it prints.

import { statfsSync } from 'node:fs';
import { cpus } from 'node:os';

import { formatGrowth, grow } from './bench/growth.ts';
import { guardPlan, judge } from './bench/guard.ts';
import { careful, measure, paths, type Plan } from './bench/measure.ts';
import { tableOfAll } from './bench/report.ts';
import { runCampaign } from './campaign.ts';

/** Bounds the length of a run, whatever the options say; 0 stands for the plan's own number. */
const upTo = (most: number) => [0, (value: number) => value > 0 && value <= most] as const;

/** `statfs` type of tmpfs. */
const tmpfs = 0x0102_1994;

await runCampaign(
  {
    command: 'bench',
    options: {
      rounds: ['N', `measured rounds (${careful.rounds}); the table shows medians`, ...upTo(100)],
      seconds: ['S', `length of one measurement (${careful.seconds})`, ...upTo(30)],
      only: ['NAME', `one path: ${paths.join(', ')}`],
      server: ['NAME', `one server beside the bare one: ${careful.servers.join(', ')}`],
      nodes: ['N', 'servers on the database of postgres (1), which share the load', ...upTo(8)],
      growth: ['N', 'only makes N logins in a store, and tells its bytes by table', ...upTo(1e8)],
      unspent: 'with --growth: leaves the codes unspent',
      guard: "fails if a request costs much more CPU, beside the bare server's, than expected",
    },
    fails: 'when any answer is wrong',
  },
  async (options, { folder, progress }) => {
    const { rounds, seconds, only, server, nodes, growth, unspent, guard } = options;
    if (growth > 0) {
      const name = server === 'postgres' ? server : 'file';
      return { text: formatGrowth(await grow(name, growth, !unspent, folder)), faults: [] };
    }
    const base = guard ? guardPlan : careful;
    const plan: Plan = {
      ...base,
      paths: base.paths.filter((path) => path === (only ?? path)),
      servers: base.servers.filter((name) => name === (server ?? name)),
      rounds: rounds || base.rounds,
      seconds: seconds || base.seconds,
      nodes: nodes || base.nodes,
    };
    if (plan.paths.length === 0) throw new Error(`no path is named ${only}`);
    const measured = await measure(plan, folder, progress);
    if (guard) return judge(measured);
    const machine = `node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, medians of ${plan.rounds} rounds of ${plan.seconds} s`;
    const isInMemory = statfsSync(folder).type === tmpfs;
    const warning = `warning: ${folder} is in memory, where fsync is free: set TMPDIR to a folder on a disk`;
    const text = [machine, ...(isInMemory ? [warning] : []), tableOfAll(measured)].join('\n');
    return { text, faults: [] };
  },
);
