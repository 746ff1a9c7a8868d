// Owns a second process that shares a store file with a test; process.test.ts starts it.

import { writeSync } from 'node:fs';

import type { Store } from '../../src/store/contract.ts';
import { openFileStore } from '../../src/store/file.ts';
import {
  aFamily,
  aPartnerToken,
  aRefreshToken,
  aRotation,
  at,
  club,
  familyId,
  inParallel,
  key,
  partner,
} from './fixtures.ts';

/** What a process is asked to do at once: spend the code, rotate `r1`, or write until it is killed. */
export type Task = 'open' | 'spend' | 'rotate' | 'write';

const [path = '', name = ''] = process.argv.slice(2);
let store: Store | undefined;

process.on('message', (task: Task) => {
  void perform(task).then((result) => process.send?.(result));
});
process.send?.('ready');

async function perform(task: Task): Promise<unknown> {
  store ??= openFileStore({ path, environment: 'staging' });
  if (task === 'spend') return spend(store);
  if (task === 'rotate') return rotate(store);
  if (task === 'write') return inParallel(8, (lane) => writeForever(lane));
  return 'opened';
}

function spend(shared: Store): Promise<unknown> {
  return inParallel(25, (n) => {
    const family = aFamily({ id: familyId(`family ${name} ${n}`) });
    const bought = { family, refresh: aRefreshToken(`refresh ${name} ${n}`) };
    return shared.spendCode(club, partner, key('code'), bought, at(1));
  });
}

function rotate(shared: Store): Promise<unknown> {
  return inParallel(10, (n) => shared.rotateRefreshToken(aRotation('r1', `s ${name} ${n}`)));
}

/** Saves tokens and tells each one's key when, and only when, the store has answered. */
async function writeForever(lane: number): Promise<void> {
  for (let n = 0; ; n += 1) {
    const token = `${name} ${lane} ${n}`;
    await store?.saveAccessToken(aPartnerToken(token));
    writeSync(1, `${token}\n`);
  }
}
