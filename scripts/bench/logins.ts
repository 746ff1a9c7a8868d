// Owns the measurement of FAULTS 22: token requests at an even pace to one process with a file
// store, with and without a constant flood of logins.

import { median } from '../figures.ts';
import type { StreamOrder, StreamResult, Times } from '../load/generator.ts';
import { attempt, namesOf, openPage, password } from '../load/login.ts';
import { tokenRequest } from '../load/requests.ts';
import { jetwayCommand, underLoad } from '../load/server.ts';
import { layOut, openClub } from '../load/site.ts';

export interface LoginPlan {
  readonly rounds: number;
  /** Length of each half of a round. */
  readonly seconds: number;
}

export const carefulLogins: LoginPlan = { rounds: 24, seconds: 2 };
export const quickLogins: LoginPlan = { rounds: 1, seconds: 0.4 };

/** Logins at once. */
const logins = 20;
/** Token requests a second: far below saturation, as in most services. */
const rate = 250;
const connections = 8;

/**
 * Medians over the rounds, and their ratios: a burst of other work on the machine affects only a
 * few halves of rounds, and the median ignores those.
 */
interface LoginEffect {
  readonly rounds: number;
  readonly loginsPerSecond: number;
  readonly loginP50: number;
  readonly quiet: Times;
  readonly flooded: Times;
  readonly p50Ratio: number;
  readonly p99Ratio: number;
}

export async function measureLogins(plan: LoginPlan, folder: string): Promise<LoginEffect> {
  const programmes = { store: openClub('store') };
  const site = await layOut(folder, { programmes, owners: ['store'], members: logins });
  return underLoad(jetwayCommand(), site, async ({ server: { port }, offer }) => {
    const requests = [tokenRequest('/store/api/grant')];
    const tokens: StreamOrder = { name: 'token', port, requests, connections, rate };
    // One login page for each connection: of two attempts on one page at once, one fails.
    const attempts = await Promise.all(
      namesOf('known', logins).map(async (name) =>
        attempt(await openPage(port, 'store'), name, password),
      ),
    );
    const flood: StreamOrder = {
      name: 'login',
      port,
      requests: attempts,
      takes: 'own',
      connections: logins,
      rate: 0,
      expects: '302',
    };
    const rounds: Round[] = [];
    await offer([tokens], plan.seconds);
    for (let round = 0; round < plan.rounds; round += 1) {
      const quiet = await offer([tokens], plan.seconds);
      const flooded = await offer([tokens, flood], plan.seconds);
      const [alone, beside, login] = [...quiet.results, ...flooded.results].map(servedIn);
      if (alone === undefined || beside === undefined || login === undefined) continue;
      rounds.push({ quiet: alone, flooded: beside, login, seconds: flooded.seconds });
    }
    return summarise(rounds);
  });
}

interface Round {
  readonly quiet: Times;
  readonly flooded: Times;
  readonly login: Times;
  readonly seconds: number;
}

/** @throws where a request was answered in another way, or not at all */
function servedIn({ name, served, refused, others }: StreamResult): Times {
  if (refused.count === 0 && others.length === 0) return served;
  throw new Error(`${name}: ${refused.count} refused, ${others.join(', ')}`);
}

function summarise(rounds: readonly Round[]): LoginEffect {
  const over = (read: (round: Round) => number): number => median(rounds.map(read));
  const times = (which: 'quiet' | 'flooded'): Times => ({
    count: over((round) => round[which].count),
    p50: over((round) => round[which].p50),
    p99: over((round) => round[which].p99),
  });
  const [quiet, flooded] = [times('quiet'), times('flooded')];
  return {
    rounds: rounds.length,
    loginsPerSecond: over(({ login, seconds }) => login.count / seconds),
    loginP50: over(({ login }) => login.p50),
    quiet,
    flooded,
    p50Ratio: flooded.p50 / quiet.p50,
    p99Ratio: flooded.p99 / quiet.p99,
  };
}

/** For people; the target is that of FAULTS 22. */
export function formatLogins(effect: LoginEffect): string {
  const { rounds, loginsPerSecond, loginP50, quiet, flooded } = effect;
  const line = (name: string, { p50, p99, count }: Times): string =>
    `${name.padEnd(22)} p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${count} token requests a round`;
  return [
    `token requests beside logins (file store, ${rate} a second, medians of ${rounds} rounds)`,
    line('no logins', quiet),
    line(`${logins} logins at once`, flooded),
    `p50 × ${effect.p50Ratio.toFixed(2)}, p99 × ${effect.p99Ratio.toFixed(2)} (at most 2); ${loginsPerSecond.toFixed(0)} logins/s of ${loginP50.toFixed(0)} ms`,
  ].join('\n');
}
