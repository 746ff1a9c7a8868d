// Owns `npm run bench`: options, one run of the plan, output, and exit code.

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';

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
import { type NumberOption, readOptions, runCampaign } from './campaign_options.ts';

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

/** Bounds the length of a run, whatever the options say; 0 stands for the plan's own number. */
const upTo = (most: number): NumberOption => [0, (value) => value > 0 && value <= most];

/** The options; undefined after help or a usage error, with the exit code set. */
function readPlan(): Asked | undefined {
  const given = readOptions(
    usage,
    { rounds: upTo(100), seconds: upTo(30), nodes: upTo(8), logins: upTo(10_000_000) },
    ['only', 'server', 'profile'],
    ['quick', 'json', 'guard', 'observed', 'peers'],
  );
  if (given === undefined) return undefined;
  const { rounds, seconds, nodes, logins: fullStore, only, server, profile } = given;
  const { quick: isQuick = false, json = false, guard = false, observed, peers = false } = given;
  const usual = isQuick ? quick : careful;
  const base = guard ? guardPlan : usual;
  const plan = {
    ...base,
    workloads: base.workloads.filter(({ path }) => path === (only ?? path)),
    rounds: rounds || base.rounds,
    seconds: seconds || base.seconds,
    nodes: nodes || base.nodes,
    servers: serversOf(base, server, observed === true),
    ...(profile === undefined ? {} : { profileFolder: profile }),
  };
  const isLoginsToo = !guard && (only ?? loginsName) === loginsName;
  const baseLogins = isQuick ? quickLogins : carefulLogins;
  const logins = isLoginsToo ? { ...baseLogins, rounds: rounds || baseLogins.rounds } : undefined;
  if (plan.workloads.length === 0 && !isLoginsToo) {
    console.error(`no path is named ${only}\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
  return { plan, logins, json, peers, guard, fullStore };
}

function serversOf({ servers }: Plan, only: string | undefined, observed: boolean): ServerName[] {
  const isKept = (name: string): boolean => [only, 'bare', 'memory'].includes(name);
  const kept = only === undefined ? servers : servers.filter(isKept);
  return observed ? [...kept, 'observed'] : [...kept];
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

/** Measures and prints; false where the guard finds a request too expensive. */
async function bench(asked: Asked, folder: string): Promise<boolean> {
  const { logins, json, peers, guard, fullStore } = asked;
  const progress = json ? () => {} : (text: string) => process.stderr.write(text);
  if (fullStore > 0) {
    const found = await measureFullStore(fullStore, folder, progress);
    console.log(json ? JSON.stringify(found, null, 2) : formatFullStore(found));
    return true;
  }
  const plan = peers ? withPeer(asked.plan, join(folder, 'peer')) : asked.plan;
  const [load = 0] = loadavg();
  const measured = plan.workloads.length === 0 ? [] : await measure(plan, folder, progress);
  if (guard) {
    const verdicts = judge(measured);
    console.log(formatVerdicts(verdicts));
    return verdicts.every(({ isGood }) => isGood);
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
  return true;
}

const asked = readPlan();
if (asked !== undefined) await runCampaign('bench', (folder) => bench(asked, folder));
