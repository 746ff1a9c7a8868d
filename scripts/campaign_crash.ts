// Owns `npm run campaign:crash`: kills stores at random and finds losses (FAULTS 1, 2, 8, 9, 26).

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { fileCare } from '../src/store/sqlite/care.ts';
import { openToRead, verifyFile } from '../src/store/sqlite/file/read.ts';
import { openFileStore } from '../src/store/sqlite/store.ts';
import { isWhole, runCampaign } from './campaign.ts';
import { type Ask, faultOf, type Line, type Step } from './crash/steps.ts';

/** Kills on one file before a fresh one: what was acknowledged first has to survive them all. */
const killsPerFile = 10;
const callers = 32;
/** Every so many kills a backup is made under load first. */
const killsPerBackup = 3;
/** Milliseconds that a start may take (FAULTS 1). */
const longestStart = 2000;

/** A step with its outcomes; without outcomes it was interrupted, and may have happened or not. */
interface Told {
  readonly step: Step;
  outcomes?: readonly string[];
}

/** One file with what its workers have told, and the sums of all files. */
interface Scene {
  readonly path: string;
  readonly told: Told[];
  readonly tally: Tally;
}

interface Tally {
  kills: number;
  backups: number;
  acknowledged: number;
  cutOff: number;
  slowestStart: number;
  readonly faults: string[];
}

interface Worker {
  readonly child: ChildProcess;
  /** Resolves when it works, or has ended before it did. */
  readonly ready: Promise<void>;
  /** Resolves once all it has told is heard. */
  readonly ended: Promise<unknown>;
}

function start({ path, told, tally }: Scene, lanes: number): Worker {
  const script = fileURLToPath(import.meta.resolve('./crash/worker.ts'));
  const child = spawn(process.execPath, [script, path, String(lanes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = once(lines, 'close');
  const pending = new Map<string, Told>();
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (text) => {
      const line = parse(text);
      if (line === undefined) return;
      if ('ready' in line) {
        tally.slowestStart = Math.max(tally.slowestStart, line.ready);
        resolve();
      } else if ('step' in line) {
        const one: Told = { step: line.step };
        pending.set(line.lane, one);
        told.push(one);
      } else Object.assign(pending.get(line.lane) ?? {}, { outcomes: line.outcomes });
    });
    lines.on('close', resolve);
  });
  child.on('exit', (code) => {
    if (code !== null) tally.faults.push(`a worker ended by itself, with code ${code}`);
  });
  return { child, ready, ended };
}

/** The last line may have been cut off by the kill: then it acknowledges nothing. */
function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

/** Lets one or two processes work on the file and kills them. */
async function kill(scene: Scene, isFresh: boolean): Promise<void> {
  const { kills } = scene.tally;
  const count = (kills % 2) + 1;
  const workers = Array.from({ length: count }, () => start(scene, callers / count));
  // Now and then while they open the file, which is when they mend what the last kill left; and a
  // fresh file always, which they make.
  const backsUp = kills % killsPerBackup === killsPerBackup - 1;
  if (isFresh || (!backsUp && Math.random() < 0.1)) await sleep(Math.random() * 250);
  else {
    await Promise.all(workers.map(({ ready }) => ready));
    await sleep(20 + Math.random() * 600);
    if (backsUp) await backUp(scene);
  }
  for (const { child } of workers) child.kill('SIGKILL');
  await Promise.all(workers.map(({ ended }) => ended));
  scene.tally.kills += 1;
}

/** What was acknowledged before a backup began is in it, whatever goes on meanwhile. */
async function backUp({ path, told, tally }: Scene): Promise<void> {
  const target = `${path}.backup`;
  const acknowledged = told.filter(isAcknowledged);
  await fileCare(path).backup(target, { overwrite: true });
  tally.backups += 1;
  const database = openToRead(target);
  const faults = [...(await verifyFile(target)).damage, ...faultsOf(database, acknowledged)];
  database.close();
  tally.faults.push(...faults.map((fault) => `in a backup: ${fault}`));
}

function isAcknowledged({ outcomes }: Told): boolean {
  return outcomes !== undefined;
}

/** Differences of a file from what was told, and half-done steps, in words. */
function faultsOf(database: DatabaseSync, all: readonly Told[]): string[] {
  const prepared = new Map<string, StatementSync>();
  const ask: Ask = (sql, ...values) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement.get(...values);
  };
  return all.flatMap((told) => {
    const fault = faultOf(ask, told.step, told.outcomes);
    return fault === undefined ? [] : [`${fault}: ${JSON.stringify(told)}`];
  });
}

/** Looks for what is wrong with the file, from step `first` on. */
async function inspect({ path, told, tally }: Scene, first: number): Promise<void> {
  const before = performance.now();
  await openFileStore({ path, environment: 'staging' }).close();
  tally.slowestStart = Math.max(tally.slowestStart, performance.now() - before);
  const database = openToRead(path);
  tally.faults.push(...(await verifyFile(path)).damage, ...faultsOf(database, told.slice(first)));
  database.close();
}

async function killAll(count: number, folder: string, progress: () => void): Promise<Tally> {
  const tally: Tally = {
    kills: 0,
    backups: 0,
    acknowledged: 0,
    cutOff: 0,
    slowestStart: 0,
    faults: [],
  };
  for (let file = 0; tally.kills < count && tally.faults.length === 0; file += 1) {
    const scene: Scene = { path: join(folder, `${file}.db`), told: [], tally };
    const { told } = scene;
    for (let round = 0; round < killsPerFile && tally.kills < count; round += 1) {
      const first = told.length;
      await kill(scene, round === 0);
      await inspect(scene, first);
      progress();
    }
    await inspect(scene, 0);
    const acknowledged = told.filter(isAcknowledged).length;
    tally.acknowledged += acknowledged;
    tally.cutOff += told.length - acknowledged;
    if (tally.faults.length > 0) break;
    for (const name of globSync(`${file}.db*`, { cwd: folder })) rmSync(join(folder, name));
  }
  return tally;
}

await runCampaign(
  {
    command: 'campaign:crash',
    options: { count: ['N', 'kills', 200, isWhole] },
    fails: 'when anything acknowledged is lost, half done or undone, or a start takes two seconds',
    keepsFolder: true,
    isOfMoments: true,
  },
  async ({ count }, { folder, progress }) => {
    const tally = await killAll(count, folder, () => progress('.'));
    const { kills, backups, acknowledged, cutOff, faults } = tally;
    const slowest = Math.round(tally.slowestStart);
    return {
      text: `\n${kills} kills, ${backups} backups, ${acknowledged} steps acknowledged, ${cutOff} cut off, slowest start ${slowest} ms`,
      faults,
      late: slowest > longestStart ? [`a start took ${slowest} ms`] : [],
    };
  },
);
