// Owns the measurement of FAULTS 22: token requests at an even pace to one process with a file
// store, with and without a constant flood of logins.

import { setTimeout as sleep } from 'node:timers/promises';

import { jetwayCommand } from '../campaign_options.ts';
import { startServing } from '../many_programmes/serving.ts';
import { openSender, type Sender } from '../timing/compare.ts';
import { openDoor, type RawRequest, tokenRequest } from '../timing/door.ts';
import { client, layOut, namesOf, password } from '../timing/site.ts';
import { median, quantiles } from './quantiles.ts';

export interface LoginPlan {
  readonly rounds: number;
  /** Length of each half of a round. */
  readonly seconds: number;
  /** Concurrent logins. */
  readonly logins: number;
}

export const carefulLogins: LoginPlan = { rounds: 24, seconds: 2, logins: 20 };
export const quickLogins: LoginPlan = { rounds: 1, seconds: 0.4, logins: 20 };

/** Latencies of token requests in milliseconds, and their number. */
interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
}

/**
 * Medians over the rounds, and their ratios: a burst of other work on the machine affects only a
 * few halves of rounds, and the median ignores those.
 */
export interface LoginEffect {
  readonly rounds: number;
  readonly logins: number;
  readonly loginsPerSecond: number;
  readonly loginP50: number;
  readonly quiet: Latencies;
  readonly flooded: Latencies;
  readonly p50Ratio: number;
  readonly p99Ratio: number;
}

/** Milliseconds between requests: far below saturation, as in most services. */
const pace = 4;
const tokenLanes = 8;
/** The first moments of a flood are not measured: the queue of hashes has to fill. */
const warmUp = 500;

export async function measureLogins(plan: LoginPlan, folder: string): Promise<LoginEffect> {
  const site = await layOut(folder, { members: plan.logins });
  const serving = await startServing(jetwayCommand(), site);
  try {
    return await takeRounds(plan, serving.port);
  } finally {
    await serving.stop();
  }
}

interface Round {
  readonly quiet: Latencies;
  readonly flooded: Latencies;
  readonly logins: number;
  readonly loginP50: number;
}

async function takeRounds(plan: LoginPlan, port: number): Promise<LoginEffect> {
  const lanes = await Promise.all(Array.from({ length: tokenLanes }, () => openSender(port)));
  const request = tokenRequest('/store/api/grant', client.id, client.secret);
  const span = plan.seconds * 1000;
  // One login page for each attempt: of two attempts on one page, one fails.
  const attempts = await Promise.all(
    namesOf('known', plan.logins).map(async (name) => {
      const door = await openDoor(port, 'store');
      return door.attempt(name, password);
    }),
  );
  const rounds: Round[] = [];
  try {
    await requestTokens(lanes, request, span);
    for (let round = 0; round < plan.rounds; round += 1) {
      const quiet = await requestTokens(lanes, request, span);
      const flood = await startFlood(port, attempts);
      try {
        await sleep(warmUp);
        const flooded = await requestTokens(lanes, request, span);
        const { spent, seconds } = await flood.stop();
        const { p50: loginP50 } = quantiles(spent);
        rounds.push({ quiet, flooded, logins: spent.length / seconds, loginP50 });
      } finally {
        await flood.stop();
      }
    }
  } finally {
    for (const lane of lanes) lane.close();
  }
  return summarise(plan, rounds);
}

/** Each lane sends one request at a time; free lanes start requests at an even pace. */
async function requestTokens(
  lanes: readonly Sender[],
  request: RawRequest,
  span: number,
): Promise<Latencies> {
  const spent: number[] = [];
  const free = [...lanes];
  const underWay = new Set<Promise<void>>();
  const begun = performance.now();
  for (let sent = 0; performance.now() - begun < span; sent += 1) {
    const wait = begun + sent * pace - performance.now();
    if (wait > 0) await sleep(wait);
    while (free.length === 0) await Promise.race(underWay);
    // In turn: a server closes an idle connection.
    const lane = free.shift();
    if (lane === undefined) continue;
    const one = lane.send(request).then((told) => {
      if (!told.answer.startsWith('200 ')) throw new Error(`a token request got ${told.answer}`);
      spent.push(told.spent);
      free.push(lane);
      return undefined;
    });
    const settled = one.finally(() => underWay.delete(settled));
    underWay.add(settled);
  }
  await Promise.all(underWay);
  return { ...quantiles(spent), requests: spent.length };
}

interface Flood {
  readonly stop: () => Promise<{ readonly spent: readonly number[]; readonly seconds: number }>;
}

/** Keeps as many logins running as there are attempts; each must succeed. */
async function startFlood(port: number, attempts: readonly RawRequest[]): Promise<Flood> {
  const senders = await Promise.all(attempts.map(() => openSender(port)));
  const spent: number[] = [];
  const ending = new AbortController();
  const begun = performance.now();
  const lanes = senders.map(async (sender, index) => {
    while (!ending.signal.aborted) {
      const told = await sender.send(attempts[index] ?? '');
      if (!told.answer.startsWith('302 ')) throw new Error(`a login got ${told.answer}`);
      spent.push(told.spent);
    }
    sender.close();
  });
  // A lane may fail long before its result is awaited.
  const settled = Promise.allSettled(lanes);
  return {
    stop: async () => {
      ending.abort();
      const failed = (await settled).find((lane) => lane.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return { spent, seconds: (performance.now() - begun) / 1000 };
    },
  };
}

function summarise({ logins }: LoginPlan, rounds: readonly Round[]): LoginEffect {
  const over = (read: (round: Round) => number): number => median(rounds.map(read));
  const latencies = (which: 'quiet' | 'flooded'): Latencies => ({
    p50: over((round) => round[which].p50),
    p99: over((round) => round[which].p99),
    requests: over((round) => round[which].requests),
  });
  const [quiet, flooded] = [latencies('quiet'), latencies('flooded')];
  return {
    rounds: rounds.length,
    logins,
    loginsPerSecond: over((round) => round.logins),
    loginP50: over((round) => round.loginP50),
    quiet,
    flooded,
    p50Ratio: flooded.p50 / quiet.p50,
    p99Ratio: flooded.p99 / quiet.p99,
  };
}

/** For people; the target is that of FAULTS 22. */
export function formatLogins(effect: LoginEffect): string {
  const { rounds, logins, loginsPerSecond, loginP50, quiet, flooded } = effect;
  const line = (name: string, { p50, p99, requests }: Latencies): string =>
    `${name.padEnd(22)} p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${requests} token requests a round`;
  return [
    `token requests beside logins (file store, one every ${pace} ms, medians of ${rounds} rounds)`,
    line('no logins', quiet),
    line(`${logins} logins at once`, flooded),
    `p50 × ${effect.p50Ratio.toFixed(2)}, p99 × ${effect.p99Ratio.toFixed(2)} (at most 2); ${loginsPerSecond.toFixed(0)} logins/s of ${loginP50.toFixed(0)} ms`,
  ].join('\n');
}
