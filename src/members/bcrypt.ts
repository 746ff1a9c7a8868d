// Owns the thread that checks bcrypt hashes: begun with the first of them, and no reason for the
// process to stay.

import { isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';

import { readAsset } from '../lib/asset.ts';
import { Unavailable } from '../oauth/failure.ts';
import type { BcryptAnswer, BcryptQuestion } from './bcrypt_worker.ts';

interface Waiting {
  readonly resolve: (matches: boolean) => void;
  readonly reject: (error: Error) => void;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let asked = 0;

/** Whether the password is the one the hash was made of. */
export function compareBcrypt(password: string, hash: string): Promise<boolean> {
  worker ??= startWorker();
  asked += 1;
  const question: BcryptQuestion = { id: asked, password, hash };
  const answered = new Promise<boolean>((resolve, reject) => {
    waiting.set(question.id, { resolve, reject });
  });
  worker.ref();
  worker.postMessage(question, []);
  return answered;
}

function startWorker(): Worker {
  const started = isSea()
    ? new Worker(readAsset('src/members/bcrypt_worker.cjs'), { eval: true })
    : new Worker(new URL('bcrypt_worker.ts', import.meta.url));
  started.on('message', ({ id, matches }: BcryptAnswer) => {
    waiting.get(id)?.resolve(matches);
    waiting.delete(id);
    if (waiting.size === 0) started.unref();
  });
  const fail = (error?: unknown): void => {
    const cause = new Unavailable('the bcrypt thread has ended', { cause: error });
    for (const { reject } of waiting.values()) reject(cause);
    waiting.clear();
    worker = undefined;
  };
  started.on('error', fail);
  started.on('exit', () => fail());
  return started;
}
