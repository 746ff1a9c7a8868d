// Owns checking bcrypt hashes in a thread of its own: it is plain JavaScript, and would hold up the
// event loop for a quarter of a second. The executable carries it as an asset (scripts/build.ts).

import { parentPort } from 'node:worker_threads';

import { compareSync } from 'bcryptjs';

/** One hash to check, and the number its answer goes by. */
export interface BcryptQuestion {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}

export interface BcryptAnswer {
  readonly id: number;
  readonly matches: boolean;
}

parentPort?.on('message', ({ id, password, hash }: BcryptQuestion) => {
  const answer: BcryptAnswer = { id, matches: compareSync(password, hash) };
  parentPort?.postMessage(answer, []);
});
