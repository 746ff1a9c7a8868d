// Owns `npm run campaign:timing`: whether the time of an answer tells what its words do not, of members
// in either kind of directory (HOSTILE 17) and of clients (HOSTILE 40).

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startChild } from './bench/child.ts';
import {
  isPositive,
  isWhole,
  jetwayCommand,
  type NumberOption,
  readOptions,
  runCampaign,
} from './campaign_options.ts';
import { startServing } from './many_programmes/serving.ts';
import { compare, type Comparison, isWithin, openSender, type Row } from './timing/compare.ts';
import { openDoor, type RawRequest, tokenRequest } from './timing/door.ts';
import type { HookCommands } from './timing/hook.ts';
import {
  client,
  directories,
  type Directory,
  disabledClient,
  layOut,
  namesOf,
  password,
  strangeClient,
} from './timing/site.ts';

const usage = `npm run campaign:timing -- [options]
  --count N   samples of each kind in a round (200)
  --limit P   percent that a median may differ by (5)
  --rounds N  rounds at most; more than one only where a median is off (5)
  --json      for programs
Exits 1 when a median is still off after the last round, or an answer differs in a byte.`;

/** An answer to a client takes a hundredth of one to a member, and its median needs more samples. */
const clientSamples = 10;

/** Accounts that are locked: tries at them change nothing. */
const lockedNames = 4;
/** Failures that lock a username: five that may be tried, and the one after. */
const lockingFailures = 6;

interface Options {
  readonly count: number;
  readonly limit: number;
  readonly rounds: number;
}

/**
 * People with their own names; a name is tried once, so that none gets locked. Malformed names are
 * left out: everybody knows that nobody has them.
 */
async function loginComparison(
  port: number,
  directory: Directory,
  { count, rounds }: Options,
): Promise<Comparison & { readonly lock: readonly RawRequest[] }> {
  const door = await openDoor(port, directory);
  const kind = (
    name: string,
    [who, many]: readonly ['known' | 'other' | 'disabled' | 'locked', number],
    typed: string,
  ): Comparison['kinds'][number] => {
    const names = namesOf(who, many);
    return {
      name,
      request: (index) => {
        const username = names[index % many] ?? '';
        const mask = (body: string): string => door.mask(body, username);
        return { text: door.attempt(username, typed), mask };
      },
    };
  };
  const all = count * rounds;
  return {
    name: `login, ${directory === 'store' ? 'own members' : "a hook's members"}`,
    count,
    kinds: [
      kind('wrong password', ['known', all], 'not the password'),
      kind('unknown username', ['other', all], password),
      kind('disabled member', ['disabled', all], password),
      kind('locked account', ['locked', lockedNames], password),
    ],
    lock: namesOf('locked', lockedNames).flatMap((name) =>
      Array<RawRequest>(lockingFailures).fill(door.attempt(name, 'not the password')),
    ),
  };
}

function clientComparison({ count }: Options): Comparison {
  const kind = (name: string, id: string, secret: string): Comparison['kinds'][number] => {
    const text = tokenRequest('/store/api/grant', id, secret);
    return { name, request: () => ({ text, mask: (body) => body }) };
  };
  return {
    name: 'client authentication',
    count: count * clientSamples,
    kinds: [
      kind('wrong secret', client.id, 'x'.repeat(client.secret.length)),
      kind('unknown client', strangeClient, client.secret),
      kind('disabled client', disabledClient, client.secret),
    ],
  };
}

async function campaign(options: Options, folder: string, progress: (text: string) => void) {
  const members = options.count * options.rounds;
  const secretFile = join(folder, 'hook.secret');
  const secret = 'a-secret-of-the-hook-0123456789abcdef';
  writeFileSync(secretFile, secret, { mode: 0o600 });
  const hook = startChild<HookCommands>(import.meta.resolve('./timing/hook.ts'));
  try {
    const url = await hook.ask('start', { secret, members });
    const site = await layOut(folder, { members, hook: { url, secretFile } });
    const serving = await startServing(jetwayCommand(), site);
    try {
      return await compareAll(serving.port, options, progress);
    } finally {
      await serving.stop();
    }
  } finally {
    await hook.end();
  }
}

async function compareAll(
  port: number,
  options: Options,
  progress: (text: string) => void,
): Promise<readonly Row[]> {
  const sender = await openSender(port);
  const rows: Row[] = [];
  try {
    for (const directory of directories) {
      const comparison = await loginComparison(port, directory, options);
      progress(`${comparison.name}\n`);
      for (const text of comparison.lock) await sender.send(text);
      rows.push(...(await compare(sender, comparison, options)));
    }
    const comparison = clientComparison(options);
    progress(`${comparison.name}\n`);
    // Until its code is compiled, the first kinds to be measured are the slow ones.
    await compare(sender, comparison, { limit: 1, rounds: 1 });
    rows.push(...(await compare(sender, comparison, options)));
    return rows;
  } finally {
    sender.close();
  }
}

function lineOf(row: Row, limit: number): string {
  const { comparison, kind, samples, median, ratio } = row;
  const difference = `${ratio < 1 ? '' : '+'}${((ratio - 1) * 100).toFixed(1)} %`;
  const what = `${comparison}: ${kind}`.padEnd(48);
  const told = `${median.toFixed(3).padStart(9)} ms ${difference.padStart(9)}  of ${samples}`;
  return `${what} ${told}${isWithin(row, limit) ? '' : '  OFF'}`;
}

const numbers: Readonly<Record<'count' | 'limit' | 'rounds', NumberOption>> = {
  count: [200, isWhole],
  limit: [5, isPositive],
  rounds: [5, isWhole],
};
const asked = readOptions(usage, numbers, [], ['json']);
if (asked !== undefined) {
  const { json = false } = asked;
  const options = { ...asked, limit: asked.limit / 100 };
  await runCampaign('timing', async (folder) => {
    const progress = json ? () => {} : (text: string) => process.stderr.write(text);
    const rows = await campaign(options, folder, progress);
    if (json) console.log(JSON.stringify({ limit: options.limit, rows }, null, 2));
    else for (const row of rows) console.log(lineOf(row, options.limit));
    return rows.every((row) => isWithin(row, options.limit));
  });
}
