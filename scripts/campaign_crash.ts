// Owns `npm run campaign:crash`: kills stores at random and finds losses (FAULTS 1, 2, 8, 9, 26).

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { fileCare } from '../src/store/sqlite/care.ts';
import { openToRead, verifyFile } from '../src/store/sqlite/file/read.ts';
import { openFileStore } from '../src/store/sqlite/store.ts';
import { type Findings, isWhole, runCampaign } from './campaign.ts';
import { Model } from './crash/model.ts';
import type { Line } from './crash/steps.ts';

/** Kills on one file before a fresh one: what was acknowledged first has to survive them all. */
const killsPerFile = 10;
const callers = 32;
/** Every so many kills a backup is made under load first. */
const killsPerBackup = 3;
/** Milliseconds that a start may take (FAULTS 1). */
const longestStart = 2000;

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

function start(path: string, lanes: number, model: Model, tally: Tally): Worker {
  const script = fileURLToPath(import.meta.resolve('./crash/worker.ts'));
  const child = spawn(process.execPath, [script, path, String(lanes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const ended = once(lines, 'close');
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (text) => {
      const line = parse(text);
      if (line === undefined) return;
      if ('ready' in line) {
        tally.slowestStart = Math.max(tally.slowestStart, line.ready);
        resolve();
      }
      model.hear(line);
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
async function kill(path: string, model: Model, tally: Tally, isFresh: boolean): Promise<void> {
  const count = tally.kills % 2 === 0 ? 1 : 2;
  const workers = Array.from({ length: count }, () => start(path, callers / count, model, tally));
  // Now and then while they open the file, which is when they mend what the last kill left; and a
  // fresh file always, which they make.
  const backsUp = tally.kills % killsPerBackup === killsPerBackup - 1;
  if (isFresh || (!backsUp && Math.random() < 0.1)) await sleep(Math.random() * 250);
  else {
    await Promise.all(workers.map(({ ready }) => ready));
    await sleep(20 + Math.random() * 600);
    if (backsUp) await backUp(path, model, tally);
  }
  for (const { child } of workers) child.kill('SIGKILL');
  await Promise.all(workers.map(({ ended }) => ended));
  tally.kills += 1;
}

/** What was acknowledged before a backup began is in it, whatever goes on meanwhile. */
async function backUp(path: string, model: Model, tally: Tally): Promise<void> {
  const target = `${path}.backup`;
  const compare = model.remember();
  await fileCare(path).backup(target, { overwrite: true });
  tally.backups += 1;
  const database = openToRead(target);
  try {
    const faults = [...(await verifyFile(target)).damage, ...compare(database)];
    tally.faults.push(...faults.map((fault) => `in a backup: ${fault}`));
  } finally {
    database.close();
  }
}

/** What is wrong with the file, seen from step `first` on. */
async function inspect(path: string, model: Model, tally: Tally, first: number): Promise<string[]> {
  const before = performance.now();
  await openFileStore({ path, environment: 'staging' }).close();
  const took = performance.now() - before;
  tally.slowestStart = Math.max(tally.slowestStart, took);
  const database = openToRead(path);
  try {
    return [...(await verifyFile(path)).damage, ...model.compare(database, first)];
  } finally {
    database.close();
  }
}

async function campaign(count: number, folder: string, progress: () => void): Promise<Tally> {
  const tally: Tally = {
    kills: 0,
    backups: 0,
    acknowledged: 0,
    cutOff: 0,
    slowestStart: 0,
    faults: [],
  };
  for (let file = 0; tally.kills < count && tally.faults.length === 0; file += 1) {
    const path = join(folder, `${file}.db`);
    const model = new Model();
    for (let round = 0; round < killsPerFile && tally.kills < count; round += 1) {
      const first = model.length;
      await kill(path, model, tally, round === 0);
      tally.faults.push(...(await inspect(path, model, tally, first)));
      progress();
    }
    tally.faults.push(...(await inspect(path, model, tally, 0)));
    tally.acknowledged += model.told.acknowledged;
    tally.cutOff += model.told.cutOff;
    if (tally.faults.length === 0)
      for (const name of readdirSync(folder)) {
        if (name.startsWith(`${file}.db`)) rmSync(join(folder, name));
      }
  }
  return tally;
}

function findingsOf({ faults, ...sums }: Tally): Findings {
  const { kills, backups, acknowledged, cutOff } = sums;
  const slowestStart = Math.round(sums.slowestStart);
  return {
    figures: { ...sums, slowestStart },
    text: `\n${kills} kills, ${backups} backups, ${acknowledged} steps acknowledged, ${cutOff} cut off, slowest start ${slowestStart} ms`,
    faults,
    late: slowestStart > longestStart ? [`a start took ${slowestStart} ms`] : [],
  };
}

await runCampaign(
  {
    command: 'campaign:crash',
    numbers: { count: ['N', 'kills', 200, isWhole] },
    fails: 'when anything acknowledged is lost, half done or undone, or a start takes two seconds',
    keepsFolder: true,
    isOfMoments: true,
  },
  async ({ count }, { folder, progress }) =>
    findingsOf(await campaign(count, folder, () => progress('.'))),
);
