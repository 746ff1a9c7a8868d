// Owns a process that works on a store as a server does, until it is killed; ../campaign_crash.ts starts it.

import { writeSync } from 'node:fs';

import { randomKey } from '../../src/lib/random.ts';
import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import { type FileStore, openFileStore } from '../../src/store/sqlite/store.ts';
import { changes, type Line, offerOf, type Step, take } from './steps.ts';

const [path = '', lanes = '32'] = process.argv.slice(2);
const startedAt = performance.now();
// A small one keeps the thread busy that moves the log.
const reserve = 1024 * 1024;
const store: FileStore = openFileStore({ path, environment: 'staging', reserve });
await store.find('client', 'nobody' as ProgrammeId, 'nobody' as ClientId);
say({ ready: performance.now() - startedAt });
const names = Array.from({ length: Number(lanes) }, () => randomKey(6));
await Promise.all(names.map((name) => work(name)));

function say(line: Line): void {
  // At once and whole: what was acknowledged is told before anything else can happen.
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Logs in, refreshes and ends, over and over. */
async function work(lane: string): Promise<void> {
  for (let n = 0; ; n += 1) {
    const name = `${lane} ${n}`;
    const act = async (
      what: Step['act'],
      more: Partial<Step> = {},
    ): Promise<string | undefined> => {
      const step = { act: what, name, offers: [], generation: 0, ...more };
      say({ lane, step });
      const outcomes = await take(store, step);
      say({ lane, outcomes });
      return outcomes[0];
    };
    if (chance(0.05)) for (const one of changes) await act(one);
    await act('issue');
    if (chance(0.3)) await act('start', { offers: [offerOf()] });
    const offers = Array.from({ length: chance(0.2) ? 3 : 1 }, () => offerOf());
    const outcome = await act('spend', { offers });
    // Of several tries all but one were replays: the login that the first has paid for is dead.
    const [offer] = offers;
    if (offer === undefined || offers.length > 1 || outcome !== 'spent') continue;
    for (let generation = 2; chance(0.7); generation += 1) {
      const tries = Array.from({ length: chance(0.25) ? 3 : 1 }, () => offerOf(offer.place));
      await act('refresh', { generation, offers: tries });
    }
    if (chance(0.3)) await act('revoke', { offers });
    else if (chance(0.2)) await act('revokeAll');
  }
}

function chance(share: number): boolean {
  return Math.random() < share;
}
