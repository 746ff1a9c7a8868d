// Owns `npm run bench`: its options, one run of the plan, and what it prints.

import { statfsSync } from 'node:fs';
import { cpus } from 'node:os';

import { serverNames } from './bench/contestants.ts';
import { formatGrowth, grow } from './bench/growth.ts';
import { formatVerdict, guardPlan, judge } from './bench/guard.ts';
import { careful, measure, paths, type Plan } from './bench/measure.ts';
import { formatRows, rowsOf } from './bench/report.ts';
import { runCampaign } from './campaign.ts';

/** Bounds the length of a run, whatever the options say; 0 stands for the plan's own number. */
const upTo = (most: number) => [0, (value: number) => value > 0 && value <= most] as const;

/** `statfs` type of tmpfs. */
const tmpfs = 0x0102_1994;

await runCampaign(
  {
    command: 'bench',
    numbers: {
      rounds: ['N', `measured rounds (${careful.rounds}); the table shows medians`, ...upTo(100)],
      seconds: ['S', `length of one measurement (${careful.seconds})`, ...upTo(30)],
      growth: ['N', 'only makes N logins in a store, and tells its bytes by table', ...upTo(1e8)],
    },
    texts: {
      only: ['NAME', `one path: ${paths.join(', ')}`],
      server: [
        'NAMES',
        `servers beside the bare one (${careful.servers.join()}), also postgres-2, postgres-3`,
      ],
    },
    flags: {
      unspent: 'with --growth: leaves the codes unspent',
      guard: "fails if a request costs much more CPU, beside the bare server's, than expected",
    },
    fails: 'when any answer is wrong',
  },
  async ({ rounds, seconds, growth, unspent, only, server, guard }, { folder, progress }) => {
    const base = guard === true ? guardPlan : careful;
    const named = server?.split(',') ?? base.servers;
    const servers = serverNames
      .filter((name) => name !== 'bare')
      .filter((name) => named.includes(name));
    if (growth > 0) {
      const name = servers[0] === 'postgres' ? 'postgres' : 'file';
      const grown = await grow(name, growth, unspent !== true, folder);
      return { figures: grown, text: formatGrowth(grown), faults: [] };
    }
    const plan: Plan = {
      ...base,
      paths: base.paths.filter((path) => path === (only ?? path)),
      servers,
      rounds: rounds || base.rounds,
      seconds: seconds || base.seconds,
    };
    if (plan.paths.length === 0) throw new Error(`no path is named ${only}`);
    const measured = await measure(plan, folder, progress);
    if (guard === true) {
      const verdicts = judge(measured);
      const late = verdicts.filter(({ isGood }) => !isGood).map(formatVerdict);
      return {
        figures: { verdicts },
        text: verdicts.map(formatVerdict).join('\n'),
        faults: [],
        late,
      };
    }
    const rows = rowsOf(measured);
    const machine = `node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, medians of ${plan.rounds} rounds of ${plan.seconds} s`;
    const isInMemory = statfsSync(folder).type === tmpfs;
    const warning = `warning: ${folder} is in memory, where fsync is free: set TMPDIR to a folder on a disk`;
    const text = [machine, ...(isInMemory ? [warning] : []), formatRows(rows)].join('\n');
    return { figures: { machine, isInMemory, rows }, text, faults: [] };
  },
);
