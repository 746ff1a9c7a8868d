// Owns `npm run bench`: its options, one run of the plan, and what it prints.

import { statfsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { formatVerdict, guardPlan, judge } from './bench/guard.ts';
import { carefulLogins, formatLogins, measureLogins, quickLogins } from './bench/logins.ts';
import { careful, measure, paths, type Plan, quick } from './bench/measure.ts';
import { formatRows, rowsOf } from './bench/report.ts';
import { type NumberOption, runCampaign } from './campaign.ts';

/** The measurement besides the paths: token requests while members log in (FAULTS 22). */
const logins = 'logins';

const usage = `npm run bench -- [options]
  --quick       every path on every store once, in some seconds; numbers mean little
  --rounds N    measured rounds (${careful.rounds}); the table shows medians
  --seconds S   length of one measurement (${careful.seconds})
  --only NAME   one path: ${[...paths, logins].join(', ')}
  --server NAME one store beside the bare server: ${careful.servers.join(', ')}
  --guard       fails if a request costs much more CPU, beside the bare server's, than expected
  --json        for programs
Exits 1 when any answer is wrong.`;

/** Bounds the length of a run, whatever the options say; 0 stands for the plan's own number. */
const upTo = (most: number): NumberOption => [0, (value) => value > 0 && value <= most];

/** `statfs` type of tmpfs. */
const tmpfs = 0x0102_1994;

await runCampaign(
  {
    name: 'bench',
    usage,
    numbers: { rounds: upTo(100), seconds: upTo(30) },
    texts: ['only', 'server'],
    flags: ['quick', 'guard'],
  },
  async ({ rounds, seconds, only, server, ...flags }, { folder, progress }) => {
    const usual = flags.quick === true ? quick : careful;
    const base = flags.guard === true ? guardPlan : usual;
    const plan: Plan = {
      ...base,
      paths: base.paths.filter((path) => path === (only ?? path)),
      servers: base.servers.filter((name) => name === (server ?? name)),
      rounds: rounds || base.rounds,
      seconds: seconds || base.seconds,
    };
    const measured = plan.paths.length === 0 ? [] : await measure(plan, folder, progress);
    if (flags.guard === true) {
      const verdicts = judge(measured);
      const late = verdicts.filter(({ isGood }) => !isGood).map(formatVerdict);
      return {
        figures: { verdicts },
        text: verdicts.map(formatVerdict).join('\n'),
        faults: [],
        late,
      };
    }
    const loginPlan = flags.quick === true ? quickLogins : carefulLogins;
    const isLoginsToo = (only ?? logins) === logins;
    if (plan.paths.length === 0 && !isLoginsToo) throw new Error(`no path is named ${only}`);
    const effect = isLoginsToo
      ? await measureLogins(
          { ...loginPlan, rounds: rounds || loginPlan.rounds },
          join(folder, logins),
        )
      : undefined;
    const rows = rowsOf(measured);
    const machine = `node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, medians of ${plan.rounds} rounds of ${plan.seconds} s`;
    const isInMemory = statfsSync(folder).type === tmpfs;
    const warning = `warning: ${folder} is in memory, where fsync is free: set TMPDIR to a folder on a disk`;
    const text = [
      machine,
      ...(isInMemory ? [warning] : []),
      ...(rows.length > 0 ? [formatRows(rows)] : []),
      ...(effect === undefined ? [] : [formatLogins(effect)]),
    ].join('\n');
    return { figures: { machine, isInMemory, rows, logins: effect ?? null }, text, faults: [] };
  },
);
