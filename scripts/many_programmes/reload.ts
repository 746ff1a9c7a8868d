// Owns the measurement of a reload of one programme among many: processor time of the request thread, in
// all and of the longest slice between which requests are answered.

import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { systemClock } from '../../src/lib/clock.ts';
import { ProgrammeFolder } from '../../src/server/programmes/folder.ts';
import { candidatesOf, planServing } from '../../src/server/programmes/plan.ts';
import { Programmes } from '../../src/server/programmes/programmes.ts';
import { openMemoryStore } from '../../src/store/sqlite/store.ts';
import { createKeyring } from '../../src/token/keyring.ts';
import { median } from '../figures.ts';
import type { Site } from './site.ts';

/** Milliseconds of the thread's processor time; medians of several reloads. */
export interface ReloadFigures {
  readonly total: number;
  readonly longestSlice: number;
}

const publicUrl = 'http://127.0.0.1';
/** The first ones find code that is not compiled yet. */
const warmUps = 5;

export async function measureReload(site: Site, rounds: number): Promise<ReloadFigures> {
  const folder = new ProgrammeFolder(join(dirname(site.configFile), 'programmes'));
  const programmes = new Programmes({
    store: openMemoryStore(),
    clock: systemClock(),
    keyring: createKeyring(new Uint8Array(32)),
    log: { error: (event) => console.error(event) },
    environment: 'staging',
  });
  const reload = async (): Promise<void> => {
    const looks = await folder.read();
    const candidates = await candidatesOf(looks, programmes.served, publicUrl);
    await programmes.take(
      await planServing(candidates, programmes.served, openMemoryStore(), { looks }),
    );
  };
  await reload();
  const figures: ReloadFigures[] = [];
  for (let round = -warmUps; round < rounds; round += 1) {
    const { id } = site.programmes[(round + warmUps) % site.programmes.length] ?? { id: '' };
    appendFileSync(join(folder.path, `${id}.yaml`), `# ${round}\n`);
    const measured = await inSlices(reload);
    if (round >= 0) figures.push(measured);
  }
  const middle = (key: keyof ReloadFigures): number => median(figures.map((one) => one[key]));
  return { total: middle('total'), longestSlice: middle('longestSlice') };
}

/** Looks at the thread's clock each time that work gives way. */
async function inSlices(work: () => Promise<void>): Promise<ReloadFigures> {
  let isOver = false;
  const begun = threadTime();
  let last = begun;
  let longestSlice = 0;
  const look = (): void => {
    const now = threadTime();
    longestSlice = Math.max(longestSlice, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  look();
  return { total: last - begun, longestSlice };
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
