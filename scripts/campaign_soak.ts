// Owns `npm run campaign:soak`: full load for half an hour, with reloads, logins and chains of refreshes
// in it, and whether memory, descriptors and the time of answers stay as they were after warming up.

import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { executableOption, isNotNegative, isPositive, runCampaign } from './campaign.ts';
import { median } from './figures.ts';
import { failuresIn } from './load/generator.ts';
import { logIn, namesOf, tokensFor } from './load/login.ts';
import { residentMegabytes } from './load/server.ts';
import { type Offering, streamsTo, tokenPath, underLoad } from './load/under_load.ts';

/** Samples of a run; the first third is for warming up, the last is held against the middle one. */
const samples = 30;
/** Connections that callers may keep at one moment and not at another. */
const idleConnections = 10;
/** Members who are there at the same time. */
const atOnce = 4;
const refreshesOfLogin = 50;
/** Milliseconds between requests of one member. */
const pause = 20;

interface Sample {
  readonly megabytes: number;
  readonly descriptors: number;
  /** Milliseconds, of token requests. */
  readonly p99: number;
}

/** A member logs in with a browser, and the partner refreshes for a while; again and again. */
async function live(port: number, username: string, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const code = await logIn(port, username, 'store');
    let tokens = await tokensFor(port, tokenPath, { grant_type: 'authorization_code', code });
    for (let round = 0; round < refreshesOfLogin && !until.aborted; round += 1) {
      const { refresh_token } = tokens;
      tokens = await tokensFor(port, tokenPath, { grant_type: 'refresh_token', refresh_token });
      await sleep(pause);
    }
  }
}

/** All that callers do at once: tokens as fast as they come, the others at a rate. Samples, and what failed. */
async function soak(
  seconds: number,
  file: string,
  progress: (text: string) => void,
  { server, offer }: Offering,
): Promise<readonly [readonly Sample[], ReadonlySet<string>]> {
  const all: Sample[] = [];
  const failures = new Set<string>();
  const stopping = new AbortController();
  const members = namesOf('known', atOnce).map((name) =>
    live(server.port, name, stopping.signal).catch((error: unknown) => {
      failures.add(`${name}: ${String(error)}`);
    }),
  );
  const streams = streamsTo(server);
  const callers = [
    streams.token(0, 16),
    { ...streams['wrong secret'](50, 4), expects: '401' },
    streams.login(100, 4),
    // Gateways ask without a token.
    { ...streams.verify(200, 4), expects: '401' },
  ];
  for (let index = 0; index < samples; index += 1) {
    const { results } = await offer(callers, seconds / samples);
    for (const failure of failuresIn(results)) failures.add(failure);
    const { p99 = 0, count = 0 } = results[0]?.served ?? {};
    const megabytes = residentMegabytes(server);
    const descriptors = readdirSync(`/proc/${server.pid}/fd`).length;
    all.push({ megabytes, descriptors, p99 });
    progress(
      `${index + 1}: ${count} tokens, p99 ${p99.toFixed(1)} ms, ${megabytes.toFixed(0)} MB, ${descriptors} descriptors\n`,
    );
    // The server takes it up by itself during the next sample.
    appendFileSync(file, `# ${index}\n`);
  }
  stopping.abort();
  await Promise.all(members);
  return [all, failures];
}

await runCampaign(
  {
    command: 'campaign:soak',
    options: {
      minutes: ['M', 'how long', 30, isPositive],
      growth: ['P', 'percent that resident memory may grow by after warming up', 5, isNotNegative],
      slower: ['P', 'percent that the 99th percentile of answers may grow by', 25, isNotNegative],
      executable: executableOption,
    },
    fails: 'when a limit is missed, or a request failed',
  },
  async ({ minutes, growth, slower, executable }, { folder, progress }) => {
    const file = join(folder, 'programmes/store.yaml');
    const [all, failures] = await underLoad(
      { folder, executable, isPinned: true, members: atOnce },
      (offering) => soak(minutes * 60, file, progress, offering),
    );
    const third = samples / 3;
    const parts = [all.slice(third, 2 * third), all.slice(2 * third)];
    const grown = (key: 'megabytes' | 'p99'): number => {
      const [was = 1, is = 0] = parts.map((part) => median(part.map((one) => one[key])));
      return (is / was - 1) * 100;
    };
    const [memory, time] = [grown('megabytes'), grown('p99')];
    const [before = 0, after = 0] = parts.map((part) =>
      Math.min(...part.map(({ descriptors }) => descriptors)),
    );
    const leaked = after - before;
    return {
      text: `after warming up: resident memory grew by ${memory.toFixed(1)} %, the 99th percentile by ${time.toFixed(1)} %, descriptors by ${leaked}`,
      faults: [
        ...(memory > growth ? [`memory grew by ${memory.toFixed(1)} %`] : []),
        ...(leaked > idleConnections ? [`${leaked} more descriptors are open`] : []),
        ...failures,
      ],
      late: time > slower ? [`answers are slower by ${time.toFixed(1)} %`] : [],
    };
  },
);
