// Owns `npm run campaign:soak`: full load for half an hour, with reloads, logins and chains of refreshes
// in it, and whether memory, descriptors and the time of answers stay as they were after warming up.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  executableOption,
  type Findings,
  isNotNegative,
  isPositive,
  runCampaign,
} from './campaign.ts';
import { median } from './figures.ts';
import { onFirstCore } from './load/child.ts';
import { failuresIn, type StreamOrder } from './load/generator.ts';
import { logIn, namesOf, tokensFor } from './load/login.ts';
import {
  jetwayCommand,
  type Offering,
  type Server,
  streamsTo,
  tokenPath,
  underLoad,
} from './load/server.ts';
import { layOut, openClub } from './load/site.ts';

/** Samples of a run; a third of them is for warming up. */
const samples = 30;

interface Sample {
  readonly megabytes: number;
  readonly descriptors: number;
  /** Milliseconds, of token requests. */
  readonly p99: number;
  readonly perSecond: number;
}

interface Limits {
  readonly growth: number;
  readonly slower: number;
}

/** All that callers do at once: tokens as fast as they come, the others at a rate. */
function streamsOf(server: Server): readonly StreamOrder[] {
  const streams = streamsTo(server);
  return [
    streams.token(0, 16),
    streams['wrong secret'](50, 4),
    streams.login(100, 4),
    streams.verify(200, 4),
  ];
}

/** Connections that callers may keep at one moment and not at another. */
const idleConnections = 10;

/** What is no failure of a stream: gateways ask without a token. */
const expected: Readonly<Record<string, readonly string[]>> = {
  'wrong secret': ['401'],
  verify: ['401'],
};

/** Growth in percent from the middle third of the samples to the last. */
function growth(all: readonly Sample[], of: (sample: Sample) => number): number {
  const third = Math.floor(all.length / 3);
  const [before, after] = [all.slice(third, 2 * third), all.slice(2 * third)].map((part) =>
    median(part.map(of)),
  );
  return ((after ?? 0) / (before ?? 1) - 1) * 100;
}

function judge(all: readonly Sample[], limits: Limits): Findings {
  const third = Math.floor(all.length / 3);
  const fewest = (part: readonly Sample[]): number =>
    Math.min(...part.map(({ descriptors }) => descriptors));
  const [memory, slower] = [growth(all, (one) => one.megabytes), growth(all, (one) => one.p99)];
  const leaked = fewest(all.slice(-third)) - fewest(all.slice(third, 2 * third));
  return {
    figures: { samples: all, memory, slower, leaked },
    text: `after warming up: resident memory ${signed(memory)} %, 99th percentile ${signed(slower)} %, descriptors ${signed(leaked)}`,
    faults: [
      ...(memory > limits.growth ? [`memory grew by ${memory.toFixed(1)} %`] : []),
      ...(leaked > idleConnections ? [`${leaked} more descriptors are open`] : []),
    ],
    late: slower > limits.slower ? [`answers are slower by ${slower.toFixed(1)} %`] : [],
  };
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${Number(value.toFixed(1))}`;
}

/** Members who are there at the same time. */
const atOnce = 4;
const refreshesOfLogin = 50;
/** Milliseconds between requests of one member. */
const pause = 20;

interface Visitors {
  readonly refreshes: () => number;
  /** Ends after the requests under way; resolves to what failed. */
  readonly stop: () => Promise<readonly string[]>;
}

/** Members that log in with their browsers; their partner refreshes for a while; again and again. */
function startVisitors(port: number): Visitors {
  const failures: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  let refreshes = 0;
  const visit = async (username: string): Promise<void> => {
    const code = await logIn(port, username, 'store');
    let tokens = await tokensFor(port, tokenPath, { grant_type: 'authorization_code', code });
    for (let round = 0; round < refreshesOfLogin && !signal.aborted; round += 1) {
      const { refresh_token } = tokens;
      tokens = await tokensFor(port, tokenPath, { grant_type: 'refresh_token', refresh_token });
      refreshes += 1;
      await sleep(pause);
    }
  };
  const live = async (username: string): Promise<void> => {
    try {
      while (!signal.aborted) await visit(username);
    } catch (error) {
      failures.push(`${username}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const ended = Promise.all(namesOf('known', atOnce).map(live));
  return {
    refreshes: () => refreshes,
    stop: async () => {
      stopping.abort();
      await ended;
      return failures;
    },
  };
}

interface Soaked {
  readonly all: readonly Sample[];
  readonly failures: readonly string[];
}

async function soak(
  seconds: number,
  folder: string,
  progress: (text: string) => void,
  { server, offer }: Offering,
): Promise<Soaked> {
  const file = join(folder, 'programmes/store.yaml');
  const all: Sample[] = [];
  const failures = new Set<string>();
  const visitors = startVisitors(server.port);
  try {
    for (let index = 0; index < samples; index += 1) {
      const { results } = await offer(streamsOf(server), seconds / samples);
      for (const failure of failuresIn(results, expected)) failures.add(failure);
      const { served } = results[0] ?? {};
      const megabytes = server.megabytes();
      const descriptors = server.descriptors();
      const p99 = served?.p99 ?? 0;
      const perSecond = (served?.count ?? 0) / (seconds / samples);
      all.push({ megabytes, descriptors, p99, perSecond });
      progress(
        `${index + 1}: ${perSecond.toFixed(0)} tokens/s, p99 ${p99.toFixed(1)} ms, ${megabytes.toFixed(0)} MB, ${descriptors} descriptors, ${visitors.refreshes()} refreshes\n`,
      );
      // The server takes it up by itself during the next sample.
      appendFileSync(file, `# ${index}\n`);
    }
  } finally {
    for (const failure of await visitors.stop()) failures.add(failure);
  }
  return { all, failures: [...failures] };
}

await runCampaign(
  {
    command: 'campaign:soak',
    numbers: {
      minutes: ['M', 'how long', 30, isPositive],
      growth: ['P', 'percent that resident memory may grow by after warming up', 5, isNotNegative],
      slower: ['P', 'percent that the 99th percentile of answers may grow by', 25, isNotNegative],
    },
    texts: { executable: executableOption },
    fails: 'when a limit is missed, or a request failed',
  },
  async (options, { folder, progress }) => {
    const programmes = { store: openClub('store') };
    const site = await layOut(folder, { programmes, owners: ['store'], members: atOnce });
    const { all, failures } = await underLoad(
      onFirstCore(jetwayCommand(options.executable)),
      site,
      (offering) => soak(options.minutes * 60, folder, progress, offering),
    );
    const found = judge(all, options);
    return { ...found, faults: [...found.faults, ...failures] };
  },
);
