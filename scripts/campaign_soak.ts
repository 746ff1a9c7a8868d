// Owns `npm run campaign:soak`: full load for half an hour, with reloads, logins and chains of refreshes
// in it, and whether memory, descriptors and the time of answers stay as they were after warming up.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

import { median } from './bench/quantiles.ts';
import { isNotNegative, isPositive, readOptions, runCampaign } from './campaign_options.ts';
import type { Serving } from './many_programmes/serving.ts';
import type { StreamOrder, StreamResult } from './overload/generator.ts';
import { type Offering, streamsTo, underLoad } from './overload/offering.ts';
import { startMembers } from './soak/members.ts';

const usage = `npm run campaign:soak -- [options]
  --minutes M        how long (30)
  --growth P         percent that resident memory may grow by after warming up (5)
  --slower P         percent that the 99th percentile of answers may grow by (25)
  --executable FILE  a built jetway instead of the sources
Exits 1 when a limit is missed, or a request failed.`;

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
function streamsOf(serving: Serving): readonly StreamOrder[] {
  const streams = streamsTo(serving);
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

function failuresIn(results: readonly StreamResult[]): readonly string[] {
  return results.flatMap(({ name, others, refused }) => [
    ...others
      .filter((one) => expected[name]?.includes(one) !== true)
      .map((one) => `${name}: ${one}`),
    ...(refused.count > 0 ? [`${name}: ${refused.count} refused`] : []),
  ]);
}

/** Growth in percent from the middle third of the samples to the last. */
function growth(all: readonly Sample[], of: (sample: Sample) => number): number {
  const third = Math.floor(all.length / 3);
  const [before, after] = [all.slice(third, 2 * third), all.slice(2 * third)].map((part) =>
    median(part.map(of)),
  );
  return ((after ?? 0) / (before ?? 1) - 1) * 100;
}

function judge(all: readonly Sample[], limits: Limits): readonly string[] {
  const third = Math.floor(all.length / 3);
  const fewest = (part: readonly Sample[]): number =>
    Math.min(...part.map(({ descriptors }) => descriptors));
  const [memory, slower] = [growth(all, (one) => one.megabytes), growth(all, (one) => one.p99)];
  const leaked = fewest(all.slice(-third)) - fewest(all.slice(third, 2 * third));
  console.log(
    `after warming up: resident memory ${signed(memory)} %, 99th percentile ${signed(slower)} %, descriptors ${signed(leaked)}`,
  );
  return [
    ...(memory > limits.growth ? [`memory grew by ${memory.toFixed(1)} %`] : []),
    ...(slower > limits.slower ? [`answers are slower by ${slower.toFixed(1)} %`] : []),
    ...(leaked > idleConnections ? [`${leaked} more descriptors are open`] : []),
  ];
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${Number(value.toFixed(1))}`;
}

async function soak(
  seconds: number,
  folder: string,
  { serving, offer }: Offering,
): Promise<{ readonly all: readonly Sample[]; readonly failures: readonly string[] }> {
  const file = join(folder, 'programmes/store.yaml');
  const all: Sample[] = [];
  const failures = new Set<string>();
  const members = startMembers(serving.port);
  try {
    for (let index = 0; index < samples; index += 1) {
      const { results } = await offer(streamsOf(serving), seconds / samples);
      for (const failure of failuresIn(results)) failures.add(failure);
      const { served } = results[0] ?? {};
      all.push({
        megabytes: serving.megabytes(),
        descriptors: serving.descriptors(),
        p99: served?.p99 ?? 0,
        perSecond: (served?.count ?? 0) / (seconds / samples),
      });
      const { megabytes, descriptors, p99, perSecond } = all.at(-1) as Sample;
      console.log(
        `${String(index + 1).padStart(2)}: ${perSecond.toFixed(0)} tokens/s, p99 ${p99.toFixed(1)} ms, ${megabytes.toFixed(0)} MB, ${descriptors} descriptors, ${members.refreshes()} refreshes`,
      );
      // The server takes it up by itself during the next sample.
      appendFileSync(file, `# ${index}\n`);
    }
    for (const failure of await members.stop()) failures.add(failure);
  } finally {
    await members.stop();
  }
  return { all, failures: [...failures] };
}

const options = readOptions(
  usage,
  { minutes: [30, isPositive], growth: [5, isNotNegative], slower: [25, isNotNegative] },
  ['executable'],
);
if (options !== undefined) {
  const { minutes, executable } = options;
  await runCampaign('soak', async (folder) => {
    const { all, failures } = await underLoad(folder, { members: 20, executable }, (offering) =>
      soak(minutes * 60, folder, offering),
    );
    const faults = [...judge(all, options), ...failures];
    for (const fault of faults) console.log(`MISSED  ${fault}`);
    return faults.length === 0;
  });
}
