// Owns `npm run bench`: options, one run of the plan, output, and exit code.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { formatFullStore, measureFullStore } from './bench/full_store.ts';
import { formatVerdicts, guardPlan, judge } from './bench/guard.ts';
import {
  carefulLogins,
  formatLogins,
  type LoginPlan,
  measureLogins,
  quickLogins,
} from './bench/logins.ts';
import { measure } from './bench/measure.ts';
import { careful, pathNames, type Plan, quick, type ServerName } from './bench/plan.ts';
import { formatTable, summarise } from './bench/report.ts';

/** The measurement besides the workloads: token requests while members log in (FAULTS 22). */
const loginsName = 'logins';

const peer = 'oidc-provider@9.13.3';

const usage = `npm run bench -- [options]
  --quick           every path on every store once, in some seconds; numbers mean little
  --json            for programs
  --rounds N        measured rounds (${careful.rounds}); the table shows medians
  --seconds S       length of one measurement (${careful.seconds})
  --only NAME       one path: ${[...pathNames, loginsName].join(', ')}
  --guard           fails if a request costs much more CPU, beside the floor's, than expected
  --nodes N         processes on the PostgreSQL store (1)
  --server NAME     one server, beside bare and memory, instead of all
  --observed        the file store also with what serve tells of requests: log, audit stream and metrics
  --peers           beside oidc-provider, which is installed from the registry for this run
  --logins N        only this: refreshes in a file store of N logins
  --profile FOLDER  writes a CPU profile of each server and workload there (last round)
Exits 1 when any answer is wrong.`;

interface Asked {
  readonly plan: Plan;
  readonly logins: LoginPlan | undefined;
  readonly json: boolean;
  readonly peers: boolean;
  readonly guard: boolean;
  /** The logins of a full store, and nothing else is measured; 0 for none. */
  readonly fullStore: number;
}

/** The options; undefined after help or a usage error, with the exit code set. */
function readPlan(): Asked | undefined {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        only: { type: 'string' },
        logins: { type: 'string' },
        nodes: { type: 'string' },
        server: { type: 'string' },
        guard: { type: 'boolean', default: false },
        observed: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
        profile: { type: 'string' },
      },
    });
    if (values.help) {
      console.log(usage);
      return undefined;
    }
    const usual = values.quick ? quick : careful;
    const base = values.guard ? guardPlan : usual;
    const plan = {
      ...base,
      workloads: base.workloads.filter(({ path }) => path === (values.only ?? path)),
      rounds: bounded(values.rounds, base.rounds, 100),
      seconds: bounded(values.seconds, base.seconds, 30),
      nodes: bounded(values.nodes, base.nodes, 8),
      servers: serversOf(base, values.server, values.observed),
      ...(values.profile === undefined ? {} : { profileFolder: values.profile }),
    };
    const isLoginsToo = !values.guard && (values.only ?? loginsName) === loginsName;
    const baseLogins = values.quick ? quickLogins : carefulLogins;
    const logins = { ...baseLogins, rounds: bounded(values.rounds, baseLogins.rounds, 100) };
    if (plan.workloads.length === 0 && !isLoginsToo) {
      throw new Error(`no path is named ${values.only}`);
    }
    const { json, peers, guard } = values;
    const fullStore = bounded(values.logins, 0, 10_000_000);
    return { plan, logins: isLoginsToo ? logins : undefined, json, peers, guard, fullStore };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
}

function serversOf({ servers }: Plan, only: string | undefined, observed: boolean): ServerName[] {
  const isKept = (name: string): boolean => [only, 'bare', 'memory'].includes(name);
  const kept = only === undefined ? servers : servers.filter(isKept);
  return observed ? [...kept, 'observed'] : [...kept];
}

/** Bounds the length of a run, whatever the options say. */
function bounded(text: string | undefined, otherwise: number, most: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (value > 0 && value <= most) return value;
  throw new Error(`expected a number up to ${most} instead of ${text}`);
}

/** Adds oidc-provider to a plan; without the registry the plan stays as it is. */
function withPeer(plan: Plan, peerFolder: string): Plan {
  mkdirSync(peerFolder);
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', peer];
  const { status, stderr } = spawnSync('npm', args, { cwd: peerFolder, encoding: 'utf8' });
  if (status === 0) return { ...plan, peerFolder, servers: [...plan.servers, 'oidc-provider'] };
  process.stderr.write(`without oidc-provider, which cannot be installed: ${stderr}\n`);
  return plan;
}

async function bench({ plan: asked, logins, json, peers, guard, fullStore }: Asked): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'jetway-bench-'));
  const discard = (): void => rmSync(folder, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      discard();
      process.exit(1);
    });
  }
  try {
    const progress = json ? () => {} : (text: string) => process.stderr.write(text);
    if (fullStore > 0) {
      const found = await measureFullStore(fullStore, folder, progress);
      console.log(json ? JSON.stringify(found, null, 2) : formatFullStore(found));
      return;
    }
    const plan = peers ? withPeer(asked, join(folder, 'peer')) : asked;
    const [load = 0] = loadavg();
    const measured = plan.workloads.length === 0 ? [] : await measure(plan, folder, progress);
    if (guard) {
      const verdicts = judge(measured);
      console.log(formatVerdicts(verdicts));
      if (!verdicts.every(({ isGood }) => isGood)) process.exitCode = 1;
      return;
    }
    const summary = summarise(plan, measured, folder, load);
    if (logins !== undefined) progress('logins\n');
    const beside =
      logins === undefined ? undefined : await measureLogins(logins, join(folder, loginsName));
    if (json) console.log(JSON.stringify({ ...summary, logins: beside ?? null }, null, 2));
    else {
      if (measured.length > 0) console.log(formatTable(summary));
      if (beside !== undefined) console.log(`\n${formatLogins(beside)}`);
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  } finally {
    discard();
  }
}

const asked = readPlan();
if (asked !== undefined) await bench(asked);
