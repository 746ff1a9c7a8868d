// Owns login attempts in memory.

import type { Instant } from '../../lib/clock.ts';
import { attemptsEndAt, type AttemptRows, type AttemptState } from '../login_attempts.ts';
import { MemoryTable } from './table.ts';

export interface MemoryAttempts extends AttemptRows {
  readonly forgetAll: () => void;
  readonly sweep: (now: Instant, limit: number) => number;
}

export function memoryAttempts(): MemoryAttempts {
  const accounts = new MemoryTable<AttemptState>();
  return {
    find: async (programme, account) => accounts.get(programme, account),
    countLocked: async (programme, now) =>
      accounts.filter(({ lockedUntil = now }) => now < lockedUntil, programme).length,
    change: async (programme, account, change) => {
      const { state, answer } = change(accounts.get(programme, account));
      if (state === undefined) accounts.delete(programme, account);
      else accounts.set(programme, account, state);
      return answer;
    },
    forgetAll: () => accounts.remove(() => true),
    sweep: (now, limit) => accounts.sweep(limit, (state) => now >= attemptsEndAt(state)),
  };
}
